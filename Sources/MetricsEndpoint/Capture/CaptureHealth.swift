/// How a live capture is doing, beside what its totals say.
public struct CaptureHealth: Sendable, Equatable {
  /// Packets that the operating system dropped because its ring was full, since the start.
  public var droppedByKernel = 0
  /// Packets that the interface or its driver dropped, since the start.
  public var droppedByInterface = 0
  /// Packets that the program dropped because the analysis had fallen behind by the whole queue, since the start.
  public var droppedByQueue = 0
  /// Connections that are being followed now.
  public var connections = 0

  /// A capture that has not seen anything.
  public init() {}
}
