import HTTPReassembly

/// Contents that came lately, with what came of them, so that they need not be decoded when they come again: a server that is
/// asked the same again mostly sends the same octets.
///
/// What is remembered decides nothing. A content is familiar when each of its octets is that of one which was decoded.
struct FamiliarContents {
  /// Octets of memory of the contents that came last. As many are remembered of those before them.
  static let octetLimit = 1 << 20
  /// Octets of memory that a content takes beside its own.
  private static let cost = 128

  /// What is known of a content.
  enum Outcome {
    case known(ContentOutcome)
    /// It was given to a source, which knows it by this.
    case awaited(PendingContent)
  }

  private struct Entry {
    let octets: [UInt8]
    var outcome: Outcome

    func isOf(_ content: [UInt8]) -> Bool { content.withOctets { $0.hasSameOctets(as: octets) } }
  }

  private var recent: [UInt64: Entry] = [:]
  private var before: [UInt64: Entry] = [:]
  /// Octets of memory that `recent` takes.
  private var recentOctets = 0
  /// By ticket, the mark of the content that is awaited; nil when none is.
  private var awaited: [UInt64?] = []

  /// What is known of a content; nil when it is not one of those that are remembered.
  mutating func outcome(of octets: [UInt8]) -> Outcome? {
    let mark = Self.mark(octets)
    if let entry = recent[mark] { return entry.isOf(octets) ? entry.outcome : nil }
    guard let entry = before[mark], entry.isOf(octets) else { return nil }
    add(entry, mark)
    return entry.outcome
  }

  /// Remembers a content that was given to a source; what comes of it is learned later.
  mutating func expect(_ octets: [UInt8], as content: PendingContent) {
    let mark = Self.mark(octets)
    while awaited.count <= content.ticket { awaited.append(nil) }
    awaited[content.ticket] = mark
    add(Entry(octets: octets, outcome: .awaited(content)), mark)
  }

  /// Takes what came of a content, at the latest before its ticket is another one's; nil when nobody will know. Does nothing
  /// where none was awaited.
  mutating func learn(_ outcome: ContentOutcome?, of content: PendingContent) {
    guard content.ticket < awaited.count, let mark = awaited[content.ticket].take() else { return }
    Self.learn(outcome, of: content, &recent[mark])
    Self.learn(outcome, of: content, &before[mark])
  }

  private static func learn(_ outcome: ContentOutcome?, of content: PendingContent, _ entry: inout Entry?) {
    // Another one may have come with the same mark.
    guard case .awaited(content) = entry?.outcome else { return }
    if let outcome { entry?.outcome = .known(outcome) } else { entry = nil }
  }

  private mutating func add(_ entry: Entry, _ mark: UInt64) {
    if recentOctets > Self.octetLimit {
      before = recent
      recent.removeAll(keepingCapacity: true)
      recentOctets = 0
    }
    recentOctets += entry.octets.capacity + Self.cost
    recent[mark] = entry
  }

  /// What tells contents apart, but for a few: the end of a member has the checksum and the length of what is in it
  /// (RFC 1952 §2.3.1).
  private static func mark(_ octets: [UInt8]) -> UInt64 {
    let length = UInt64(octets.count)
    guard octets.count >= 8 else { return length }
    return octets.withOctets { $0.littleEndian64($0.byteCount - 8) } &+ length &* 0x9e37_79b9_7f4a_7c15
  }
}
