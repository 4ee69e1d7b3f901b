// Unsafe: for one call of `inflate`, zlib gets pointers to the caller's octets and to the output buffer, each with its length. Its stream
// is allocated here because it must not move, as zlib checks.

import CZlib
import HTTPReassembly

/// A stream of RFC 1951 compressed data in one of its wrappers, decoded by zlib.
///
/// It holds about 40 KiB from the first octets on: 7 KiB of state, and a window of 32 KiB once there is output.
@safe
final class Inflater {
  /// The format around the compressed data.
  enum Wrapper: Int32 {
    /// A gzip member, RFC 1952. zlib verifies the header's checksum, the CRC-32 and the length.
    case gzip = 31
    /// The zlib format, RFC 1950. zlib verifies the Adler-32.
    case zlib = 15
    /// No wrapper, RFC 1951: there is nothing to verify.
    case none = -15
  }

  /// The result of a run over octets.
  enum Step {
    /// The octets are used up, or as many as zlib takes at once; more are needed.
    case unfinished
    /// The stream's end was found; octets may be left.
    case ended
    /// The rest is not wanted.
    case unwanted
    /// The stream could not be decoded.
    case failed(ContentFailure)
  }

  /// Octets of memory that an inflater holds, as counted in its `WindowMemory`.
  private static let held = 40 << 10

  private let memory: WindowMemory
  private var wrapper: Wrapper
  /// Exists from the first octets on.
  private var stream: UnsafeMutablePointer<z_stream>?

  /// The most octets for one call, since zlib counts in 32 bits on some platforms. More octets take several calls.
  static let inputLimit = 1 << 30

  /// The most octets that DEFLATE makes of one coded octet: 258 of two bits (RFC 1951 §3.2.5).
  static let largestRatio = 1032

  init(_ wrapper: Wrapper, memory: WindowMemory) {
    self.wrapper = wrapper
    self.memory = memory
  }

  /// The stream, which is made on first use; nil if it would exceed the memory limit.
  private func opened() -> UnsafeMutablePointer<z_stream>? {
    if let stream = unsafe stream { return unsafe stream }
    guard memory.reserve(Self.held) else { return nil }
    let made = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    unsafe made.initialize(to: z_stream())
    let code = unsafe inflateInit2_(made, wrapper.rawValue, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    precondition(code == Z_OK, "zlib has no memory or is of another version")
    unsafe stream = made
    return unsafe made
  }

  deinit {
    guard let stream = unsafe stream else { return }
    memory.release(Self.held)
    unsafe inflateEnd(stream)
    unsafe stream.deinitialize(count: 1)
    unsafe stream.deallocate()
  }

  /// Prepares for another stream. The window's memory is kept.
  func reset(_ wrapper: Wrapper) {
    self.wrapper = wrapper
    guard let stream = unsafe stream else { return }
    let code = unsafe inflateReset2(stream, wrapper.rawValue)
    precondition(code == Z_OK, "zlib refuses its own stream")
  }

  /// Prepares for another stream without wrapper that may refer to the output of the last one.
  func resume() {
    guard let stream = unsafe stream else { return }
    let code = unsafe inflateResetKeep(stream)
    precondition(code == Z_OK, "zlib refuses its own stream")
  }

  /// Decodes the octets from `position` on, and moves `position` to the first unused one.
  func run(
    _ octets: RawSpan, from position: inout Int, buffer: OutputBuffer, output: (RawSpan) -> Bool
  ) -> Step {
    guard let stream = unsafe opened() else { return .failed(.beyondLimit) }
    let length = min(octets.byteCount - position, Self.inputLimit)
    let rest = octets.extracting(position..<(position + length))
    return unsafe rest.withUnsafeBytes { input in
      // zlib's `next_in` is mutable only because C's `const` came late to it; zlib does not write there.
      unsafe stream.pointee.next_in = UnsafeMutablePointer(
        mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
      unsafe stream.pointee.avail_in = uInt(length)
      defer {
        unsafe position += length - Int(stream.pointee.avail_in)
        unsafe stream.pointee.next_in = nil
        unsafe stream.pointee.avail_in = 0
      }
      repeat {
        unsafe stream.pointee.next_out = buffer.start
        unsafe stream.pointee.avail_out = uInt(OutputBuffer.capacity)
        let code = unsafe inflate(stream, Z_NO_FLUSH)
        let count = unsafe OutputBuffer.capacity - Int(stream.pointee.avail_out)
        if count > 0, !buffer.withOctets(first: count, output) { return .unwanted }
        switch code {
        case Z_OK: continue
        // This is no error: the output buffer was filled exactly, and no work was left.
        case Z_BUF_ERROR: return .unfinished
        case Z_STREAM_END: return .ended
        case Z_MEM_ERROR: return .failed(.beyondLimit)
        // This includes `Z_NEED_DICT`: HTTP has no way to agree on a preset dictionary for `deflate`.
        default: return .failed(.corrupt)
        }
      } while unsafe stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0
      return .unfinished
    }
  }
}
