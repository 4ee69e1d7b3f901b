// Unsafe: system calls that take addresses.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An input as a file, for what reads files only.
enum InputFile {
  /// Lends the path of a file that holds `octets`, for one call. It is in memory where the system has such a place.
  static func withFile<Result>(_ octets: [UInt8], _ body: (String) -> Result) -> Result {
    #if os(Linux)
      var template = Array("/dev/shm/sniffer-fuzz-XXXXXX".utf8CString)
    #else
      var template = Array("/tmp/sniffer-fuzz-XXXXXX".utf8CString)
    #endif
    let descriptor = unsafe template.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return Int32(-1) }
      return unsafe mkstemp(start)
    }
    precondition(descriptor >= 0, "no temporary file")
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer {
      close(descriptor)
      unsafe unlink(path)
    }
    let written = unsafe octets.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
    precondition(written == octets.count, "the temporary file is full")
    return body(path)
  }
}
