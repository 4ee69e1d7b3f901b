/// Where a packet's octets are in a capture that can be read again.
public struct CaptureOffset: Sendable, Equatable {
  /// Number of the capture among those that `CapturedOctets` reads.
  public var capture: Int32
  /// Offset of the packet's first octet in it.
  public var offset: Int

  /// An offset in a capture.
  @inlinable
  public init(capture: Int32, offset: Int) {
    self.capture = capture
    self.offset = offset
  }
}

/// Reads octets of captures again.
public protocol CapturedOctets: AnyObject {
  /// Puts the `count` octets from `source` on at the start of `buffer`, which is made longer if need be. False when they
  /// cannot be read any more.
  func read(_ count: Int, from source: CaptureOffset, into buffer: inout [UInt8]) -> Bool
}
