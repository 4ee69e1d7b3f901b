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
  private(set) var octetsRead = 0

  private let descriptor: Int32
  /// What `peek` read ahead and `read` has not returned yet.
  private var ahead: [UInt8] = []

  /// Opens a path, or standard input for `-`. Waits for a writer if it is a FIFO.
  init(path: String) throws(CaptureError) {
    let isStandardInput = path == Self.standardInputPath
    name = isStandardInput ? "standard input" : path
    descriptor = isStandardInput ? STDIN_FILENO : retryingInterrupted { unsafe open(path, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw CaptureError(file: name, problem: .cannotOpen(errno: errno)) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else {
      size = nil
      throw CaptureError(file: name, problem: .cannotOpen(errno: errno))
    }
    let kind = status.st_mode & S_IFMT
    size = kind == S_IFREG ? Int(status.st_size) : nil
    if kind == S_IFDIR { throw CaptureError(file: name, problem: .isDirectory) }
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
      let result = unsafe withUnsafeMutableBytes(of: &octet) { unsafe readDescriptor(into: $0) }
      guard result >= 0 else { throw readError() }
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
    let count = unsafe readDescriptor(into: buffer)
    guard count >= 0 else { throw readError() }
    return count
  }

  private func readDescriptor(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = retryingInterrupted { unsafe systemRead(descriptor, buffer.baseAddress, buffer.count) }
    octetsRead += max(count, 0)
    return count
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
