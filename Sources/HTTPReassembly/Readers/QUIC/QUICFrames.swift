/// A frame of QUIC (RFC 9000 §19). It has ranges of the packet's frames, never octets.
package struct QUICFrame {
  package enum Kind {
    /// A frame without a meaning here: PADDING, PING, flow control, tokens, paths, and settings of acknowledgments.
    case other
    case acknowledgment
    case handshake
    case stream
    case resetStream
    case stopSending
    case newConnectionID
    case retireConnectionID
    case close
    /// HANDSHAKE_DONE.
    case done
    case datagram
  }

  package var kind = Kind.other
  /// The stream, or the sequence number of a connection ID.
  package var id: UInt64 = 0
  /// The position of the data in its stream, or the final size of a stream that is reset.
  package var position = 0
  /// The data, or a connection ID.
  package var data = 0..<0
  /// Whether the data ends its stream.
  package var isLast = false

  /// Octets of the token behind a new connection ID (RFC 9000 §19.15).
  static let resetTokenLength = 16
}

/// Reads the frames of an opened packet (RFC 9000 §12.4).
package struct QUICFrames {
  private var offset = 0
  /// Whether only the frames of handshakes may be in the packet: it is an Initial or a Handshake packet.
  let isHandshake: Bool
  /// Whether a frame could not be read, or has an unknown type. Octets behind it are unknown.
  package private(set) var isMalformed = false

  package init(isHandshake: Bool) { self.isHandshake = isHandshake }

  /// The next frame; nil at the end, or behind a frame that could not be read.
  package mutating func next(_ frames: RawSpan) -> QUICFrame? {
    guard !isMalformed, offset < frames.byteCount else { return nil }
    var frame = QUICFrame()
    if read(frames, &frame) { return frame }
    isMalformed = true
    return nil
  }

  private mutating func read(_ frames: RawSpan, _ frame: inout QUICFrame) -> Bool {
    guard let type = frames.variableLengthInteger(&offset) else { return false }
    // Most frames have data of streams.
    if type & ~7 == 8, !isHandshake { return readStream(type, frames, &frame) }
    switch type {
    case 0x00:
      while offset < frames.byteCount, frames.octet(offset) == 0 { offset += 1 }
      return true
    case 0x01: return true
    case 0x02, 0x03:
      frame.kind = .acknowledgment
      return passAcknowledgment(frames, withCounts: type == 0x03)
    case 0x06:
      frame.kind = .handshake
      return position(frames, &frame) && data(frames, &frame)
    case 0x1c:
      frame.kind = .close
      return pass(2, frames) && data(frames, &frame)
    default: return !isHandshake && readOther(type, frames, &frame)
    }
  }

  private mutating func readOther(_ type: Int, _ frames: RawSpan, _ frame: inout QUICFrame) -> Bool {
    switch type {
    case 0x04, 0x24:
      // RESET_STREAM_AT has a reliable size in addition (draft-ietf-quic-reliable-stream-reset).
      frame.kind = type == 0x04 ? .resetStream : .other
      return identifier(frames, &frame) && pass(1, frames) && position(frames, &frame)
        && (type == 0x04 || pass(1, frames))
    case 0x05:
      frame.kind = .stopSending
      return identifier(frames, &frame) && pass(1, frames)
    case 0x07: return data(frames, &frame)
    case 0x10, 0x12, 0x13, 0x14, 0x16, 0x17: return pass(1, frames)
    case 0x11, 0x15: return pass(2, frames)
    case 0x18:
      frame.kind = .newConnectionID
      guard identifier(frames, &frame), pass(1, frames), offset < frames.byteCount else { return false }
      let count = Int(frames.octet(offset))
      guard 1...QUICConnectionID.limit ~= count, count + 1 + QUICFrame.resetTokenLength <= frames.byteCount - offset
      else { return false }
      frame.data = offset + 1..<offset + 1 + count
      offset += count + 1 + QUICFrame.resetTokenLength
      return true
    case 0x19:
      frame.kind = .retireConnectionID
      return identifier(frames, &frame)
    case 0x1a, 0x1b:
      offset += 8
      return offset <= frames.byteCount
    case 0x1d:
      frame.kind = .close
      return pass(1, frames) && data(frames, &frame)
    case 0x1e:
      frame.kind = .done
      return true
    case 0x1f, 0xac: return true  // IMMEDIATE_ACK, by draft-ietf-quic-ack-frequency and its older versions.
    case 0x30:
      frame.kind = .datagram
      frame.data = offset..<frames.byteCount
      offset = frames.byteCount
      return true
    case 0x31:
      frame.kind = .datagram
      return data(frames, &frame)
    case 0xaf: return pass(4, frames)  // ACK_FREQUENCY.
    default: return false
    }
  }

  private mutating func readStream(_ type: Int, _ frames: RawSpan, _ frame: inout QUICFrame) -> Bool {
    frame.kind = .stream
    frame.isLast = type & 1 != 0
    guard identifier(frames, &frame), type & 4 == 0 || position(frames, &frame) else { return false }
    if type & 2 == 0 {
      frame.data = offset..<frames.byteCount
      offset = frames.byteCount
    } else if !data(frames, &frame) {
      return false
    }
    // A stream has at most 2⁶² - 1 octets (RFC 9000 §4.5).
    return frame.position <= (1 << 62) - 1 - frame.data.count
  }

  // MARK: Fields

  private mutating func identifier(_ frames: RawSpan, _ frame: inout QUICFrame) -> Bool {
    guard let id = frames.variableLengthInteger(&offset) else { return false }
    frame.id = UInt64(id)
    return true
  }

  private mutating func position(_ frames: RawSpan, _ frame: inout QUICFrame) -> Bool {
    guard let position = frames.variableLengthInteger(&offset) else { return false }
    frame.position = position
    return true
  }

  /// Reads a length and as many octets.
  private mutating func data(_ frames: RawSpan, _ frame: inout QUICFrame) -> Bool {
    guard let length = frames.variableLengthInteger(&offset), length <= frames.byteCount - offset else { return false }
    frame.data = offset..<offset + length
    offset += length
    return true
  }

  private mutating func pass(_ count: Int, _ frames: RawSpan) -> Bool {
    for _ in 0..<count where frames.variableLengthInteger(&offset) == nil { return false }
    return true
  }

  private mutating func passAcknowledgment(_ frames: RawSpan, withCounts: Bool) -> Bool {
    guard pass(2, frames), let ranges = frames.variableLengthInteger(&offset), pass(1, frames) else { return false }
    // Each further range has two numbers. A hostile count ends with the octets.
    var left = ranges
    while left > 0 {
      guard pass(2, frames) else { return false }
      left -= 1
    }
    return !withCounts || pass(3, frames)
  }
}
