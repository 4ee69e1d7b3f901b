/// How a reader waits for octets that are not there yet.
public struct Waiting: Sendable {
  /// Ends every wait; nil: only who writes does.
  public var stop: ReadingStop?
  /// Whether the end of a file is only where its writer has come to.
  public var follows: Bool
  /// For how long a file that is followed may stay as it is before that is its end after all; nil: for ever.
  public var patience: Duration?

  /// By default what is not there is not waited for, except from pipes.
  public init(stop: ReadingStop? = nil, follows: Bool = false, patience: Duration? = nil) {
    self.stop = stop
    self.follows = follows
    self.patience = patience
  }

  /// Milliseconds between two looks at a file, and at the stop: short for a person, long for a processor.
  static let interval: Int32 = 100

  var isStopped: Bool { stop?.isRequested ?? false }
}
