/// Positions in a TCP stream: octets from the first octet of data, as a signed 64-bit integer.
///
/// Sequence numbers wrap at 2³²; positions do not. Position 0 is the octet after the SYN, or, when the capture
/// starts in mid-stream, the first sequence number that was seen. Octets sent before that are negative.
package typealias StreamPosition = Int

extension StreamPosition {
  /// No such position.
  static let unknown = Int.min
  /// Beyond every position.
  static let never = Int.max
}

/// The numbering of one direction's octets.
struct SequenceSpace {
  private var origin: UInt32 = 0
  /// Whether any sequence number of this direction is known yet.
  private(set) var isKnown = false

  /// Makes `sequence` position 0, if no sequence number was known before.
  @inline(__always)
  mutating func learn(_ sequence: UInt32) {
    guard !isKnown else { return }
    origin = sequence
    isKnown = true
  }

  /// The position of a sequence number: of all positions it could be, the one nearest to `reference`
  /// (RFC 9293 §3.4: comparison modulo 2³²).
  @inline(__always)
  func position(of sequence: UInt32, near reference: StreamPosition) -> StreamPosition {
    let expected = origin &+ UInt32(truncatingIfNeeded: reference)
    return reference + Int(Int32(bitPattern: sequence &- expected))
  }
}
