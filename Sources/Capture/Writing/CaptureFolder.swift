import Shared
import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The folder of written captures. Its files are created relative to it, so that they all are in the opened folder, even if its
/// name changes. Unsafe sites: system calls that take addresses, and the entries that `readdir` lends.
final class CaptureFolder {
  private let descriptor: Int32
  /// The folder's path with a slash at its end, or an empty string.
  private let prefix: String

  /// Opens the folder of a file's path. Throws when it does not exist.
  init(of path: String) throws(CaptureError) {
    let prefix = FileName.split(path).folder
    self.prefix = prefix
    descriptor = retryingInterrupted {
      unsafe open((prefix.isEmpty ? "." : prefix).systemName, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    guard descriptor >= 0 else { throw CaptureError(file: path, problem: .cannotWrite(errno: errno)) }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// The path of a file in it, for errors.
  func path(_ name: String) -> String { prefix + name }

  /// Creates a file for its owner alone, in place of a regular file with that name.
  ///
  /// The old file is removed and never written into, whoever owns it, so that programs that have it open do not read the new one.
  /// It is refused while another run writes it, as that run's lock shows. A symbolic link is refused (`ELOOP`), and so is
  /// anything else (`EINVAL`) except a character device such as `/dev/null`.
  func create(_ name: String) throws(CaptureError) -> BlockFile {
    // It tries more than once, because others may make or remove the file in between.
    for _ in 0..<16 {
      let created = retryingInterrupted {
        unsafe openat(descriptor, name.systemName, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
      }
      if created >= 0 {
        // A file system without locks has none here.
        _ = flock(created, LOCK_EX | LOCK_NB)
        return BlockFile(descriptor: FileDescriptor(rawValue: created), path: path(name), isRegular: true)
      }
      guard errno == EEXIST else { throw error(name) }
      let status: Stat
      do throws(Errno) { status = try self.status(name) } catch .noSuchFileOrDirectory {
        continue
      } catch {
        throw self.error(name, error.rawValue)
      }
      switch status.type {
      case .regular:
        try requireUnlocked(name)
        try remove(name)
      case .characterSpecial:
        let opened = retryingInterrupted {
          unsafe openat(descriptor, name.systemName, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
        }
        guard opened >= 0 else { throw error(name) }
        return BlockFile(descriptor: FileDescriptor(rawValue: opened), path: path(name), isRegular: false)
      case .symbolicLink: throw error(name, ELOOP)
      case .directory: throw error(name, EISDIR)
      default: throw error(name, EINVAL)
      }
    }
    throw error(name, EEXIST)
  }

  /// Throws while another process is writing a file of this folder: a run's lock ends with the run, in any way. A missing file is
  /// unlocked, and so is one that may not be opened.
  func requireUnlocked(_ name: String) throws(CaptureError) {
    let opened = retryingInterrupted {
      unsafe openat(descriptor, name.systemName, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    }
    guard opened >= 0 else { return }
    defer { close(opened) }
    if flock(opened, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
      throw CaptureError(file: path(name), problem: .isBeingWritten)
    }
  }

  /// Removes a file, if it exists.
  func remove(_ name: String) throws(CaptureError) {
    guard unsafe unlinkat(descriptor, name.systemName, 0) == 0 || errno == ENOENT else { throw error(name) }
  }

  /// Whether the name still leads to an open file.
  func has(_ file: BlockFile, as name: String) -> Bool {
    guard let status = try? status(name) else { return false }
    return file.isSame(as: status)
  }

  /// The status of a name; a symbolic link's own status.
  private func status(_ name: String) throws(Errno) -> Stat {
    try unsafe Stat(name.systemName, relativeTo: FileDescriptor(rawValue: descriptor), flags: .symlinkNoFollow)
  }

  /// The names of all files in it.
  func names() throws(CaptureError) -> [String] {
    // A descriptor of its own, which the listing closes.
    let listed = retryingInterrupted { unsafe openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard listed >= 0 else { throw error("") }
    guard let listing = unsafe fdopendir(listed) else {
      close(listed)
      throw error("")
    }
    defer { unsafe closedir(listing) }
    var names: [String] = []
    while let entry = unsafe readdir(listing) {
      names.append(unsafe FolderListing.name(of: entry))
    }
    return names
  }

  private func error(_ name: String, _ number: Int32 = errno) -> CaptureError {
    CaptureError(file: path(name), problem: .cannotWrite(errno: number))
  }
}

/// An open file for whole blocks. Unsafe site: octets lent to the system.
final class BlockFile {
  /// Its path, for errors.
  let path: String
  /// Written octets.
  private(set) var length = 0

  /// Nil after the file is closed.
  private var descriptor: FileDescriptor?
  private let isRegular: Bool

  init(descriptor: FileDescriptor, path: String, isRegular: Bool) {
    self.descriptor = descriptor
    self.path = path
    self.isRegular = isRegular
  }

  deinit { try? descriptor?.close() }

  /// Writes whole blocks.
  ///
  /// On an error the file is cut to the last block that was written whole, so that it stays readable. Nothing more may be written
  /// then.
  func write(_ blocks: borrowing BlockBuffer) throws(CaptureError) {
    guard let descriptor else { return }
    var written = 0
    while written < blocks.count {
      let (count, fault) = unsafe blocks.withUnsafeBytes { octets in
        do {
          return (try unsafe descriptor.write(UnsafeRawBufferPointer(rebasing: octets[written...])), Errno.ioError)
        } catch {
          return (0, error as? Errno ?? .ioError)
        }
      }
      written += count
      // POSIX allows a write of 0 octets without an error, but it is no progress either.
      guard count == 0 else { continue }
      let whole = length + blocks.boundary(notAfter: written)
      if isRegular { try? descriptor.resize(to: Int64(whole)) }
      length = whole
      throw CaptureError(file: path, offset: whole, problem: .cannotWrite(errno: fault.rawValue))
    }
    length += written
  }

  /// Closes the file. Throws errors that the file system reports only now.
  func close() throws(CaptureError) {
    guard let descriptor else { return }
    self.descriptor = nil
    try systemCall {
      // A signal does not repeat it: on Linux the file is closed by then.
      do { try descriptor.close() } catch Errno.interrupted {}
    } failure: {
      CaptureError(file: path, problem: .cannotWrite(errno: $0))
    }
  }

  /// Whether a status belongs to this file.
  func isSame(as status: Stat) -> Bool {
    guard let own = try? descriptor?.stat() else { return false }
    return own.deviceID == status.deviceID && own.inode == status.inode
  }
}

/// Repeats a system call that swift-system lacks while signals interrupt it.
private func retryingInterrupted(_ call: () -> Int32) -> Int32 {
  while true {
    let result = call()
    if result != -1 || errno != EINTR { return result }
  }
}
