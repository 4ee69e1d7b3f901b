#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The folder that captures are written to. Its files are created relative to it, so that they all end up in the folder
/// that was opened, whatever becomes of its name. Unsafe sites: system calls that take addresses, and the entries that
/// `readdir` lends.
final class CaptureFolder {
  private let descriptor: Int32
  /// The folder's path with a slash at its end, or nothing.
  private let prefix: String

  /// Opens the folder of a file's path. Throws when it is not there.
  init(of path: String) throws(CaptureError) {
    let slash = path.lastIndex(of: "/")
    let prefix = slash.map { String(path[...$0]) } ?? ""
    self.prefix = prefix
    descriptor = retryingInterrupted {
      unsafe open(prefix.isEmpty ? "." : prefix, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    guard descriptor >= 0 else { throw CaptureError(file: path, problem: .cannotWrite(errno: errno)) }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// The path of a file in it, for errors.
  func path(_ name: String) -> String { prefix + name }

  /// Creates a file for its owner alone, in place of a regular file of that name.
  ///
  /// The one before is removed and not emptied, so that whoever has it open does not read the new one. A symbolic link
  /// is refused (`ELOOP`), as is all else (`EINVAL`) but a character device such as `/dev/null`.
  func create(_ name: String) throws(CaptureError) -> BlockFile {
    // More than once, since others may make or remove the file in between.
    for _ in 0..<16 {
      let created = retryingInterrupted {
        unsafe openat(descriptor, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
      }
      if created >= 0 { return BlockFile(descriptor: created, path: path(name), isRegular: true) }
      guard errno == EEXIST else { throw error(name) }
      var status = stat()
      guard unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
        if errno == ENOENT { continue }
        throw error(name)
      }
      switch status.st_mode & S_IFMT {
      case S_IFREG: try remove(name)
      case S_IFCHR:
        let opened = retryingInterrupted { unsafe openat(descriptor, name, O_WRONLY | O_NOFOLLOW | O_CLOEXEC) }
        guard opened >= 0 else { throw error(name) }
        return BlockFile(descriptor: opened, path: path(name), isRegular: false)
      case S_IFLNK: throw error(name, ELOOP)
      case S_IFDIR: throw error(name, EISDIR)
      default: throw error(name, EINVAL)
      }
    }
    throw error(name, EEXIST)
  }

  /// Removes a file, if it is there.
  func remove(_ name: String) throws(CaptureError) {
    guard unsafe unlinkat(descriptor, name, 0) == 0 || errno == ENOENT else { throw error(name) }
  }

  /// Whether the name is still that of an open file.
  func has(_ file: BlockFile, as name: String) -> Bool {
    var status = stat()
    guard unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return false }
    return file.isSame(as: status)
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
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      names.append(name)
    }
    return names
  }

  private func error(_ name: String, _ number: Int32 = errno) -> CaptureError {
    CaptureError(file: path(name), problem: .cannotWrite(errno: number))
  }
}

/// An open file that whole blocks are written to. Unsafe sites: system calls that take addresses.
final class BlockFile {
  /// Its path, for errors.
  let path: String
  /// Octets written.
  private(set) var length = 0

  private var descriptor: Int32
  private let isRegular: Bool

  init(descriptor: Int32, path: String, isRegular: Bool) {
    self.descriptor = descriptor
    self.path = path
    self.isRegular = isRegular
  }

  deinit {
    if descriptor >= 0 { systemClose(descriptor) }
  }

  /// Writes whole blocks.
  ///
  /// If that fails, the file is cut to the last block that was written whole, so that it stays readable; nothing more
  /// may be written then.
  func write(_ blocks: borrowing BlockBuffer) throws(CaptureError) {
    var written = 0
    while written < blocks.count {
      let count = unsafe blocks.withUnsafeBytes { octets in
        unsafe systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: octets[written...]))
      }
      if count > 0 {
        written += count
      } else if count == 0 || errno != EINTR {
        // To write nothing is no error by POSIX, but no progress either.
        let number = count == 0 ? EIO : errno
        let whole = length + blocks.boundary(notAfter: written)
        if isRegular { ftruncate(descriptor, off_t(whole)) }
        length = whole
        throw CaptureError(file: path, offset: whole, problem: .cannotWrite(errno: number))
      }
    }
    length += written
  }

  /// Closes the file. Throws what the file system says only now.
  func close() throws(CaptureError) {
    guard descriptor >= 0 else { return }
    defer { descriptor = -1 }
    // Not again after EINTR: on Linux it is closed by then.
    guard systemClose(descriptor) == 0 || errno == EINTR else {
      throw CaptureError(file: path, problem: .cannotWrite(errno: errno))
    }
  }

  /// Whether this is the file of a status.
  func isSame(as status: stat) -> Bool {
    var own = stat()
    guard unsafe fstat(descriptor, &own) == 0 else { return false }
    return own.st_dev == status.st_dev && own.st_ino == status.st_ino
  }
}

/// `write(2)`, under a name that the class's own `write` does not hide.
private func systemWrite(_ descriptor: Int32, _ octets: UnsafeRawBufferPointer) -> Int {
  unsafe write(descriptor, octets.baseAddress, octets.count)
}

/// `close(2)`, under a name that the class's own `close` does not hide.
@discardableResult
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
