#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

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
