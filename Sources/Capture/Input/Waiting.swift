import Synchronization
import SystemPackage

/// Ends the reading of captures, from any thread and any number of times.
public final class ReadingStop: Sendable {
  private let request = Atomic<Bool>(false)

  /// Makes a stop that nobody has called yet.
  public init() {}

  /// Makes readers end where they are, within a few tenths of a second. They hand over the packets that they have
  /// already; a packet of which they have only a part is no damage.
  public func callAsFunction() { request.store(true, ordering: .releasing) }

  /// Whether the stop was called.
  public var isRequested: Bool { request.load(ordering: .acquiring) }
}

/// How a reader waits for octets that are not there yet.
public struct Waiting: Sendable {
  /// Ends every wait; nil if only the writer does.
  public var stop: ReadingStop?
  /// Whether to wait at the end of a file for what its writer adds.
  public var follows: Bool
  /// For how long a file that is followed may stay as it is before its end counts as the end; nil is for ever.
  public var patience: Duration?
  /// What says how long that is.
  var clock: any CaptureClock = MonotonicClock()

  /// Waits only for pipes unless said otherwise.
  public init(stop: ReadingStop? = nil, follows: Bool = false, patience: Duration? = nil) {
    self.stop = stop
    self.follows = follows
    self.patience = patience
  }

  /// Milliseconds between two looks at a file, and at the stop: short for a person, long for a processor.
  static let interval = 100

  /// Whether reading is to end now.
  var isStopped: Bool { stop?.isRequested ?? false }
}

/// One wait at the end of a file that another program writes. Unsafe site: a path for the system.
struct FileGrowth {
  /// For how long a file that lost its name may still grow: its writer goes over to a new file soon, but not at once.
  private static let farewell = Duration.seconds(2)

  private let waiting: Waiting
  private let began: ContinuousClock.Instant
  private var lostName: ContinuousClock.Instant?

  init(_ waiting: Waiting) {
    self.waiting = waiting
    began = waiting.clock.now
  }

  /// Waits a moment.
  ///
  /// - Parameters:
  ///   - descriptor: The file.
  ///   - path: Where it was opened.
  ///   - octetsRead: How far it was read, which was its end.
  /// - Returns: Whether it may have grown; false when there is no more to wait for.
  /// - Throws: When the file has become shorter than that, or another one is in its place and this one grows no more.
  mutating func wait(_ descriptor: FileDescriptor, at path: String, octetsRead: Int) throws(CaptureError) -> Bool {
    if waiting.isStopped { return false }
    let mine = try systemCall {
      try descriptor.stat()
    } failure: {
      CaptureError(file: path, offset: octetsRead, problem: .readFailed(errno: $0))
    }
    guard mine.size >= octetsRead else {
      throw CaptureError(file: path, offset: octetsRead, problem: .truncated(length: Int(mine.size)))
    }
    let now = waiting.clock.now
    if let patience = waiting.patience, now - began >= patience { return false }
    if let named = try? unsafe Stat(path), named.deviceID == mine.deviceID, named.inode == mine.inode {
      lostName = nil
    } else if let since = lostName {
      if now - since >= Self.farewell { throw CaptureError(file: path, offset: octetsRead, problem: .replaced) }
    } else {
      lostName = now
    }
    // There is nothing to poll, since a regular file is always readable. Signals end the sleep early.
    waiting.clock.sleep(milliseconds: Waiting.interval)
    return true
  }
}
