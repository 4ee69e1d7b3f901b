/// The health of a live capture.
public struct CaptureHealth: Sendable, Equatable {
  /// Packets that the operating system dropped because its ring was full, since the start.
  public var droppedByKernel = 0
  /// Packets that the interface or its driver dropped, since the start.
  public var droppedByInterface = 0
  /// Packets that the program did not analyze because the analysis had fallen behind too far, since the start.
  public var droppedByQueue = 0
  /// Connections that are followed now.
  public var connections = 0
  /// The age of the packets that are analyzed now, in seconds; 0 if none wait.
  public var delay = 0.0

  /// A capture without packets.
  public init() {}
}
