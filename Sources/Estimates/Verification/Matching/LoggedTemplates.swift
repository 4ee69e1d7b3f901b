/// The paths of a log that stand for many paths, as `/items/{id}`, `/items/:id` and `/items/*`: routers and monitors write them in
/// place of the path that was sent.
struct LoggedTemplates {
  /// A segment of a path.
  private enum Segment {
    case text(Substring)
    /// Any text between a beginning and an end.
    case any(Substring, Substring)

    init(_ segment: Substring) {
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

    var isAny: Bool { if case .any = self { true } else { false } }

    func takes(_ text: Substring) -> Bool {
      switch self {
      case .text(let own): own == text
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

  /// The templates among the keys of a log that no exchange has.
  init(_ keys: some Sequence<MatchKey>, besides exchanges: [WireExchange]) {
    lazy var known = Set(exchanges.map(\.key))
    var seen: Set<MatchKey> = []
    var count = 0
    for key in keys where key.path.utf8.contains(where: Self.marks.contains) && seen.insert(key).inserted {
      let segments = Self.segments(key.path).map(Segment.init)
      guard segments.contains(where: \.isAny), count < Self.limit, !known.contains(key) else { continue }
      count += 1
      templates[Form(host: key.host, count: segments.count), default: []].append((key, segments))
    }
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
