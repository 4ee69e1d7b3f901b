/// How a live capture is doing, beside what it has counted. All figures are since its start, unless they say otherwise.
public struct CaptureHealth: Sendable, Equatable {
  /// Packets that reached the program, those that its queue dropped included.
  public var packets = 0
  /// Octets of the packets that were analyzed, as they were on the wire.
  public var octets = 0
  /// Packets that the operating system dropped because its ring was full.
  public var droppedByKernel = 0
  /// Packets that the interface or its driver dropped.
  public var droppedByInterface = 0
  /// Packets that the program dropped because the analysis had fallen behind by the whole queue.
  public var droppedByQueue = 0
  /// Connections that are being followed now.
  public var connections = 0
  /// Octets that have been read and are in no class yet, now.
  public var pendingOctets = 0

  /// A capture that has not seen anything.
  public init() {}
}
