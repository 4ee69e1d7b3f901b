import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

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

/// Ends the reading of captures, from any thread and any number of times.
public final class ReadingStop: Sendable {
  private let request = Atomic<Bool>(false)

  /// Makes one that has not been asked for.
  public init() {}

  /// Lets readers see the end of their captures where they are, within a few tenths of a second. They hand over the
  /// packets that they have already, and what they have half of is no damage.
  public func callAsFunction() { request.store(true, ordering: .releasing) }

  /// Whether it was called.
  public var isRequested: Bool { request.load(ordering: .acquiring) }
}

/// One wait at the end of a file that somebody else writes. Unsafe sites: system calls that take addresses.
struct FileGrowth {
  /// For how long a file that lost its name may still grow: its writer goes over to a new one soon, but not at once.
  private static let farewell = Duration.seconds(2)

  private let waiting: Waiting
  private let began = ContinuousClock.now
  private var lostName: ContinuousClock.Instant?

  init(_ waiting: Waiting) { self.waiting = waiting }

  /// Waits a moment.
  ///
  /// - Parameters:
  ///   - descriptor: The file.
  ///   - path: Where it was opened.
  ///   - octetsRead: How far it was read, which was its end.
  /// - Returns: Whether it may have grown; false when there is no more to wait for.
  /// - Throws: When the file has become shorter than that, or another one is in its place and this one grows no more.
  mutating func wait(_ descriptor: Int32, at path: String, octetsRead: Int) throws(CaptureError) -> Bool {
    if waiting.isStopped { return false }
    var mine = stat()
    guard unsafe fstat(descriptor, &mine) == 0 else {
      throw CaptureError(file: path, offset: octetsRead, problem: .readFailed(errno: errno))
    }
    guard mine.st_size >= octetsRead else {
      throw CaptureError(file: path, offset: octetsRead, problem: .truncated(length: Int(mine.st_size)))
    }
    let now = ContinuousClock.now
    if let patience = waiting.patience, now - began >= patience { return false }
    var named = stat()
    if unsafe stat(path, &named) == 0, named.st_dev == mine.st_dev, named.st_ino == mine.st_ino {
      lostName = nil
    } else if let since = lostName {
      if now - since >= Self.farewell { throw CaptureError(file: path, offset: octetsRead, problem: .replaced) }
    } else {
      lostName = now
    }
    // Nothing to poll: a regular file is always readable. This waits, and signals end it early.
    _ = poll(nil, 0, Waiting.interval)
    return true
  }
}
