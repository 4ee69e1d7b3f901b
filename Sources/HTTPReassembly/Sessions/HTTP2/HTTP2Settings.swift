/// The settings of a side that say how the other side's octets are to be read (RFC 9113 §6.5.2), as they come and as they are
/// acknowledged.
struct HTTP2Settings {
  /// One SETTINGS frame: what of it matters.
  struct Frame {
    /// Octets that the other side's dynamic table may have.
    var tableSize: Int?
    /// Octets of payload that its frames may have.
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

  /// Frames that are not acknowledged, the oldest first.
  private var pending: [Frame] = []
  /// The frame that is being read, and its parameter that is.
  private var current = Frame()
  private var parameter: UInt64 = 0
  private var collected = 0
  /// The largest payload of the other side's frames that was ever allowed, in octets.
  private(set) var largestFrame = smallestFrameLimit

  /// RFC 9113 §4.2: what every receiver takes.
  static let smallestFrameLimit = 1 << 14
  /// RFC 9113 §6.5.2: the largest that can be asked for.
  static let largestFrameLimit = 1 << 24 - 1

  /// Octets of memory that it takes on the heap.
  var memory: Int { pending.capacity * MemoryLayout<Frame>.stride }

  /// A SETTINGS frame starts.
  mutating func begin() {
    current = Frame()
    collected = 0
    parameter = 0
  }

  /// Octets of its payload.
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

  /// The frame is complete. Returns what it says, and what has to count as acknowledged because too much waits.
  mutating func finish(limit: Int) -> (announced: Frame, overdue: Frame?) {
    if let size = current.frameSize { largestFrame = max(largestFrame, min(size, Self.largestFrameLimit)) }
    pending.append(current)
    return (current, pending.count > limit ? pending.removeFirst() : nil)
  }

  /// The other side acknowledges the oldest frame that waits; nil when none does.
  mutating func acknowledge() -> Frame? { pending.isEmpty ? nil : pending.removeFirst() }
}
