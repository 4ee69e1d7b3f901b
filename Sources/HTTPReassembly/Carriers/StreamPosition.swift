/// A position in a TCP stream: a signed 64-bit count of octets from the first octet of data.
///
/// Sequence numbers wrap at 2³²; positions do not. Position 0 is the octet after the SYN. If the capture starts in
/// mid-stream, it is the first sequence number that was seen. Earlier octets have negative positions.
package typealias StreamPosition = Int

extension StreamPosition {
  /// No position.
  static let unknown = Int.min
  /// A position beyond all others.
  static let never = Int.max
}

/// The numbering of one direction's octets.
struct SequenceSpace {
  private var origin: UInt32 = 0
  /// Whether a sequence number of this direction is known yet.
  private(set) var isKnown = false

  /// Makes `sequence` position 0, if no sequence number was known before.
  @inline(__always)
  mutating func learn(_ sequence: UInt32) {
    guard !isKnown else { return }
    origin = sequence
    isKnown = true
  }

  /// The position of a sequence number. Of all possible positions, it is the nearest one to `reference`
  /// (RFC 9293 §3.4: comparison modulo 2³²).
  @inline(__always)
  func position(of sequence: UInt32, near reference: StreamPosition) -> StreamPosition {
    let expected = origin &+ UInt32(truncatingIfNeeded: reference)
    return reference + Int(Int32(bitPattern: sequence &- expected))
  }
}
