/// The paths of a log that stand for many paths, as `/items/{id}`, `/items/:id` and `/items/*`: routers and monitors write them in
/// place of the path that was sent. Some write one number for all, as `/items/0`.
struct LoggedTemplates {
  /// A segment of a path.
  private enum Segment {
    case text(Substring)
    /// Any text between a beginning and an end.
    case any(Substring, Substring)
    /// Any whole number.
    case number

    /// `number` is the one that stands for all numbers.
    init(_ segment: Substring, number: Substring?) {
      if segment == number {
        self = .number
        return
      }
      if segment == "*" || segment.first == ":" && segment.count > 1 {
        self = .any("", "")
        return
      }
      for (opening, closing) in [("{", "}"), ("<", ">")] as [(Character, Character)] {
        guard let start = segment.firstIndex(of: opening), let end = segment.lastIndex(of: closing), start < end
        else { continue }
        self = .any(segment[..<start], segment[segment.index(after: end)...])
        return
      }
      self = .text(segment)
    }

    var isAny: Bool { if case .text = self { false } else { true } }

    func takes(_ text: Substring) -> Bool {
      switch self {
      case .text(let own): own == text
      case .number: LoggedTemplates.isNumber(text)
      case .any(let start, let end):
        text.count > start.count + end.count && text.hasPrefix(start) && text.hasSuffix(end)
      }
    }
  }

  /// The host of paths and the number of their segments: a template has those of all paths that it stands for.
  private struct Form: Hashable {
    var host: String
    var count: Int
  }

  private var templates: [Form: [(key: MatchKey, segments: [Segment])]] = [:]

  /// The templates among the paths of a log that no exchange has, and those with the number that stands for all.
  init(_ rows: [LogExchange], besides exchanges: [WireExchange]) {
    lazy var known = Set(exchanges.map(\.key))
    let number = Self.number(rows, exchanges)
    var seen: Set<MatchKey> = []
    var count = 0
    for key in rows.lazy.map(\.key)
    where (number != nil || key.path.utf8.contains(where: Self.marks.contains)) && seen.insert(key).inserted {
      let segments = Self.segments(key.path).map { Segment($0, number: number) }
      guard segments.contains(where: \.isAny), count < Self.limit, number != nil || !known.contains(key) else {
        continue
      }
      count += 1
      templates[Form(host: key.host, count: segments.count), default: []].append((key, segments))
    }
  }

  /// The only number in the paths of a log, if it stands for others: most rows with it have no exchange of their path.
  private static func number(_ rows: [LogExchange], _ exchanges: [WireExchange]) -> Substring? {
    var number: Substring?
    var open: [MatchKey: Int] = [:]
    var count = 0
    for row in rows where row.request != nil {
      let segments = segments(row.key.path)
      for segment in segments where isNumber(segment) {
        guard number ?? segment == segment else { return nil }
        number = segment
      }
      guard let number, segments.contains(number) else { continue }
      open[row.key, default: 0] += 1
      count += 1
    }
    guard count >= leastRows else { return nil }
    for exchange in exchanges {
      if let rest = open[exchange.key], rest > 0 { open[exchange.key] = rest - 1 }
    }
    return open.values.reduce(0, +) * 2 > count ? number : nil
  }

  /// The fewest rows that show that a number stands for others.
  private static let leastRows = 5

  fileprivate static func isNumber(_ segment: Substring) -> Bool {
    !segment.isEmpty && segment.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
  }

  /// The octets that a placeholder has one of.
  private static let marks = Array("{<:*".utf8)
  /// The largest number of templates: each exchange is compared with all of its form.
  private static let limit = 1000

  private static func segments(_ path: String) -> [Substring] {
    path.split(separator: "/", omittingEmptySubsequences: false)
  }

  /// The key of the template that stands for a path, or the path's own. Of several templates the one with the most text is taken.
  func key(_ key: MatchKey) -> MatchKey {
    guard !templates.isEmpty else { return key }
    let segments = Self.segments(key.path)
    let found = templates[Form(host: key.host, count: segments.count)]?
      .filter { zip($0.segments, segments).allSatisfy { $0.takes($1) } }
    return found?.max { $0.segments.count { !$0.isAny } < $1.segments.count { !$0.isAny } }?.key ?? key
  }
}
