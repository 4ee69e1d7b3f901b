#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

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
