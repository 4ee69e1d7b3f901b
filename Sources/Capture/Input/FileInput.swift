import Shared
import Synchronization
import SystemPackage

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

  /// The name of the file in errors.
  let name: String
  /// Length of a regular file in octets when it was opened; nil for streams.
  let size: Int?
  /// Whether its path opens the same file again, from its start.
  var isReopenable: Bool { size != nil && descriptor != .standardInput }
  /// Octets read from the system so far.
  var octetsRead: Int { octetsReadSoFar.load(ordering: .relaxed) }
  /// Atomic, because another thread than the reading one shows progress.
  private let octetsReadSoFar = Atomic<Int>(0)

  private let descriptor: FileDescriptor
  private let waiting: Waiting
  /// Octets that `peek` read and `read` has not returned yet.
  private var ahead: [UInt8] = []

  /// Opens a path, or standard input for `-`. Only reading waits for the writer of a FIFO.
  init(path: String, waiting: Waiting = Waiting()) throws(CaptureError) {
    let isStandardInput = path == Self.standardInputPath
    name = isStandardInput ? CaptureError.standardInput : path
    self.waiting = waiting
    // The file is opened non-blocking, because opening a FIFO would wait for its writer, and could not be stopped.
    descriptor = try systemCall {
      if isStandardInput { return .standardInput }
      return try unsafe FileDescriptor.open(path.systemName, .readOnly, options: [.closeOnExec, .nonBlocking])
    } failure: {
      CaptureError(file: path, problem: .cannotOpen(errno: $0))
    }
    let status: Stat
    do throws(Errno) { status = try descriptor.stat() } catch {
      size = nil
      throw CaptureError(file: name, problem: .cannotOpen(errno: error.rawValue))
    }
    size = status.type == .regular ? Int(status.size) : nil
    if status.type == .directory { throw CaptureError(file: name, problem: .isDirectory) }
    if waiting.follows, size == nil {
      throw CaptureError(file: name, problem: .unsupported("following what is not a regular file"))
    }
  }

  deinit {
    if descriptor != .standardInput { try? descriptor.close() }
  }

  /// The kind of a path, known without opening it.
  enum Kind: Equatable {
    /// A regular file, which can be read again; its length in octets.
    case file(Int)
    /// Standard input, a FIFO or the like, which can be read only once.
    case stream
    /// Not readable.
    case unreadable
  }

  /// The kind of a path.
  static func kind(_ path: String) -> Kind {
    guard path != standardInputPath else { return .stream }
    guard let status = try? unsafe Stat(path.systemName) else { return .unreadable }
    return switch status.type {
    case .regular: .file(Int(status.size))
    case .directory: .unreadable
    default: .stream
    }
  }

  /// The next octets, at most `count`, without consuming them; fewer only at the end.
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

  /// Offset at which `read` continues, in octets from the start of a regular file. Nil where octets cannot be read by their
  /// offset.
  var offset: Int? { size == nil || waiting.follows || descriptor == .standardInput ? nil : octetsRead - ahead.count }

  /// Fills a buffer from `offset` of a regular file, in octets from its start. `count` becomes the number of octets read, even
  /// when an error is thrown. Returns whether the file, or the reading of it, ends there.
  ///
  /// Any thread may call it at any time, unlike `read(into:)`.
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer, count: inout Int) throws(CaptureError) -> Bool {
    count = 0
    while count < buffer.count {
      guard !waiting.isStopped else { return true }
      let position = offset + count
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
      let received = try systemCall {
        try unsafe descriptor.read(fromAbsoluteOffset: Int64(position), into: rest)
      } failure: {
        CaptureError(file: name, offset: position, problem: .readFailed(errno: $0))
      }
      if received == 0 { return true }
      octetsReadSoFar.add(received, ordering: .relaxed)
      count += received
    }
    return false
  }

  /// Reads `count` octets at `offset` of a regular file to the start of `buffer`, which has at least as many. False when they do
  /// not exist or cannot be read.
  func read(_ count: Int, at offset: Int, into buffer: inout [UInt8]) -> Bool {
    guard count <= buffer.count else { return false }
    let received = unsafe buffer.withUnsafeMutableBytes { memory in
      let start = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[..<count])
      return try? unsafe descriptor.read(fromAbsoluteOffset: Int64(offset), into: start)
    }
    return received == count
  }

  /// Reads the available octets, and waits until there are some; 0 is the end, or the stop.
  private func readDescriptor(into buffer: UnsafeMutableRawBufferPointer) throws(CaptureError) -> Int {
    var growth: FileGrowth?
    while !waiting.isStopped {
      if size == nil, !isReadable() { continue }
      let count: Int
      do {
        // A signal may be the stop, which is checked first.
        count = try unsafe descriptor.read(into: buffer, retryOnInterrupt: false)
      } catch Errno.interrupted, Errno.resourceTemporarilyUnavailable {
        continue
      } catch {
        let number = (error as? Errno ?? .ioError).rawValue
        throw CaptureError(file: name, offset: octetsRead, problem: .readFailed(errno: number))
      }
      octetsReadSoFar.add(count, ordering: .relaxed)
      if count > 0 || !waiting.follows { return count }
      growth = growth ?? FileGrowth(waiting)
      guard try growth?.wait(descriptor, at: name, octetsRead: octetsRead) ?? false else { break }
    }
    return 0
  }

  /// Waits a moment until reading would not block, and returns whether it would not. An end and an error count as readable.
  private func isReadable() -> Bool {
    var wanted = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&wanted, 1, Int32(Waiting.interval)) > 0
  }
}
