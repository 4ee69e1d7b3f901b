/// The preface that a client sends before its first frame (RFC 9113 §3.4).
enum HTTP2Preface {
  /// `PRI * HTTP/2.0`, an empty line, `SM`, and another empty line.
  static let text: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
  /// The number of its octets.
  static let length = 24

  /// Whether octets start with the whole preface.
  static func starts(_ octets: RawSpan) -> Bool { octets.byteCount >= length && matches(octets) }

  /// Whether octets match the preface from `offset` on, as far as both reach.
  static func matches(_ octets: RawSpan, from offset: Int = 0) -> Bool {
    for index in 0..<min(octets.byteCount, length - offset) where octets.octet(index) != text.octet(offset + index) {
      return false
    }
    return true
  }
}

/// The state that HTTP/1 passes to HTTP/2 on its connection (RFC 7540 §3.2).
///
/// The request is stream 1, and its response comes there.
struct HTTP2Upgrade {
  /// The row of the exchange.
  var exchange: RowIndex
  /// The side that sends requests.
  var requestSide: Side
  /// The side that final messages called the client.
  var namedClient: Side?
  /// The size in octets of the dynamic table that the request allows the server; nil if not given.
  var tableSize: Int?
  /// Octets of the gap in which the answer was lost; nil if it was seen.
  var lostAnswer: Int?
}

/// The settings of a side that control how the other side's octets are read (RFC 9113 §6.5.2).
///
/// They are kept as they come and as they are acknowledged.
struct HTTP2Settings {
  /// The relevant settings of one SETTINGS frame.
  struct Frame {
    /// The maximum number of octets of the other side's dynamic table.
    var tableSize: Int?
    /// The maximum number of payload octets of the other side's frames.
    var frameSize: Int?

    /// Takes a parameter.
    mutating func set(_ identifier: UInt16, _ value: UInt32) {
      switch identifier {
      case 1: tableSize = Int(value)
      case 5: frameSize = Int(value)
      default: break
      }
    }
  }

  /// Unacknowledged frames, the oldest first.
  private var pending: [Frame] = []
  /// The current frame and its current parameter.
  private var current = Frame()
  private var parameter: UInt64 = 0
  private var collected = 0
  /// The largest payload ever allowed for the other side's frames, in octets.
  private(set) var largestFrame = smallestFrameLimit

  /// RFC 9113 §4.2: every receiver takes at least this size.
  static let smallestFrameLimit = 1 << 14
  /// RFC 9113 §6.5.2: the largest size that can be requested.
  static let largestFrameLimit = 1 << 24 - 1

  /// Octets of memory on the heap.
  var memory: Int { pending.capacity * MemoryLayout<Frame>.stride }

  /// Begins a SETTINGS frame.
  mutating func begin() {
    current = Frame()
    collected = 0
    parameter = 0
  }

  /// Takes octets of its payload.
  mutating func take(_ octets: RawSpan) {
    for offset in 0..<octets.byteCount {
      parameter = parameter << 8 | UInt64(octets.octet(offset))
      collected += 1
      guard collected == 6 else { continue }
      current.set(UInt16(truncatingIfNeeded: parameter >> 32), UInt32(truncatingIfNeeded: parameter))
      collected = 0
      parameter = 0
    }
  }

  /// Ends the frame. Returns its settings, and settings that count as acknowledged because too many wait.
  mutating func finish(limit: Int) -> (announced: Frame, overdue: Frame?) {
    if let size = current.frameSize { largestFrame = max(largestFrame, min(size, Self.largestFrameLimit)) }
    pending.append(current)
    return (current, pending.count > limit ? pending.removeFirst() : nil)
  }

  /// Takes the other side's acknowledgment. Returns the oldest waiting frame; nil without one.
  mutating func acknowledge() -> Frame? { pending.isEmpty ? nil : pending.removeFirst() }
}
