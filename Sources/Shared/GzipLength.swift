// Unsafe: for one call of `deflate`, zlib gets pointers to the caller's octets and to its own buffer, each with its length. The stream is
// allocated here because it must not move, as zlib checks.

import CZlib

/// The length of content as one gzip member (RFC 1952). zlib compresses the content, and only its octets are counted.
///
/// It holds about 330 KiB.
@safe
package final class GzipLength {
  private let stream: UnsafeMutablePointer<z_stream>
  /// The output of zlib, which is not used.
  private let buffer: UnsafeMutableBufferPointer<UInt8>
  private var count = 0

  /// The most octets for one call, since zlib counts in 32 bits on some platforms. More octets take several calls.
  static let inputLimit = 1 << 30
  static let bufferLength = 64 << 10

  /// Starts a member. `level` is zlib's, 0 to 9; 6 is its default, and common.
  package init(level: Int = 6) {
    precondition(0...9 ~= level)
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    unsafe buffer = .allocate(capacity: Self.bufferLength)
    // 31 means the largest window (15) with a gzip header and trailer; 8 is zlib's default memory level.
    let code = unsafe deflateInit2_(
      stream, Int32(level), Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    precondition(code == Z_OK, "zlib has no memory or is of another version")
  }

  deinit {
    unsafe deflateEnd(stream)
    unsafe stream.deinitialize(count: 1)
    unsafe stream.deallocate()
    unsafe buffer.deallocate()
  }

  /// Takes the next octets of the content.
  package func feed(_ octets: RawSpan) {
    unsafe octets.withUnsafeBytes { unsafe feed($0) }
  }

  /// Takes the next octets of the content. The pointer is used only during the call.
  package func feed(_ octets: UnsafeRawBufferPointer) {
    var rest = unsafe octets[...]
    while unsafe !rest.isEmpty {
      unsafe run(UnsafeRawBufferPointer(rebasing: rest.prefix(Self.inputLimit)), Z_NO_FLUSH)
      unsafe rest = rest.dropFirst(Self.inputLimit)
    }
  }

  /// Ends the content. Returns the length of the whole member in octets, with header and trailer, and prepares for another content.
  package func finish() -> Int {
    unsafe run(UnsafeRawBufferPointer(start: nil, count: 0), Z_FINISH)
    defer { count = 0 }
    let code = unsafe deflateReset(stream)
    precondition(code == Z_OK, "zlib refuses its own stream")
    return count
  }

  private func run(_ input: UnsafeRawBufferPointer, _ flush: Int32) {
    // zlib's `next_in` is mutable only because C's `const` came late to it; zlib does not write there.
    unsafe stream.pointee.next_in = UnsafeMutablePointer(
      mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
    unsafe stream.pointee.avail_in = uInt(input.count)
    repeat {
      unsafe stream.pointee.next_out = buffer.baseAddress
      unsafe stream.pointee.avail_out = uInt(Self.bufferLength)
      _ = unsafe deflate(stream, flush)
      count += unsafe Self.bufferLength - Int(stream.pointee.avail_out)
    } while unsafe stream.pointee.avail_out == 0
    unsafe stream.pointee.next_in = nil
  }
}
