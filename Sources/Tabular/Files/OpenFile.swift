// The system calls that swift-system does not have, which are those relative to an open folder, and the only file of this
// target that hands memory to the system. Each call gets an array's own storage for the time of the call; paths are
// Swift strings, which the compiler lends to C with a terminator.

import Packets
import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An open file or folder, closed when nothing refers to it any more.
package final class OpenFile {
  private let descriptor: FileDescriptor
  private var isOpen = true

  private init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

  deinit { if isOpen { try? descriptor.close() } }

  /// A descriptor that the process was started with; it is not closed.
  package static func standard(_ number: CInt) -> OpenFile {
    let file = OpenFile(FileDescriptor(rawValue: number))
    file.isOpen = false
    return file
  }

  /// Opens a file that is there, for reading.
  package static func reading(_ path: String) throws(Errno) -> OpenFile {
    try opened { unsafe open(path, O_RDONLY | O_CLOEXEC) }
  }

  /// Octets of the file.
  package func length() throws(Errno) -> Int { try typed { Int(try status().size) } }

  // MARK: Folders

  /// Opens a folder, to create files in it.
  package static func folder(_ path: String) throws(Errno) -> OpenFile {
    try opened { unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
  }

  /// Makes a folder that only its owner may use.
  package static func makeFolder(_ path: String) throws(Errno) {
    guard unsafe mkdir(path, 0o700) == 0 else { throw .last }
  }

  /// Creates a file of this folder for its owner alone, for writing and reading, in place of a regular file of that name.
  ///
  /// The one before is removed and never written into: it may belong to somebody else, be writable by others, be known by
  /// another name, too, or be open in another program.
  ///
  /// - Throws: `ELOOP` for a symbolic link, `EISDIR` for a folder and `EINVAL` for all else that is not a regular file; these
  ///   stay as they are.
  package func createFile(_ name: String) throws(Errno) -> OpenFile {
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    // More than once, since others may make or remove the file in between.
    for _ in 0..<16 {
      do throws(Errno) {
        return try Self.opened { unsafe openat(descriptor.rawValue, name, flags, 0o600) }
      } catch {
        guard error == .fileExists else { throw error }
      }
      switch try type(of: name) {
      case .regular: try remove(name)
      case .symbolicLink: throw .tooManySymbolicLinkLevels
      case .directory: throw .isDirectory
      case nil: continue
      default: throw .invalidArgument
      }
    }
    throw .fileExists
  }

  /// Opens a file of this folder that is there to be locked, and makes it for its owner alone if it is not. What is in it
  /// stays.
  ///
  /// - Throws: `ELOOP` for a symbolic link, which is not followed. A pipe is not waited for.
  package func openLockFile(_ name: String) throws(Errno) -> OpenFile {
    let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
    return try Self.opened { unsafe openat(descriptor.rawValue, name, flags, 0o600) }
  }

  /// Whether something in this folder has a name, be it a symbolic link to nowhere.
  package func contains(_ name: String) -> Bool { (try? type(of: name)) != nil }

  /// What has a name in this folder, and of a symbolic link that itself; nil where nothing has.
  private func type(of name: String) throws(Errno) -> FileType? {
    do throws(Errno) {
      return try typed { try FilePath(name).stat(relativeTo: descriptor, flags: .symlinkNoFollow) }.type
    } catch {
      if error == .noSuchFileOrDirectory { return nil }
      throw error
    }
  }

  /// Opens a new file of this folder for writing and reading that has no name and is gone when it is closed.
  package func createTemporaryFile() throws(Errno) -> OpenFile {
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    // A name is in use for an instant only, so that the first free one is found at once.
    for attempt in 0..<1000 {
      let name = ".sniffer-\(getpid())-\(attempt).tmp"
      do throws(Errno) {
        let file = try Self.opened { unsafe openat(descriptor.rawValue, name, flags, 0o600) }
        try remove(name)
        return file
      } catch {
        guard error == .fileExists else { throw error }
      }
    }
    throw .fileExists
  }

  /// Gives a file of this folder another name, in one step; a file of that name is replaced.
  package func rename(_ name: String, to newName: String) throws(Errno) {
    let folder = descriptor.rawValue
    guard unsafe renameat(folder, name, folder, newName) == 0 else { throw .last }
  }

  /// Removes a file of this folder.
  package func remove(_ name: String) throws(Errno) {
    guard unsafe unlinkat(descriptor.rawValue, name, 0) == 0 else { throw .last }
  }

  /// Whether the name in this folder is that of an open file, and not of another file or of none.
  package func has(_ file: OpenFile, as name: String) -> Bool {
    guard let own = try? file.status(),
      let named = try? FilePath(name).stat(relativeTo: descriptor, flags: .symlinkNoFollow)
    else { return false }
    return own.deviceID == named.deviceID && own.inode == named.inode
  }

  /// Whether nothing has its name any more.
  package var isRemoved: Bool { (try? status())?.linkCount == 0 }

  // MARK: Files

  /// Opens an existing file for writing, whatever it is.
  package static func openForWriting(_ path: String) throws(Errno) -> OpenFile {
    try opened { unsafe open(path, O_WRONLY | O_CLOEXEC) }
  }

  /// Whether a path, no symbolic link itself, is that of this file.
  package func isAt(_ path: String) -> Bool {
    guard let own = try? status(), let named = try? FilePath(path).stat(followTargetSymlink: false) else {
      return false
    }
    return own.deviceID == named.deviceID && own.inode == named.inode
  }

  /// Whether it is a regular file of this user's, that only this user may write, under one name.
  package var isOwn: Bool { (try? status()).map(Self.isOwn) ?? false }

  /// Whether what has a name in this folder is such a file, or nothing has the name.
  package func isOwnOrNone(_ name: String) -> Bool {
    do throws(Errno) {
      return Self.isOwn(try typed { try FilePath(name).stat(relativeTo: descriptor, flags: .symlinkNoFollow) })
    } catch {
      return error == .noSuchFileOrDirectory
    }
  }

  private static func isOwn(_ status: Stat) -> Bool {
    status.type == .regular && status.userID.rawValue == geteuid() && status.linkCount == 1
      && status.permissions.isDisjoint(with: [.groupWrite, .otherWrite])
  }

  /// Locks the file for this process alone (flock), until it is closed or the process ends, however that ends.
  ///
  /// - Throws: `EWOULDBLOCK` while another process has it locked; another error where the file system has no locks.
  package func lock() throws(Errno) {
    while flock(descriptor.rawValue, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EINTR else { throw .last }
    }
  }

  /// Whether it is a regular file, and no pipe, terminal or other device.
  package var isRegularFile: Bool { (try? status())?.type == .regular }

  /// Writes all of `octets`.
  package func write(_ octets: RawSpan) throws(Errno) {
    var written = 0
    while written < octets.byteCount {
      let count = try typed {
        try unsafe octets.extracting(written..<octets.byteCount).withUnsafeBytes { try unsafe descriptor.write($0) }
      }
      // Not an error by POSIX, but no progress either.
      guard count > 0 else { throw .ioError }
      written += count
    }
  }

  /// Writes all of a text.
  package func write(_ text: String) throws(Errno) {
    try Array(text.utf8).withOctets { octets throws(Errno) in try write(octets) }
  }

  /// Reads octets of the file from `offset` on into `buffer`, from its index `start` to its end.
  ///
  /// - Returns: How many octets there were; 0 at the end of the file.
  package func read(into buffer: inout [UInt8], from start: Int, at offset: Int) throws(Errno) -> Int {
    try typed {
      try unsafe buffer.withUnsafeMutableBytes { memory in
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[start...])
        return try unsafe descriptor.read(fromAbsoluteOffset: Int64(offset), into: rest)
      }
    }
  }

  /// Cuts the file off after its first `length` octets.
  package func truncate(to length: Int) throws(Errno) { try typed { try descriptor.resize(to: Int64(length)) } }

  /// The same; what is written next stands behind those.
  package func goBack(to length: Int) throws(Errno) {
    try truncate(to: length)
    try typed { _ = try descriptor.seek(offset: Int64(length), from: .start) }
  }

  /// Closes the descriptor, and throws an error that the file system reports only now.
  package func close() throws(Errno) {
    guard isOpen else { return }
    isOpen = false
    do throws(Errno) { try typed { try descriptor.close() } } catch {
      // Not again after EINTR: on Linux the descriptor is closed by then.
      guard error == .interrupted else { throw error }
    }
  }

  private func status() throws(Errno) -> Stat { try descriptor.stat() }

  private static func opened(_ open: () -> CInt) throws(Errno) -> OpenFile {
    while true {
      let number = open()
      if number >= 0 { return OpenFile(FileDescriptor(rawValue: number)) }
      guard errno == EINTR else { throw .last }
    }
  }
}

extension Errno {
  /// The error that the last system call of this thread left.
  fileprivate static var last: Errno { Errno(rawValue: errno) }
}

/// swift-system throws nothing but `Errno`, and does not say so in its types.
private func typed<Result>(_ body: () throws -> Result) throws(Errno) -> Result {
  do { return try body() } catch { throw error as? Errno ?? .ioError }
}
