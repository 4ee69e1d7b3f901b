/// The frames of one Initial packet (RFC 9000 §12.4, table 3). Few types may be in it.
struct InitialFrames {
  /// Octets of the handshake: their ranges among the frames, and their positions in the stream of handshake octets.
  private(set) var handshake: [(range: Range<Int>, position: Int)] = []
  /// Whether a frame closes the connection.
  private(set) var closes = false
  /// Whether a frame could not be read. Octets behind it are unknown.
  private(set) var isMalformed = false

  /// The number of handshake octets in all frames.
  var handshakeLength: Int { handshake.reduce(0) { $0 + $1.range.count } }

  /// Reads the frames of a packet.
  init(_ frames: RawSpan) {
    var offset = 0
    while offset < frames.byteCount, !isMalformed {
      let type = frames.octet(offset)
      offset += 1
      switch type {
      case 0x00, 0x01: break  // PADDING, PING
      case 0x02, 0x03: isMalformed = !Self.passAcknowledgment(frames, &offset, withCounts: type == 0x03)
      case 0x06: isMalformed = !readHandshake(frames, &offset)
      case 0x1c:
        closes = true
        isMalformed = !Self.passClose(frames, &offset)
      default: isMalformed = true
      }
    }
  }

  private mutating func readHandshake(_ frames: RawSpan, _ offset: inout Int) -> Bool {
    guard let position = frames.variableLengthInteger(&offset), let length = frames.variableLengthInteger(&offset),
      length <= frames.byteCount - offset
    else { return false }
    handshake.append((offset..<offset + length, position))
    offset += length
    return true
  }

  private static func passAcknowledgment(_ frames: RawSpan, _ offset: inout Int, withCounts: Bool) -> Bool {
    guard frames.variableLengthInteger(&offset) != nil, frames.variableLengthInteger(&offset) != nil,
      let ranges = frames.variableLengthInteger(&offset), frames.variableLengthInteger(&offset) != nil
    else { return false }
    // Each further range has two numbers. A hostile count ends with the octets.
    var left = ranges
    while left > 0 {
      guard frames.variableLengthInteger(&offset) != nil, frames.variableLengthInteger(&offset) != nil
      else { return false }
      left -= 1
    }
    guard withCounts else { return true }
    for _ in 0..<3 where frames.variableLengthInteger(&offset) == nil { return false }
    return true
  }

  private static func passClose(_ frames: RawSpan, _ offset: inout Int) -> Bool {
    guard frames.variableLengthInteger(&offset) != nil, frames.variableLengthInteger(&offset) != nil,
      let reason = frames.variableLengthInteger(&offset), reason <= frames.byteCount - offset
    else { return false }
    offset += reason
    return true
  }
}
