import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An open file, FIFO or standard input, read in order. Unsafe sites: system calls that take addresses.
final class FileInput: OctetSource {
  /// The path that stands for standard input.
  static let standardInputPath = "-"

  /// What errors call it.
  let name: String
  /// Length in octets when opened, of a regular file; nil for streams.
  let size: Int?
  /// Whether its path opens the same file again, from its start.
  var isReopenable: Bool { size != nil && descriptor != STDIN_FILENO }
  /// Octets read from the system so far.
  var octetsRead: Int { octetsReadSoFar.load(ordering: .relaxed) }
  /// Asked for by who shows progress, on another thread than the one that reads.
  private let octetsReadSoFar = Atomic<Int>(0)

  private let descriptor: Int32
  private let waiting: Waiting
  /// What `peek` read ahead and `read` has not returned yet.
  private var ahead: [UInt8] = []

  /// Opens a path, or standard input for `-`. The writer of a FIFO is waited for when it is read.
  init(path: String, waiting: Waiting = Waiting()) throws(CaptureError) {
    let isStandardInput = path == Self.standardInputPath
    name = isStandardInput ? "standard input" : path
    self.waiting = waiting
    // Non-blocking, because opening a FIFO would wait for its writer, and could not be stopped.
    descriptor =
      isStandardInput ? STDIN_FILENO : retryingInterrupted { unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard descriptor >= 0 else { throw CaptureError(file: name, problem: .cannotOpen(errno: errno)) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      size = nil
      throw CaptureError(file: name, problem: .cannotOpen(errno: errno))
    }
    let kind = status.st_mode & S_IFMT
    size = kind == S_IFREG ? Int(status.st_size) : nil
    if kind == S_IFDIR { throw CaptureError(file: name, problem: .isDirectory) }
    if waiting.follows, size == nil {
      throw CaptureError(file: name, problem: .unsupported("following what is no regular file"))
    }
  }

  deinit {
    if descriptor > STDIN_FILENO { close(descriptor) }
  }

  /// What can be told of a path without opening it.
  enum Kind: Equatable {
    /// A regular file, which can be read, and then read again; its length in octets.
    case file(Int)
    /// Standard input, a FIFO or the like, which can be read once.
    case stream
    /// Nothing that can be read.
    case unreadable
  }

  /// What a path is.
  static func kind(_ path: String) -> Kind {
    var status = stat()
    guard path != standardInputPath else { return .stream }
    guard unsafe stat(path, &status) == 0 else { return .unreadable }
    switch status.st_mode & S_IFMT {
    case S_IFREG: return .file(Int(status.st_size))
    case S_IFDIR: return .unreadable
    default: return .stream
    }
  }

  /// The next octets, up to `count` of them, which stay to be read; fewer only at the end.
  func peek(_ count: Int) throws(CaptureError) -> [UInt8] {
    var octet: UInt8 = 0
    while ahead.count < count {
      let result = try unsafe withUnsafeMutableBytes(of: &octet) { memory throws(CaptureError) in
        try unsafe readDescriptor(into: memory)
      }
      guard result > 0 else { break }
      ahead.append(octet)
    }
    return ahead
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) throws(CaptureError) -> Int {
    if !ahead.isEmpty {
      let count = min(ahead.count, buffer.count)
      unsafe buffer.copyBytes(from: ahead.prefix(count))
      ahead.removeFirst(count)
      return count
    }
    return try unsafe readDescriptor(into: buffer)
  }

  /// Where `read` goes on, in octets from the start of a regular file; nil where octets are not at any place to be read.
  var place: Int? { size == nil || waiting.follows || descriptor == STDIN_FILENO ? nil : octetsRead - ahead.count }

  /// Fills a buffer with what is at `place` of a regular file, from its start on. `count` becomes the octets that were there,
  /// also when an error is thrown. Returns whether the file, or the reading of it, ends with them.
  ///
  /// For any thread at any time, unlike `read(into:)`.
  func read(at place: Int, into buffer: UnsafeMutableRawBufferPointer, count: inout Int) throws(CaptureError) -> Bool {
    count = 0
    while count < buffer.count {
      guard !waiting.isStopped else { return true }
      let received = retryingInterrupted {
        unsafe pread(
          descriptor, buffer.baseAddress.map { unsafe $0 + count }, buffer.count - count, off_t(place + count))
      }
      guard received >= 0 else {
        throw CaptureError(file: name, offset: place + count, problem: .readFailed(errno: errno))
      }
      if received == 0 { return true }
      octetsReadSoFar.add(received, ordering: .relaxed)
      count += received
    }
    return false
  }

  /// Puts the `count` octets at `offset` of a regular file at the start of `buffer`, which has as many. False when they are
  /// not there or cannot be read.
  func read(_ count: Int, at offset: Int, into buffer: inout [UInt8]) -> Bool {
    guard count <= buffer.count else { return false }
    let received = unsafe buffer.withUnsafeMutableBytes { memory in
      retryingInterrupted { unsafe pread(descriptor, memory.baseAddress, count, off_t(offset)) }
    }
    return received == count
  }

  /// Reads what is there, and waits until there is something; 0 is the end, or the stop.
  private func readDescriptor(into buffer: UnsafeMutableRawBufferPointer) throws(CaptureError) -> Int {
    var growth: FileGrowth?
    while !waiting.isStopped {
      if size == nil, !isReadable() { continue }
      let count = unsafe systemRead(descriptor, buffer.baseAddress, buffer.count)
      if count < 0 {
        if errno == EINTR || errno == EAGAIN { continue }
        throw readError()
      }
      octetsReadSoFar.add(count, ordering: .relaxed)
      if count > 0 || !waiting.follows { return count }
      growth = growth ?? FileGrowth(waiting)
      guard try growth?.wait(descriptor, at: name, octetsRead: octetsRead) ?? false else { break }
    }
    return 0
  }

  /// Whether reading would not wait, after a moment's wait for that. An end and an error are there to be read, too.
  private func isReadable() -> Bool {
    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&wanted, 1, Waiting.interval) > 0
  }

  private func readError() -> CaptureError {
    CaptureError(file: name, offset: octetsRead, problem: .readFailed(errno: errno))
  }
}

/// `read(2)`, under a name that the class's own `read` does not hide.
private func systemRead(_ descriptor: Int32, _ start: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  unsafe read(descriptor, start, count)
}

/// Repeats a system call for as long as signals interrupt it.
func retryingInterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
  while true {
    let result = call()
    if result != -1 || errno != EINTR { return result }
  }
}
