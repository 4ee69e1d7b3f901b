import HTTPReassembly

/// Recent contents with their outcomes, which need no decoding when they come again. A server that gets the same request again mostly sends
/// the same octets.
///
/// Remembered contents never change a result. A content is familiar if all its octets equal those of a decoded one.
struct FamiliarContents {
  /// Octets of memory of the most recent contents. As many octets of earlier contents are remembered.
  static let octetLimit = 1 << 20
  /// Octets of memory that a content costs beside its own.
  private static let cost = 128

  /// The outcome of a content, as far as known.
  enum Outcome {
    case known(ContentOutcome)
    /// A source has the content, under this number.
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
  /// The mark of each awaited content, by ticket; nil if none is awaited.
  private var awaited: [UInt64?] = []

  /// The outcome of a content; nil if it is not remembered.
  mutating func outcome(of octets: [UInt8]) -> Outcome? {
    let mark = Self.mark(octets)
    if let entry = recent[mark] { return entry.isOf(octets) ? entry.outcome : nil }
    guard let entry = before[mark], entry.isOf(octets) else { return nil }
    add(entry, mark)
    return entry.outcome
  }

  /// Remembers a content that a source has. Its outcome is learned later.
  mutating func expect(_ octets: [UInt8], as content: PendingContent) {
    let mark = Self.mark(octets)
    while awaited.count <= content.ticket { awaited.append(nil) }
    awaited[content.ticket] = mark
    add(Entry(octets: octets, outcome: .awaited(content)), mark)
  }

  /// Learns the outcome of a content, before its ticket is reused; nil if the outcome will never be known. Does nothing if none was
  /// awaited.
  mutating func learn(_ outcome: ContentOutcome?, of content: PendingContent) {
    guard content.ticket < awaited.count, let mark = awaited[content.ticket].take() else { return }
    Self.learn(outcome, of: content, &recent[mark])
    Self.learn(outcome, of: content, &before[mark])
  }

  private static func learn(_ outcome: ContentOutcome?, of content: PendingContent, _ entry: inout Entry?) {
    // Another content may have come with the same mark.
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

  /// A mark that tells nearly all contents apart: the end of a member has the checksum and the length of its content (RFC 1952 §2.3.1).
  private static func mark(_ octets: [UInt8]) -> UInt64 {
    let length = UInt64(octets.count)
    guard octets.count >= 8 else { return length }
    return octets.withOctets { $0.littleEndian64($0.byteCount - 8) } &+ length &* 0x9e37_79b9_7f4a_7c15
  }
}
