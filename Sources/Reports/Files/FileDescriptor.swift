// The system calls on files that reports need, and the only file of this target that hands memory to them. Each
// call is given the start and the length of an array's own storage for the time of the call; paths are Swift
// strings, which are lent to C with a terminator.

import HTTPReassembly

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The operating system's error number of a call that failed.
struct SystemError: Error, Equatable {
  /// `errno`.
  var code: CInt

  /// The error that the last call of this thread left.
  static var last: SystemError { SystemError(code: errno) }

  /// The operating system's text for it.
  var text: String {
    guard let text = unsafe strerror(code) else { return "error \(code)" }
    return unsafe String(cString: text)
  }
}

/// An open file descriptor, closed when nothing refers to it any more.
final class FileDescriptor {
  private let number: CInt
  private var isOpen = true

  private init(_ number: CInt) { self.number = number }

  deinit { if isOpen { _ = posixClose(number) } }

  /// Opens a folder, to create files in it.
  static func openFolder(_ path: String) throws(SystemError) -> FileDescriptor {
    try opened { unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
  }

  /// Makes a folder that only its owner may use.
  static func makeFolder(_ path: String) throws(SystemError) {
    guard unsafe mkdir(path, 0o700) == 0 else { throw .last }
  }

  /// Opens a file of this folder for writing and reading, empty; creates it for its owner alone if it is not there.
  ///
  /// Never goes through a symbolic link (`ELOOP`), and never waits for or empties what is not a regular file.
  func createFile(_ name: String) throws(SystemError) -> FileDescriptor {
    // Non-blocking, because opening a pipe would wait for its reader before it can be told from a file.
    let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
    let file = try Self.opened { unsafe openat(number, name, flags, 0o600) }
    var status = stat()
    guard unsafe fstat(file.number, &status) == 0 else { throw .last }
    guard status.st_mode & S_IFMT == S_IFREG else { throw SystemError(code: EINVAL) }
    guard ftruncate(file.number, 0) == 0 else { throw .last }
    return file
  }

  /// Opens a new file of this folder for writing and reading that has no name and is gone when it is closed.
  func createTemporaryFile() throws(SystemError) -> FileDescriptor {
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    // A name is only taken for an instant, so that the first free one is found at once.
    for attempt in 0..<1000 {
      let name = ".sniffer-\(getpid())-\(attempt).tmp"
      do throws(SystemError) {
        let file = try Self.opened { unsafe openat(number, name, flags, 0o600) }
        guard unsafe unlinkat(number, name, 0) == 0 else { throw .last }
        return file
      } catch {
        guard error.code == EEXIST else { throw error }
      }
    }
    throw SystemError(code: EEXIST)
  }

  /// Gives a file of this folder another name, in one step; a file of that name is replaced.
  func rename(_ name: String, to newName: String) throws(SystemError) {
    guard unsafe renameat(number, name, number, newName) == 0 else { throw .last }
  }

  /// Whether the name in this folder is that of an open file, and not of another or of none.
  func has(_ file: FileDescriptor, as name: String) -> Bool {
    var mine = stat()
    var named = stat()
    guard unsafe fstat(file.number, &mine) == 0,
      unsafe fstatat(number, name, &named, AT_SYMLINK_NOFOLLOW) == 0
    else { return false }
    return mine.st_dev == named.st_dev && mine.st_ino == named.st_ino
  }

  /// Whether a path, no symbolic link itself, is that of this file.
  func isAt(_ path: String) -> Bool {
    var mine = stat()
    var named = stat()
    guard unsafe fstat(number, &mine) == 0, unsafe lstat(path, &named) == 0 else { return false }
    return mine.st_dev == named.st_dev && mine.st_ino == named.st_ino
  }

  /// Whether it is a regular file, and no pipe, terminal or other device.
  var isRegularFile: Bool {
    var status = stat()
    return unsafe fstat(number, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Whether nothing has its name any more.
  var isRemoved: Bool {
    var status = stat()
    return unsafe fstat(number, &status) == 0 && status.st_nlink == 0
  }

  /// Removes a file of this folder.
  func remove(_ name: String) throws(SystemError) {
    guard unsafe unlinkat(number, name, 0) == 0 else { throw .last }
  }

  /// Opens an existing file for writing, whatever it is.
  static func openForWriting(_ path: String) throws(SystemError) -> FileDescriptor {
    try opened { unsafe open(path, O_WRONLY | O_CLOEXEC) }
  }

  /// A descriptor that the process was started with; it is not closed.
  static func standard(_ number: CInt) -> FileDescriptor {
    let descriptor = FileDescriptor(number)
    descriptor.isOpen = false
    return descriptor
  }

  /// Writes all of `octets`.
  func write(_ octets: RawSpan) throws(SystemError) {
    var written = 0
    while written < octets.byteCount {
      let count = unsafe octets.withUnsafeBytes { memory in
        unsafe posixWrite(number, memory.baseAddress?.advanced(by: written), memory.count - written)
      }
      if count > 0 {
        written += count
      } else if count == 0 {
        // Not an error by POSIX, but no progress either.
        throw SystemError(code: EIO)
      } else if errno != EINTR {
        throw .last
      }
    }
  }

  /// Writes all of a text.
  func write(_ text: String) throws(SystemError) {
    try Array(text.utf8).withOctets { octets throws(SystemError) in try write(octets) }
  }

  /// Reads up to the end of `buffer` from the position `offset` of the file into `buffer`, from its position
  /// `start` on; returns how many octets there were, 0 at the end of the file.
  func read(into buffer: inout [UInt8], from start: Int, at offset: Int) throws(SystemError) -> Int {
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { memory in
        unsafe pread(number, memory.baseAddress?.advanced(by: start), memory.count - start, off_t(offset))
      }
      if count >= 0 { return count }
      guard errno == EINTR else { throw .last }
    }
  }

  /// Cuts the file off after its first `length` octets.
  func truncate(to length: Int) throws(SystemError) {
    guard ftruncate(number, off_t(length)) == 0 else { throw .last }
  }

  /// Closes the descriptor and tells of an error that the file system reports only now.
  func close() throws(SystemError) {
    guard isOpen else { return }
    isOpen = false
    // Not again after EINTR: on Linux the descriptor is closed by then.
    guard posixClose(number) == 0 || errno == EINTR else { throw .last }
  }

  private static func opened(_ open: () -> CInt) throws(SystemError) -> FileDescriptor {
    while true {
      let number = open()
      if number >= 0 { return FileDescriptor(number) }
      guard errno == EINTR else { throw .last }
    }
  }
}

/// The system's `close`, which a method of the same name hides.
private func posixClose(_ number: CInt) -> CInt { close(number) }

/// The system's `write`, which a method of the same name hides.
private func posixWrite(_ number: CInt, _ memory: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(number, memory, count)
}
