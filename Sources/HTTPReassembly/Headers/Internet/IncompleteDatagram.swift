/// An IP datagram with missing fragments. Offsets count octets of its payload.
struct IncompleteDatagram {
  /// The fields that tell datagrams apart.
  struct Key: Hashable {
    var source: IPAddress
    var destination: IPAddress
    var identification: UInt32
    /// 0 for IPv6, which tells datagrams apart without it (RFC 8200 §4.5).
    var protocolNumber: UInt8
    var isIPv6: Bool
    /// Whether the fragments are of CAPWAP.
    var isFrame = false
  }

  /// A run of new octets that came in one fragment.
  private struct Piece {
    var start: Int
    var end: Int
    /// The number of captured octets from `start`.
    var captured: Int
    /// The position of the captured octets in `octets`.
    var position: Int
  }

  let key: Key
  /// The capture time of the first fragment that came.
  let firstTime: Int64
  /// The fragment at offset 0, or the first one that came.
  var leading: Fragment
  /// The number of fragments that came.
  var fragments = 0
  /// The payload's length, once the last fragment came.
  var length: Int?
  /// Octets of the fragments' IP headers.
  var networkLength = 0
  /// Octets of other headers before the fragments: those of UDP and CAPWAP.
  var tunnelLength = 0
  /// The next older datagram and the next newer one: slots of the reassembler.
  var older: Int?
  var newer: Int?
  /// Octets of all pieces, captured or not.
  private(set) var received = 0
  /// Captured octets of the pieces, in order of arrival.
  private var octets: [UInt8] = []
  /// The pieces in order of their offsets; they do not overlap.
  private var pieces: [Piece] = []

  init(key: Key, firstTime: Int64, leading: Fragment, older: Int?) {
    self.key = key
    self.firstTime = firstTime
    self.leading = leading
    self.older = older
  }

  /// Octets that the datagram occupies.
  var cost: Int { octets.count + pieces.count * MemoryLayout<Piece>.stride }

  /// Whether every octet has come.
  var isComplete: Bool { received == length }

  /// Whether a fragment that ends at `end` agrees with the length, as far as it is known.
  func accepts(end: Int, isLast: Bool) -> Bool {
    if let length { return isLast ? end == length : end <= length }
    return !isLast || end >= pieces.last?.end ?? 0
  }

  /// Adds the new octets of a fragment at `range`. Its captured octets are `payload`.
  mutating func insert(
    _ range: Range<Int>, _ payload: RawSpan
  ) -> (newOctets: Int, hasOverlap: Bool, hasConflict: Bool) {
    let receivedBefore = received
    var hasOverlap = false
    var hasConflict = false
    var position = range.lowerBound
    var index = firstPiece(endingBehind: position)
    while position < range.upperBound {
      let gapEnd = index < pieces.count ? min(pieces[index].start, range.upperBound) : range.upperBound
      if position < gapEnd {
        let captured =
          min(position - range.lowerBound, payload.byteCount)..<min(gapEnd - range.lowerBound, payload.byteCount)
        pieces.insert(
          Piece(start: position, end: gapEnd, captured: captured.count, position: octets.count), at: index)
        payload.append(captured, to: &octets)
        received += gapEnd - position
        position = gapEnd
      } else {
        let piece = pieces[index]
        let overlapEnd = min(piece.end, range.upperBound)
        hasOverlap = true
        // Only octets that were captured in both can differ.
        let comparedEnd = min(overlapEnd, piece.start + piece.captured, range.lowerBound + payload.byteCount)
        while position < comparedEnd, !hasConflict {
          hasConflict = payload.octet(position - range.lowerBound) != octets[piece.position + position - piece.start]
          position += 1
        }
        position = overlapEnd
      }
      index += 1
    }
    return (received - receivedBefore, hasOverlap, hasConflict)
  }

  /// The index of the first piece that ends behind `position`.
  private func firstPiece(endingBehind position: Int) -> Int {
    var low = 0
    var high = pieces.count
    while low < high {
      let middle = (low + high) / 2
      if pieces[middle].end <= position { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The complete datagram.
  func reassembled() -> ReassembledDatagram {
    var ordered: [UInt8] = []
    ordered.reserveCapacity(octets.count)
    for piece in pieces {
      ordered += octets[piece.position..<piece.position + piece.captured]
      // Octets behind a gap would stand at wrong offsets.
      if piece.captured < piece.end - piece.start { break }
    }
    return ReassembledDatagram(
      source: key.source, destination: key.destination, isIPv6: key.isIPv6, protocolNumber: leading.protocolNumber,
      frame: leading.frame, length: received, octets: ordered, networkLength: networkLength, tunnelLength: tunnelLength)
  }
}
