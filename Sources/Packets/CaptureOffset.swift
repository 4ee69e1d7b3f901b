/// The place of a packet's octets in a capture that can be read again.
public struct CaptureOffset: Sendable, Equatable {
  /// Number of the capture among those that `CapturedOctets` reads.
  public var capture: Int32
  /// Offset of the packet's first octet in the capture.
  public var offset: Int

  /// Creates an offset in a capture.
  @inlinable
  public init(capture: Int32, offset: Int) {
    self.capture = capture
    self.offset = offset
  }
}

/// Reads octets of captures again.
public protocol CapturedOctets: AnyObject {
  /// Writes the `count` octets from `source` on to the start of `buffer`, which grows if necessary. Returns false if they cannot be read
  /// any more.
  func read(_ count: Int, from source: CaptureOffset, into buffer: inout [UInt8]) -> Bool
}
