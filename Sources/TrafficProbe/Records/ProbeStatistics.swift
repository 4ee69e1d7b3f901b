/// The probe's counts of its own work.
public struct ProbeStatistics: Sendable, Equatable {
  /// Records of exchanges that ended. A pending request counts when it is complete.
  public var recorded = 0
  /// Records written to the store.
  public var written = 0
  /// Records lost because the buffer was full.
  public var droppedByBuffer = 0
  /// Records lost because the store could not be written.
  public var droppedByStore = 0
  /// Records in the buffer.
  public var waiting = 0
  /// Rows that the server of the upload has accepted.
  public var uploaded = 0
  /// The last error of the store, the switch or the upload; nil if none ever failed.
  public var lastError: String?

  /// Records lost, for any reason.
  public var dropped: Int { droppedByBuffer + droppedByStore }
}
