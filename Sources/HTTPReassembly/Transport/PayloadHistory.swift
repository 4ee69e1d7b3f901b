/// The payload most recently delivered, of all connections together, so that a retransmission can be compared
/// with what was captured first.
///
/// A ring of fixed size: records are chained per stream from the newest backwards, and a record that has been
/// overwritten ends its chain. A retransmission is soon or never, so the ring has to cover a moment, not a capture.
struct PayloadHistory {
  /// A place in the ring that never wraps; 0 is none.
  typealias Mark = Int

  private struct Record {
    var position: StreamPosition
    var length: Int
    var previous: Mark
    /// Where its octets start in the ring, as a mark.
    var octets: Mark
  }

  /// Records looked at for one retransmission: a window of small segments.
  private static let chainLimit = 128

  private var ring: [UInt8]
  private var records: [Record]
  private var nextOctet: Mark = 0
  private var nextRecord: Mark = 1

  /// Makes a history of `capacity` octets, rounded up to a power of two.
  init(capacity: Int) {
    var size = 1 << 12
    while size < capacity { size <<= 1 }
    ring = Array(repeating: 0, count: size)
    // One record for each 256 octets: smaller segments shorten the history instead of growing the memory.
    records = Array(repeating: Record(position: 0, length: 0, previous: 0, octets: 0), count: size / 256)
  }

  /// Remembers delivered octets of the stream whose newest record is `newest`.
  mutating func remember(_ octets: RawSpan, at position: StreamPosition, newest: inout Mark) {
    let length = octets.byteCount
    guard length > 0, length <= ring.count / 2 else { return }
    let mask = ring.count - 1
    let start = nextOctet & mask
    let first = min(length, ring.count - start)
    octets.copy(0..<first, to: &ring, at: start)
    if first < length { octets.copy(first..<length, to: &ring, at: 0) }
    records[nextRecord & (records.count - 1)] = Record(
      position: position, length: length, previous: newest, octets: nextOctet)
    newest = nextRecord
    nextOctet += length
    nextRecord += 1
  }

  /// Whether `octets`, sent again at `position`, differ from what is remembered of the stream.
  func differs(_ octets: RawSpan, at position: StreamPosition, newest: Mark) -> Bool {
    var mark = newest
    let end = position + octets.byteCount
    for _ in 0..<Self.chainLimit {
      guard mark > 0, mark > nextRecord - records.count - 1 else { return false }
      let record = records[mark & (records.count - 1)]
      guard record.octets + ring.count >= nextOctet else { return false }
      let from = max(position, record.position)
      let to = min(end, record.position + record.length)
      if from < to {
        let place = record.octets + (from - record.position)
        for offset in 0..<(to - from)
        where ring[(place + offset) & (ring.count - 1)] != octets.octet(from - position + offset) {
          return true
        }
      }
      guard record.position > position else { return false }
      mark = record.previous
    }
    return false
  }
}
