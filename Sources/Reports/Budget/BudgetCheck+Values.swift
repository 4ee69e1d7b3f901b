extension Budget.Check {
  /// A value of a check, of which it is known what it counts.
  enum Value {
    /// Messages or octets.
    case whole(Int)
    /// Octets by request, in thousandths.
    case thousandths(Int)
    /// A share, in millionths.
    case millionths(Int)
    /// A duration in nanoseconds.
    case nanoseconds(Int)

    /// As people are shown it.
    var text: String {
      switch self {
      case .whole(let value): Summary.grouped(value)
      case .thousandths(let value): Self.decimal(value, of: 1000)
      case .millionths(let value): Self.decimal(value, of: 10_000) + "%"
      case .nanoseconds(let value): Self.decimal(value, of: 1_000_000) + " ms"
      }
    }

    /// Without a sign, and with one decimal.
    private static func decimal(_ value: Int, of unit: Int) -> String {
      let text = ModelErrorTable.mean(value, of: unit)
      return text.hasPrefix("+") ? String(text.dropFirst()) : text
    }
  }

  /// What is allowed.
  var most: Value { value(rule.scope == .request ? limit.most * 1000 : limit.most) }

  /// What was found; nil when there is nothing to tell it from.
  var actual: Value? { magnitude.map { value($0) } }

  /// How much is beyond the limit; nil when nothing is.
  var excess: Value? {
    guard isExceeded, let magnitude else { return nil }
    return value(magnitude - (rule.scope == .request ? limit.most * 1000 : limit.most))
  }

  /// The figure, and what it is divided by.
  package var name: String { limit.figure.rawValue + (rule.scope == .request ? " per request" : "") }

  private var magnitude: Int? {
    guard rule.scope == .request else { return subject.value(limit.figure) }
    let requests = subject.counts[.requests]
    guard requests > 0, let value = subject.value(limit.figure) else { return nil }
    return (value * 1000 + requests / 2) / requests
  }

  private func value(_ magnitude: Int) -> Value {
    if rule.scope == .request { return .thousandths(magnitude) }
    switch limit.figure.unit {
    case .count, .octets: return .whole(magnitude)
    case .share: return .millionths(magnitude)
    case .duration: return .nanoseconds(magnitude)
    }
  }
}
