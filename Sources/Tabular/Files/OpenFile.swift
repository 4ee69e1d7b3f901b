// System calls that swift-system lacks: those relative to an open folder. Only this file of the target passes memory to the system. Each
// call gets an array's own storage, only for the call. Paths and names go there as `systemName`.

import Packets
import Shared
import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An open file or folder, closed with the last reference.
package final class OpenFile {
  private let descriptor: FileDescriptor
  private var isOpen = true

  private init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

  deinit { if isOpen { try? descriptor.close() } }

  /// A descriptor that the process started with; it is not closed.
  package static func standard(_ number: CInt) -> OpenFile {
    let file = OpenFile(FileDescriptor(rawValue: number))
    file.isOpen = false
    return file
  }

  /// Opens an existing file for reading. A pipe does not block.
  package static func reading(_ path: String) throws(Errno) -> OpenFile {
    try opened { unsafe open(path.systemName, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
  }

  /// The length of the file in octets.
  package func length() throws(Errno) -> Int { try typed { Int(try status().size) } }

  /// Waits until octets can be read, or the file has ended, at most until a moment. A regular file needs no wait.
  package func waitForOctets(until end: ContinuousClock.Instant) -> Bool {
    while true {
      let rest = ContinuousClock.now.duration(to: end) / .milliseconds(1)
      guard rest > 0 else { return false }
      var wanted = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
      let count = unsafe poll(&wanted, 1, CInt(clamping: Int(rest.rounded(.up))))
      if count > 0 { return true }
      guard count == 0 || errno == EINTR else { return false }
    }
  }

  /// Reads the next octets of a file of any kind, at most `count` of them; none at its end.
  package func next(_ count: Int) throws(Errno) -> [UInt8] {
    var octets = [UInt8](repeating: 0, count: count)
    let read = try typed {
      try unsafe octets.withUnsafeMutableBytes { try unsafe descriptor.read(into: $0) }
    }
    octets.removeLast(count - read)
    return octets
  }

  // MARK: Paths

  /// The status of what a path leads to; nil where nothing is there that this user may see.
  package static func status(at path: String) -> Stat? { try? unsafe Stat(path.systemName) }

  /// The path of a file without symbolic links; nil where it leads to nothing that this user may see.
  package static func target(of path: String) -> String? {
    guard let target = unsafe realpath(path.systemName, nil) else { return nil }
    defer { unsafe free(target) }
    let octets = unsafe UnsafeBufferPointer(start: target, count: strlen(target))
    return FileName.text(of: unsafe octets.map(UInt8.init(bitPattern:)))
  }

  // MARK: Folders

  /// Opens a folder, in which files can then be created.
  package static func folder(_ path: String) throws(Errno) -> OpenFile {
    try opened { unsafe open(path.systemName, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
  }

  /// Creates a folder that only its owner may use.
  package static func makeFolder(_ path: String) throws(Errno) {
    guard unsafe mkdir(path.systemName, 0o700) == 0 else { throw .last }
  }

  /// Creates a file of this folder for its owner alone, for writing and reading. It replaces a regular file of that name.
  ///
  /// The old file is removed, never overwritten. It may belong to another user, be writable by others, have a second name, or be open in
  /// another program.
  ///
  /// - Throws: `ELOOP` for a symbolic link, `EISDIR` for a folder and `EINVAL` for anything else that is not a regular file. These do not
  ///   change.
  package func createFile(_ name: String) throws(Errno) -> OpenFile {
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    // Tries several times, since others may create or remove the file in between.
    for _ in 0..<16 {
      do throws(Errno) {
        return try Self.opened { unsafe openat(descriptor.rawValue, name.systemName, flags, 0o600) }
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

  /// Opens an existing file of this folder for locking, or creates it for its owner alone. Its content does not change.
  ///
  /// - Throws: `ELOOP` for a symbolic link, which is not followed. A pipe does not block.
  package func openLockFile(_ name: String) throws(Errno) -> OpenFile {
    let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK
    return try Self.opened { unsafe openat(descriptor.rawValue, name.systemName, flags, 0o600) }
  }

  /// Whether a name exists in this folder, even as a broken symbolic link.
  package func contains(_ name: String) -> Bool { (try? type(of: name)) != nil }

  /// Whether a name in this folder is a regular file.
  package func hasRegularFile(_ name: String) -> Bool { (try? type(of: name)) == .regular }

  /// The type of the file with a name in this folder. Nil if the name does not exist.
  private func type(of name: String) throws(Errno) -> FileType? {
    do throws(Errno) {
      return try status(of: name).type
    } catch {
      if error == .noSuchFileOrDirectory { return nil }
      throw error
    }
  }

  /// The status of a name in this folder. A symbolic link is not followed.
  private func status(of name: String) throws(Errno) -> Stat {
    try typed { try unsafe Stat(name.systemName, relativeTo: descriptor, flags: .symlinkNoFollow) }
  }

  /// Creates a file of this folder for writing and reading. It has no name and vanishes when it is closed.
  package func createTemporaryFile() throws(Errno) -> OpenFile {
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    // A name is in use only for a moment, so the first free one is found quickly.
    for attempt in 0..<1000 {
      let name = ".sniffer-\(getpid())-\(attempt).tmp"
      do throws(Errno) {
        let file = try Self.opened { unsafe openat(descriptor.rawValue, name.systemName, flags, 0o600) }
        try remove(name)
        return file
      } catch {
        guard error == .fileExists else { throw error }
      }
    }
    throw .fileExists
  }

  /// Renames a file of this folder in one step. A file with the new name is replaced.
  package func rename(_ name: String, to newName: String) throws(Errno) {
    let folder = descriptor.rawValue
    guard unsafe renameat(folder, name.systemName, folder, newName.systemName) == 0 else { throw .last }
  }

  /// Removes a file of this folder.
  package func remove(_ name: String) throws(Errno) {
    guard unsafe unlinkat(descriptor.rawValue, name.systemName, 0) == 0 else { throw .last }
  }

  /// Whether a name in this folder refers to an open file.
  package func has(_ file: OpenFile, as name: String) -> Bool {
    guard let own = try? file.status(),
      let named = try? status(of: name)
    else { return false }
    return own.deviceID == named.deviceID && own.inode == named.inode
  }

  /// Whether the file has no name any more.
  package var isRemoved: Bool { (try? status())?.linkCount == 0 }

  // MARK: Files

  /// Opens an existing file of any type, to write at its end. A pipe that nobody reads does not block.
  package static func appending(_ path: String) throws(Errno) -> OpenFile {
    try opened { unsafe open(path.systemName, O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK) }
  }

  /// Whether a path refers to this file. A symbolic link does not.
  package func isAt(_ path: String) -> Bool {
    guard let own = try? status(), let named = try? unsafe Stat(path.systemName, followTargetSymlink: false) else {
      return false
    }
    return own.deviceID == named.deviceID && own.inode == named.inode
  }

  /// Whether it is a regular file of this user, which only this user may write, with a single name.
  package var isOwn: Bool { (try? status()).map(Self.isOwn) ?? false }

  /// Whether a name in this folder refers to such a file, or does not exist.
  package func isOwnOrNone(_ name: String) -> Bool {
    do throws(Errno) {
      return Self.isOwn(try status(of: name))
    } catch {
      return error == .noSuchFileOrDirectory
    }
  }

  private static func isOwn(_ status: Stat) -> Bool {
    status.type == .regular && status.userID.rawValue == geteuid() && status.linkCount == 1
      && status.permissions.isDisjoint(with: [.groupWrite, .otherWrite])
  }

  /// Locks the file for this process alone (flock), until it is closed or the process ends in any way.
  ///
  /// - Throws: `EWOULDBLOCK` while another process has it locked; another error if the file system has no locks.
  package func lock() throws(Errno) {
    while flock(descriptor.rawValue, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EINTR else { throw .last }
    }
  }

  /// Whether it is a regular file: no pipe, terminal or other device.
  package var isRegularFile: Bool { (try? status())?.type == .regular }

  /// Whether it is a pipe, with or without a name.
  package var isPipe: Bool { (try? status())?.type == .fifo }

  /// Writes all of `octets`.
  package func write(_ octets: RawSpan) throws(Errno) {
    var written = 0
    while written < octets.byteCount {
      let count = try typed {
        try unsafe octets.extracting(written..<octets.byteCount).withUnsafeBytes { try unsafe descriptor.write($0) }
      }
      // POSIX does not call this an error, but there is no progress.
      guard count > 0 else { throw .ioError }
      written += count
    }
  }

  /// Writes the whole text.
  package func write(_ text: String) throws(Errno) {
    try Array(text.utf8).withOctets { octets throws(Errno) in try write(octets) }
  }

  /// Reads octets of the file from `offset` on into `buffer`, from index `start` to its end.
  ///
  /// - Returns: The number of octets read; 0 at the end of the file.
  package func read(into buffer: inout [UInt8], from start: Int, at offset: Int) throws(Errno) -> Int {
    try typed {
      try unsafe buffer.withUnsafeMutableBytes { memory in
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[start...])
        return try unsafe descriptor.read(fromAbsoluteOffset: Int64(offset), into: rest)
      }
    }
  }

  /// Truncates the file to its first `length` octets.
  package func truncate(to length: Int) throws(Errno) { try typed { try descriptor.resize(to: Int64(length)) } }

  /// Truncates the file to its first `length` octets, and continues writing there.
  package func goBack(to length: Int) throws(Errno) {
    try truncate(to: length)
    try typed { _ = try descriptor.seek(offset: Int64(length), from: .start) }
  }

  /// Closes the descriptor. Throws errors that the file system reports only now.
  package func close() throws(Errno) {
    guard isOpen else { return }
    isOpen = false
    do throws(Errno) { try typed { try descriptor.close() } } catch {
      // It must not be closed again after EINTR: on Linux, the descriptor is closed by then.
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
  /// The error of this thread's last system call.
  fileprivate static var last: Errno { Errno(rawValue: errno) }
}

/// swift-system throws only `Errno`, but its types do not say so.
private func typed<Result>(_ body: () throws -> Result) throws(Errno) -> Result {
  do { return try body() } catch { throw error as? Errno ?? .ioError }
}
