import Shared
import Synchronization
import SystemPackage

/// Ends the reading of captures, from any thread and any number of times.
public final class ReadingStop: Sendable {
  private let request = Atomic<Bool>(false)

  /// A stop that is not requested yet.
  public init() {}

  /// Makes readers end at their current position, within a few tenths of a second. They hand over the packets that they already
  /// have; an incomplete packet is not damage.
  public func callAsFunction() { request.store(true, ordering: .releasing) }

  /// Whether the stop is requested.
  public var isRequested: Bool { request.load(ordering: .acquiring) }
}

/// The way in which a reader waits for octets that do not exist yet.
public struct Waiting: Sendable {
  /// Ends every wait; nil if only the writer ends it.
  public var stop: ReadingStop?
  /// Whether to wait at the end of a file for more from its writer.
  public var follows: Bool
  /// The time for which a followed file may stay unchanged before its end counts as the end; nil is forever.
  public var patience: Duration?
  /// The clock for that time.
  var clock: any CaptureClock = MonotonicClock()

  /// By default, waits only for pipes.
  public init(stop: ReadingStop? = nil, follows: Bool = false, patience: Duration? = nil) {
    self.stop = stop
    self.follows = follows
    self.patience = patience
  }

  /// Milliseconds between two checks of a file, and of the stop: short for a person, long for a processor.
  static let interval = 100

  /// Whether reading has to end now.
  var isStopped: Bool { stop?.isRequested ?? false }
}

/// One wait at the end of a file that another program writes. Unsafe site: a path for the system.
struct FileGrowth {
  /// The time for which a file that lost its name may still grow: its writer moves to a new file soon, but not at once.
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
  ///   - path: The path that it was opened by.
  ///   - octetsRead: The octets read, which was its length.
  /// - Returns: Whether it may have grown; false when the wait is over.
  /// - Throws: When the file has become shorter, or when another file has its path and this one grows no more.
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
    if let named = try? unsafe Stat(path.systemName), named.deviceID == mine.deviceID, named.inode == mine.inode {
      lostName = nil
    } else if let since = lostName {
      if now - since >= Self.farewell { throw CaptureError(file: path, offset: octetsRead, problem: .replaced) }
    } else {
      lostName = now
    }
    // A regular file is always readable, so there is nothing to poll. Signals end the sleep early.
    waiting.clock.sleep(milliseconds: Waiting.interval)
    return true
  }
}
