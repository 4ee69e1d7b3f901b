import Packets

/// The numbers of `PacketOrigin`: each description has one number for all sections and files of a series.
///
/// The readers of a series pass it on. It is used once for each description, and once for each packet with a comment.
struct OriginTable {
  private var interfaces: [InterfaceRecord: UInt16] = [:]
  private var processes: [ProcessRecord: UInt16] = [:]
  private var comments = CommentTable()

  /// The number of an interface, which `record` does not have yet; 0 when there is none left. A new one becomes an event.
  mutating func number(_ record: InterfaceRecord, tellingIn events: inout PendingEvents) -> UInt16 {
    if let number = interfaces[record] { return number }
    guard interfaces.count < CaptureLimits.numberedInterfaces else { return 0 }
    var numbered = record
    numbered.number = UInt16(interfaces.count + 1)
    interfaces[record] = numbered.number
    events.append(.interface(numbered))
    return numbered.number
  }

  /// The number of a process, which `record` does not have yet; 0 when there is none left. A new one becomes an event.
  mutating func number(_ record: ProcessRecord, tellingIn events: inout PendingEvents) -> UInt16 {
    if let number = processes[record] { return number }
    guard processes.count < CaptureLimits.numberedProcesses else { return 0 }
    var numbered = record
    numbered.number = UInt16(processes.count + 1)
    processes[record] = numbered.number
    events.append(.process(numbered))
    return numbered.number
  }

  /// The number of a comment; 0 when it is too long or there is none left. A new one becomes an event.
  mutating func number(comment: RawSpan, tellingIn events: inout PendingEvents) -> UInt16 {
    let (number, isNew) = comments.number(comment)
    if isNew { events.append(.comment(CommentRecord(number: number, octets: comments.octets(number)))) }
    return number
  }
}

/// Comments by number, in one array, so that a known one is found without allocation.
private struct CommentTable {
  /// Slots of the hash table: four times the number of comments, so that one is found within a few steps.
  private static let slotCount = 4 * (CaptureLimits.numberedComments + 1)
  /// Slots that are searched for a comment, so that comments with equal hashes, made on purpose, cost no more. A comment beyond
  /// them has no number.
  private static let probeCount = 16

  /// The comments' octets one after the other.
  private var storage: [UInt8] = []
  /// The end of each comment in `storage`.
  private var ends: [Int] = []
  /// Numbers by hash, with linear probing; 0 is a free slot. Empty until there is a comment.
  private var slots: [UInt16] = []

  /// The number of a comment, and whether it is new; 0 when it has none.
  mutating func number(_ comment: RawSpan) -> (number: UInt16, isNew: Bool) {
    guard comment.byteCount <= CaptureLimits.commentLength else { return (0, false) }
    if slots.isEmpty { slots = Array(repeating: 0, count: Self.slotCount) }
    let hash = Self.hash(comment)
    for probe in 0..<Self.probeCount {
      let slot = (hash &+ probe) & (Self.slotCount - 1)
      let number = slots[slot]
      if number == 0 { return add(comment, at: slot) }
      if holds(number, comment) { return (number, false) }
    }
    return (0, false)
  }

  private mutating func add(_ comment: RawSpan, at slot: Int) -> (number: UInt16, isNew: Bool) {
    guard ends.count < CaptureLimits.numberedComments,
      storage.count + comment.byteCount <= CaptureLimits.commentOctets
    else { return (0, false) }
    comment.append(0..<comment.byteCount, to: &storage)
    ends.append(storage.count)
    slots[slot] = UInt16(ends.count)
    return (slots[slot], true)
  }

  /// The octets of a comment.
  func octets(_ number: UInt16) -> [UInt8] { Array(storage[range(number)]) }

  private func range(_ number: UInt16) -> Range<Int> {
    let index = Int(number) - 1
    return (index == 0 ? 0 : ends[index - 1])..<ends[index]
  }

  private func holds(_ number: UInt16, _ comment: RawSpan) -> Bool {
    let range = range(number)
    guard range.count == comment.byteCount else { return false }
    return storage.withOctets { $0.hasSameOctets(at: range.lowerBound, as: comment, at: 0, count: range.count) }
  }

  /// Mixes eight octets at a time; the last ones by themselves.
  private static func hash(_ comment: RawSpan) -> Int {
    // 2⁶⁴ divided by the golden ratio.
    let factor: UInt64 = 0x9e37_79b9_7f4a_7c15
    let count = comment.byteCount
    var hash = UInt64(count)
    var offset = 0
    while offset + 8 <= count {
      hash = (hash ^ comment.littleEndian64(within: offset)) &* factor
      hash ^= hash >> 32
      offset += 8
    }
    while offset < count {
      hash = (hash ^ UInt64(comment.octet(within: offset))) &* factor
      offset += 1
    }
    return Int(truncatingIfNeeded: hash >> 40)
  }
}
