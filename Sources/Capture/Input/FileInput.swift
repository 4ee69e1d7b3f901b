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

  /// What errors call it.
  let name: String
  /// Length in octets when opened, of a regular file; nil for streams.
  let size: Int?
  /// Whether its path opens the same file again, from its start.
  var isReopenable: Bool { size != nil && descriptor != .standardInput }
  /// Octets read from the system so far.
  var octetsRead: Int { octetsReadSoFar.load(ordering: .relaxed) }
  /// Atomic, since progress is shown by another thread than the one that reads.
  private let octetsReadSoFar = Atomic<Int>(0)

  private let descriptor: FileDescriptor
  private let waiting: Waiting
  /// What `peek` read ahead and `read` has not returned yet.
  private var ahead: [UInt8] = []

  /// Opens a path, or standard input for `-`. The writer of a FIFO is waited for when it is read.
  init(path: String, waiting: Waiting = Waiting()) throws(CaptureError) {
    let isStandardInput = path == Self.standardInputPath
    name = isStandardInput ? "standard input" : path
    self.waiting = waiting
    // Non-blocking, because opening a FIFO would wait for its writer, and could not be stopped.
    descriptor = try systemCall {
      if isStandardInput { return .standardInput }
      return try unsafe FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
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
      throw CaptureError(file: name, problem: .unsupported("following what is no regular file"))
    }
  }

  deinit {
    if descriptor != .standardInput { try? descriptor.close() }
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
    guard path != standardInputPath else { return .stream }
    guard let status = try? unsafe Stat(path) else { return .unreadable }
    return switch status.type {
    case .regular: .file(Int(status.size))
    case .directory: .unreadable
    default: .stream
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

  /// Offset at which `read` goes on, in octets from the start of a regular file; nil where octets cannot be read by their offset.
  var offset: Int? { size == nil || waiting.follows || descriptor == .standardInput ? nil : octetsRead - ahead.count }

  /// Fills a buffer with what is at `offset` of a regular file, in octets from its start. `count` becomes the octets that were
  /// there, also when an error is thrown. Returns whether the file, or the reading of it, ends with them.
  ///
  /// For any thread at any time, unlike `read(into:)`.
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

  /// Puts the `count` octets at `offset` of a regular file at the start of `buffer`, which has as many. False when they are
  /// not there or cannot be read.
  func read(_ count: Int, at offset: Int, into buffer: inout [UInt8]) -> Bool {
    guard count <= buffer.count else { return false }
    let received = unsafe buffer.withUnsafeMutableBytes { memory in
      let start = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[..<count])
      return try? unsafe descriptor.read(fromAbsoluteOffset: Int64(offset), into: start)
    }
    return received == count
  }

  /// Reads what is there, and waits until there is something; 0 is the end, or the stop.
  private func readDescriptor(into buffer: UnsafeMutableRawBufferPointer) throws(CaptureError) -> Int {
    var growth: FileGrowth?
    while !waiting.isStopped {
      if size == nil, !isReadable() { continue }
      let count: Int
      do {
        // A signal may be the stop, which is looked at first.
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

  /// Whether reading would not wait, after a moment's wait for that. An end and an error are there to be read, too.
  private func isReadable() -> Bool {
    var wanted = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&wanted, 1, Int32(Waiting.interval)) > 0
  }
}
