/// The most recently delivered payload of all connections. A retransmission is compared with it.
///
/// It is a ring of fixed size. Each stream's records form a chain from the newest backwards. An overwritten record ends
/// its chain. Retransmissions come soon or never, so the ring has to cover a moment, not a capture.
///
/// If the capture can be read again, only the payload's offset in it is kept. Copying every octet took a quarter of the
/// time of a large download. Such payload still takes its room in the ring. The comparable octets therefore do not
/// depend on the source of the capture.
struct PayloadHistory {
  /// A position in the ring that never wraps; 0 stands for none.
  typealias Mark = Int

  private struct Record {
    var position: StreamPosition
    var previous: Mark
    /// The start of its octets in the ring, as a mark.
    var octets: Mark
    var length: Int32
    /// The capture that has the octets instead, if `isElsewhere`.
    var capture: Int32
    var base: Int

    var isElsewhere: Bool { base != .min }
  }

  /// Records checked for one retransmission: a window of small segments.
  private static let chainLimit = 128

  /// Octets of the ring, a power of two.
  private let capacity: Int
  /// The ring; empty until the first copy.
  private var ring: [UInt8] = []
  private var records: [Record]
  private var nextOctet: Mark = 0
  private var nextRecord: Mark = 1
  /// Reads octets that are not in the ring. If nil, all octets are in the ring.
  var captured: (any CapturedOctets)?
  /// The octets that were read again.
  private var again: [UInt8] = []

  /// Makes a history of `capacity` octets, rounded up to a power of two.
  init(capacity: Int) {
    var size = 1 << 12
    while size < capacity { size <<= 1 }
    self.capacity = size
    // One record for each 256 octets. Smaller segments shorten the history, but do not need more memory.
    records = Array(
      repeating: Record(position: 0, previous: 0, octets: 0, length: 0, capture: 0, base: .min), count: size / 256)
  }

  /// Remembers delivered octets of the stream whose newest record is `newest`.
  ///
  /// `source` is their offset in a capture that can be read again.
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

  /// Whether `octets`, sent again at `position`, differ from the stream's remembered octets.
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
