/// The handshake octets of CRYPTO frames (RFC 9000 §19.6), in order and up to a limit.
///
/// The frames come in any order, and more than once.
struct HandshakeOctets {
  private(set) var octets: [UInt8] = []
  /// The ranges of `octets` that have come, in ascending order and separate.
  private var known: [Range<Int>] = []
  /// The number of remembered ranges. A first flight has three or four packets.
  static let pieceLimit = 64

  /// The number of known octets from the start.
  var count: Int { known.first?.lowerBound == 0 ? known[0].upperBound : 0 }

  /// Octets of its memory.
  var memory: Int { octets.capacity + known.capacity * MemoryLayout<Range<Int>>.stride }

  /// Takes the octets in `range`, which belong at `position`. Octets beyond `limit` are omitted.
  ///
  /// Returns whether more of the start is known than before.
  mutating func take(_ frames: RawSpan, _ range: Range<Int>, at position: Int, limit: Int) -> Bool {
    guard position < limit, !range.isEmpty else { return false }
    let end = min(position + range.count, limit)
    if octets.count < end { octets.append(contentsOf: repeatElement(0, count: end - octets.count)) }
    let before = count
    // The first copy stays. A different copy that comes later changes nothing.
    var from = position
    for piece in known where piece.upperBound > from && piece.lowerBound < end {
      if piece.lowerBound > from { copy(frames, range, position, from..<piece.lowerBound) }
      from = max(from, piece.upperBound)
    }
    if from < end { copy(frames, range, position, from..<end) }
    insert(position..<end)
    return count > before
  }

  private mutating func copy(_ frames: RawSpan, _ range: Range<Int>, _ position: Int, _ part: Range<Int>) {
    let start = range.lowerBound + part.lowerBound - position
    frames.copy(start..<start + part.count, to: &octets, at: part.lowerBound)
  }

  private mutating func insert(_ part: Range<Int>) {
    var merged = part
    var rest: [Range<Int>] = []
    for piece in known {
      if piece.upperBound < merged.lowerBound || piece.lowerBound > merged.upperBound {
        rest.append(piece)
      } else {
        merged = min(piece.lowerBound, merged.lowerBound)..<max(piece.upperBound, merged.upperBound)
      }
    }
    guard rest.count < Self.pieceLimit else { return }
    rest.append(merged)
    known = rest.sorted { $0.lowerBound < $1.lowerBound }
  }
}
