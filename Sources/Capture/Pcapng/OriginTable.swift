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
  /// Buckets of the index: four times the number of comments, so that one is found within a few steps.
  private static let bucketCount = 4 * (CaptureLimits.numberedComments + 1)
  /// Buckets that are searched for a comment, so that comments with equal hashes, made on purpose, cost no more. A comment beyond
  /// them has no number.
  private static let probeCount = 16

  /// The comments' octets one after the other.
  private var storage: [UInt8] = []
  /// The end of each comment in `storage`.
  private var ends: [Int] = []
  /// Finds numbers by hash. It has a single bucket until there is a comment.
  private var index = HashIndex(buckets: 1)

  /// The number of a comment, and whether it is new; 0 when it has none.
  mutating func number(_ comment: RawSpan) -> (number: UInt16, isNew: Bool) {
    guard comment.byteCount <= CaptureLimits.commentLength else { return (0, false) }
    let hash = comment.unkeyedHash
    let known = index.place(hash, probes: Self.probeCount) { place in
      storage.withOctets { $0.extracting(range(UInt16(place))).hasSameOctets(as: comment) }
    }
    if let known { return (UInt16(known), false) }
    if ends.isEmpty { index = HashIndex(buckets: Self.bucketCount) }
    guard ends.count < CaptureLimits.numberedComments,
      storage.count + comment.byteCount <= CaptureLimits.commentOctets,
      index.insert(ends.count + 1, hash, probes: Self.probeCount)
    else { return (0, false) }
    comment.append(0..<comment.byteCount, to: &storage)
    ends.append(storage.count)
    return (UInt16(ends.count), true)
  }

  /// The octets of a comment.
  func octets(_ number: UInt16) -> [UInt8] { Array(storage[range(number)]) }

  private func range(_ number: UInt16) -> Range<Int> {
    let index = Int(number) - 1
    return (index == 0 ? 0 : ends[index - 1])..<ends[index]
  }
}
