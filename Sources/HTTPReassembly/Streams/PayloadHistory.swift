/// The payload most recently delivered, of all connections together, so that a retransmission can be compared
/// with what was captured first.
///
/// A ring of fixed size: records are chained per stream from the newest backwards, and a record that has been
/// overwritten ends its chain. A retransmission is soon or never, so the ring has to cover a moment, not a capture.
///
/// Of payload that its capture still has, only the offset in it is kept, and read again when it comes to that: copying every
/// octet was a quarter of the time of a large download. It takes its room in the ring all the same, so that what can be
/// compared does not depend on where a capture comes from.
struct PayloadHistory {
  /// A position in the ring that never wraps; 0 is none.
  typealias Mark = Int

  private struct Record {
    var position: StreamPosition
    var previous: Mark
    /// Where its octets start in the ring, as a mark.
    var octets: Mark
    var length: Int32
    /// Where they are instead, if `isElsewhere`.
    var capture: Int32
    var base: Int

    var isElsewhere: Bool { base != .min }
  }

  /// Records looked at for one retransmission: a window of small segments.
  private static let chainLimit = 128

  /// Octets of the ring: a power of two.
  private let capacity: Int
  /// Empty until something is copied to it.
  private var ring: [UInt8] = []
  private var records: [Record]
  private var nextOctet: Mark = 0
  private var nextRecord: Mark = 1
  /// Reads what is not in the ring; without it everything is.
  var captured: (any CapturedOctets)?
  /// What was read again.
  private var again: [UInt8] = []

  /// Makes a history of `capacity` octets, rounded up to a power of two.
  init(capacity: Int) {
    var size = 1 << 12
    while size < capacity { size <<= 1 }
    self.capacity = size
    // One record for each 256 octets: smaller segments shorten the history instead of growing the memory.
    records = Array(
      repeating: Record(position: 0, previous: 0, octets: 0, length: 0, capture: 0, base: .min), count: size / 256)
  }

  /// Remembers delivered octets of the stream whose newest record is `newest`; `source` is where they are in a capture that can be
  /// read again.
  @inline(__always)
  mutating func remember(_ octets: RawSpan, at position: StreamPosition, source: CaptureOffset?, newest: inout Mark) {
    let length = octets.byteCount
    guard length > 0, length <= capacity / 2 else { return }
    var record = Record(
      position: position, previous: newest, octets: nextOctet, length: Int32(length), capture: 0, base: .min)
    if let source, captured != nil {
      record.capture = source.capture
      record.base = source.offset - position
    } else {
      copy(octets)
    }
    records[nextRecord & (records.count - 1)] = record
    newest = nextRecord
    nextOctet += length
    nextRecord += 1
  }

  private mutating func copy(_ octets: RawSpan) {
    if ring.isEmpty { ring = Array(repeating: 0, count: capacity) }
    let start = nextOctet & (capacity - 1)
    let first = min(octets.byteCount, capacity - start)
    octets.copy(0..<first, to: &ring, at: start)
    octets.copy(first..<octets.byteCount, to: &ring, at: 0)
  }

  /// Whether `octets`, sent again at `position`, differ from what is remembered of the stream.
  mutating func differs(_ octets: RawSpan, at position: StreamPosition, newest: Mark) -> Bool {
    var mark = newest
    let end = position + octets.byteCount
    for _ in 0..<Self.chainLimit {
      guard mark > 0, mark > nextRecord - records.count - 1 else { return false }
      let record = records[mark & (records.count - 1)]
      guard record.octets + capacity >= nextOctet else { return false }
      let from = max(position, record.position)
      let to = min(end, record.position + Int(record.length))
      if from < to, differs(octets.extracting(from - position..<to - position), from: record, at: from) { return true }
      guard record.position > position else { return false }
      mark = record.previous
    }
    return false
  }

  private mutating func differs(_ octets: RawSpan, from record: Record, at position: StreamPosition) -> Bool {
    let count = octets.byteCount
    if record.isElsewhere {
      let source = CaptureOffset(capture: record.capture, offset: record.base + position)
      guard captured?.read(count, from: source, into: &again) == true else { return false }
      return again.withOctets { !octets.hasSameOctets(at: 0, as: $0, at: 0, count: count) }
    }
    let start = record.octets + (position - record.position)
    for offset in 0..<count where ring[(start + offset) & (capacity - 1)] != octets.octet(offset) { return true }
    return false
  }
}
