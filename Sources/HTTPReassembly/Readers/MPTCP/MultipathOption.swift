import Packets

/// An option of Multipath TCP (RFC 8684 §3) in a segment.
enum MultipathOption {
  /// A connection begins. The keys are the sender's and the receiver's; the length counts the segment's data.
  case capable(version: UInt8, sender: UInt64?, receiver: UInt64?, length: Int?)
  /// A subflow begins: the receiver's token and the sender's nonce.
  case joinRequest(token: UInt32, nonce: UInt32)
  /// The receiver's answer: the first octets of its code, and its nonce.
  case joinAnswer(code: [UInt8], nonce: UInt32)
  /// The sender's code.
  case joinConfirmation(code: [UInt8])
  case signal(Signal)
  /// The receiver's checksum of octets failed: something on the way changed them.
  case fail
  /// The connection is closed at once.
  case fastClose

  /// The place of octets in the larger streams (RFC 8684 §3.3).
  struct Signal {
    /// A number of the data sequence: all its octets, or the last four.
    struct Number {
      var value: UInt64
      var isLong: Bool
    }

    /// The number after the last octet that the sender received.
    var acknowledgment: Number?
    /// The number of the first octet in the mapping; nil without a mapping.
    var sequence: Number?
    /// The number of that octet in the subflow, counted from 1; 0 for an end without octets.
    var subflowSequence: UInt32 = 0
    /// The number of octets, with one for the end; 0 if all that follows has this distance.
    var length = 0
    /// Whether the stream ends with the mapping.
    var isLast = false
  }

  /// The number of the option.
  private static let kind: UInt8 = 30

  /// Subtypes of the option.
  private enum Subtype {
    static let capable: UInt8 = 0
    static let join: UInt8 = 1
    static let signal: UInt8 = 2
    static let fail: UInt8 = 6
    static let fastClose: UInt8 = 7
  }

  /// The next option in the octets from `offset` to `end`, the end of a TCP header. Moves `offset` behind it.
  static func next(in octets: RawSpan, from offset: inout Int, to end: Int) -> MultipathOption? {
    while offset + 2 <= end, octets.octet(offset) != 0 {
      guard octets.octet(offset) != 1 else {
        offset += 1
        continue
      }
      let (start, length) = (offset, Int(octets.octet(offset + 1)))
      guard length >= 2, start + length <= end else { return nil }
      offset += length
      if octets.octet(start) == kind, length >= 3, let option = read(octets.extracting(start..<start + length)) {
        return option
      }
    }
    return nil
  }

  private static func read(_ option: RawSpan) -> MultipathOption? {
    let length = option.byteCount
    switch (option.octet(2) >> 4, length) {
    case (Subtype.capable, 4): return .capable(version: option.octet(2) & 15, sender: nil, receiver: nil, length: nil)
    case (Subtype.capable, 12):
      return .capable(version: option.octet(2) & 15, sender: option.bigEndian64(4), receiver: nil, length: nil)
    case (Subtype.capable, 20), (Subtype.capable, 22), (Subtype.capable, 24):
      return .capable(
        version: option.octet(2) & 15, sender: option.bigEndian64(4), receiver: option.bigEndian64(12),
        length: length > 20 ? Int(option.bigEndian16(20)) : nil)
    case (Subtype.join, 12): return .joinRequest(token: option.bigEndian32(4), nonce: option.bigEndian32(8))
    case (Subtype.join, 16): return .joinAnswer(code: code(option, 4..<12), nonce: option.bigEndian32(12))
    case (Subtype.join, 24): return .joinConfirmation(code: code(option, 4..<24))
    case (Subtype.signal, 4...): return readSignal(option).map { .signal($0) }
    case (Subtype.fail, 12): return .fail
    case (Subtype.fastClose, 12): return .fastClose
    default: return nil
    }
  }

  private static func code(_ option: RawSpan, _ range: Range<Int>) -> [UInt8] {
    var code: [UInt8] = []
    option.append(range, to: &code)
    return code
  }

  private static func readSignal(_ option: RawSpan) -> Signal? {
    let flags = option.octet(3)
    var signal = Signal()
    var offset = 4
    func number(isLong: Bool) -> Signal.Number? {
      let count = isLong ? 8 : 4
      guard offset + count <= option.byteCount else { return nil }
      defer { offset += count }
      return Signal.Number(
        value: isLong ? option.bigEndian64(offset) : UInt64(option.bigEndian32(offset)), isLong: isLong)
    }
    if flags & 0x01 != 0 {
      guard let acknowledgment = number(isLong: flags & 0x02 != 0) else { return nil }
      signal.acknowledgment = acknowledgment
    }
    guard flags & 0x04 != 0 else { return signal }
    guard let sequence = number(isLong: flags & 0x08 != 0), offset + 6 <= option.byteCount else { return nil }
    signal.sequence = sequence
    signal.subflowSequence = option.bigEndian32(offset)
    signal.length = Int(option.bigEndian16(offset + 4))
    signal.isLast = flags & 0x10 != 0
    return signal
  }
}
