/// How a capture that goes on is doing, beyond what its packets contained.
///
/// The counts are since the start of the capture and only grow, `connections`, `pending` and `queueOctets` excepted,
/// which say how it is now.
public struct CaptureHealth: Sendable, Equatable {
  /// Packets captured.
  public var packets = 0
  /// Octets of those packets, in their original length.
  public var octets = 0
  /// Packets that were lost before the analysis: by the kernel, by an interface, or by a queue that was full.
  public var dropped = 0
  /// Connections that are being followed.
  public var connections = 0
  /// Octets that were read and have no class yet (`Ledger.pending`).
  public var pending = 0
  /// The interfaces that are captured on, by name.
  public var interfaces: [String] = []
  /// Octets that were captured and wait for the analysis; nil when nobody counts them.
  public var queueOctets: Int?

  /// Describes a capture.
  public init(
    packets: Int = 0, octets: Int = 0, dropped: Int = 0, connections: Int = 0, pending: Int = 0,
    interfaces: [String] = [], queueOctets: Int? = nil
  ) {
    self.packets = packets
    self.octets = octets
    self.dropped = dropped
    self.connections = connections
    self.pending = pending
    self.interfaces = interfaces
    self.queueOctets = queueOctets
  }
}
