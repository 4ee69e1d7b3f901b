import HTTPReassembly

/// Two columns of a log that have each other's figures.
enum ExchangedColumns: CaseIterable, Sendable {
  case headerAndBody, lineAndHeader, lineAndBody

  /// The columns in words.
  var words: String {
    switch self {
    case .headerAndBody: "header and body"
    case .lineAndHeader: "start-line and header"
    case .lineAndBody: "start-line and body"
    }
  }

  /// The fewest rows that tell it.
  private static let leastRows = 5

  /// The columns that a log has exchanged; nil when they are in their places. Nine in ten of the rows whose two figures differ have
  /// the one as a figure of the other part, for a message with their key, and fewer than half have it in its place.
  static func found(in log: AppLog, _ wire: [WireMessage]) -> ExchangedColumns? {
    guard log.entries.contains(where: { $0.headerLength != nil || $0.lineLength != nil }) else { return nil }
    var parts: [Key: Parts] = [:]
    for message in wire where message.row.kind != .interim { parts[Key(message), default: Parts()].add(message) }
    return allCases.first { columns in
      var telling = 0
      var inPlace = 0
      var exchanged = 0
      for entry in log.entries {
        guard let (first, second) = columns.figures(entry), first != second, let known = parts[Key(entry)] else {
          continue
        }
        telling += 1
        if columns.areInPlace(first, second, known) { inPlace += 1 }
        if columns.areInPlace(second, first, known) { exchanged += 1 }
      }
      return telling >= leastRows && exchanged * 10 >= telling * 9 && inPlace * 2 < telling
    }
  }

  /// The entry with the figures in their places.
  func restored(_ entry: LogEntry) -> LogEntry {
    var entry = entry
    switch self {
    case .headerAndBody: swap(&entry.headerLength, &entry.bodyLength)
    case .lineAndHeader: swap(&entry.lineLength, &entry.headerLength)
    case .lineAndBody: swap(&entry.lineLength, &entry.bodyLength)
    }
    return entry
  }

  private func figures(_ entry: LogEntry) -> (Int, Int)? {
    let figures =
      switch self {
      case .headerAndBody: (entry.headerLength, entry.bodyLength)
      case .lineAndHeader: (entry.lineLength, entry.headerLength)
      case .lineAndBody: (entry.lineLength, entry.bodyLength)
      }
    guard let first = figures.0, let second = figures.1 else { return nil }
    return (first, second)
  }

  /// Whether the figure of the part with the surest figures is one of that part. A header section may be counted in any form.
  private func areInPlace(_ first: Int, _ second: Int, _ parts: Parts) -> Bool {
    switch self {
    case .headerAndBody: parts.bodies.contains(second)
    case .lineAndHeader: parts.lines.contains(first)
    case .lineAndBody: parts.lines.contains(first) && parts.bodies.contains(second)
    }
  }

  private struct Key: Hashable {
    var key: MatchKey
    var isRequest: Bool

    init(_ message: WireMessage) {
      key = MatchKey(message)
      isRequest = message.row.kind == .request
    }

    init(_ entry: LogEntry) {
      key = MatchKey(entry)
      isRequest = entry.kind == .request
    }
  }

  /// The figures of the parts of all messages with one key.
  private struct Parts {
    var lines: Set<Int> = []
    var bodies: Set<Int> = []

    mutating func add(_ message: WireMessage) {
      let octets = message.row.octets
      lines.formUnion([octets.startLine, message.spelledLine ?? octets.startLine])
      bodies.formUnion([octets.body, message.decodedLength ?? octets.body])
    }
  }
}
