// Unsafe: hands arrays to zlib's and libzstd's encoders, each with its length.

import CZlib
import CZstd

/// The octets of a JSON-like text with `items` items: repetitive, as API responses are. Fixtures made elsewhere have it too.
func text(items: Int) -> [UInt8] {
  (0..<items).flatMap { Array("{\"id\":\($0),\"name\":\"item \($0 * $0)\"},".utf8) }
}

/// Octets that no coding makes shorter, the same each time.
func noise(_ count: Int) -> [UInt8] {
  var state: UInt64 = 0x9E37_79B9_7F4A_7C15
  return (0..<count).map { _ in
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return UInt8(truncatingIfNeeded: state >> 32)
  }
}

/// A gzip member (RFC 1952).
func gzip(_ octets: [UInt8], level: Int32 = 6) -> [UInt8] { deflated(octets, windowBits: 31, level: level) }

/// The zlib format (RFC 1950).
func zlib(_ octets: [UInt8], level: Int32 = 6) -> [UInt8] { deflated(octets, windowBits: 15, level: level) }

/// Compressed data alone (RFC 1951).
func rawDeflate(_ octets: [UInt8], level: Int32 = 6) -> [UInt8] { deflated(octets, windowBits: -15, level: level) }

/// A gzip member whose header has all optional fields: extra, name, comment and a checksum of the header.
func gzipWithFullHeader(_ octets: [UInt8]) -> [UInt8] {
  var extra: [UInt8] = [0x41, 0x70, 2, 0, 1, 2]
  var name = Array("name.json".utf8) + [0]
  var comment = Array("a comment".utf8) + [0]
  return unsafe extra.withUnsafeMutableBufferPointer { extra in
    unsafe name.withUnsafeMutableBufferPointer { name in
      unsafe comment.withUnsafeMutableBufferPointer { comment in
        var header = unsafe gz_header()
        unsafe header.time = 1_700_000_000
        unsafe header.os = 3
        unsafe header.extra = extra.baseAddress
        unsafe header.extra_len = uInt(extra.count)
        unsafe header.name = name.baseAddress
        unsafe header.comment = comment.baseAddress
        unsafe header.hcrc = 1
        return unsafe withUnsafeMutablePointer(to: &header) { header in
          unsafe deflated(octets, windowBits: 31, level: 6, header: header)
        }
      }
    }
  }
}

/// A gzip member's header, and a block of 1 MiB of zeros that can be repeated after it.
func gzipOfZeros() -> (header: [UInt8], block: [UInt8]) {
  let zeros = [UInt8](repeating: 0, count: 1 << 20)
  let one = deflated(zeros, windowBits: 31, level: 6, flush: Z_FULL_FLUSH)
  return (Array(one.prefix(10)), Array(one.dropFirst(10)))
}

private func deflated(
  _ octets: [UInt8], windowBits: Int32, level: Int32, flush: Int32 = Z_FINISH, header: gz_headerp? = nil
) -> [UInt8] {
  let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
  unsafe stream.initialize(to: z_stream())
  defer { unsafe stream.deallocate() }
  let code = unsafe deflateInit2_(
    stream, level, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
    Int32(MemoryLayout<z_stream>.size))
  precondition(code == Z_OK)
  defer { unsafe deflateEnd(stream) }
  if let header = unsafe header { unsafe deflateSetHeader(stream, header) }
  var input = octets
  return unsafe input.withUnsafeMutableBufferPointer { input in
    unsafe [UInt8](unsafeUninitializedCapacity: input.count + input.count / 8 + 1024) { output, count in
      unsafe stream.pointee.next_in = input.baseAddress
      unsafe stream.pointee.avail_in = uInt(input.count)
      unsafe stream.pointee.next_out = output.baseAddress
      unsafe stream.pointee.avail_out = uInt(output.count)
      let code = unsafe deflate(stream, flush)
      precondition(code == (flush == Z_FINISH ? Z_STREAM_END : Z_OK))
      count = unsafe output.count - Int(stream.pointee.avail_out)
    }
  }
}

/// A Zstandard frame (RFC 8878 §3.1.1).
func zstandard(_ octets: [UInt8], level: Int32 = 3, hasChecksum: Bool = false) -> [UInt8] {
  let encoder = unsafe ZSTD_createCCtx()
  defer { unsafe ZSTD_freeCCtx(encoder) }
  unsafe ZSTD_CCtx_setParameter(encoder, ZSTD_c_compressionLevel, level)
  unsafe ZSTD_CCtx_setParameter(encoder, ZSTD_c_checksumFlag, hasChecksum ? 1 : 0)
  return unsafe octets.withUnsafeBytes { input in
    unsafe [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(input.count)) { output, count in
      count = unsafe ZSTD_compress2(encoder, output.baseAddress, output.count, input.baseAddress, input.count)
      precondition(ZSTD_isError(count) == 0)
    }
  }
}

/// A skippable Zstandard frame (RFC 8878 §3.1.2).
func skippableFrame(_ octets: [UInt8], variant: UInt8 = 0) -> [UInt8] {
  [0x50 | variant, 0x2A, 0x4D, 0x18] + (0..<4).map { UInt8(truncatingIfNeeded: octets.count >> (8 * $0)) } + octets
}

/// A Zstandard frame that announces a window of 2 to the `windowLog`, and has `blocks` blocks that each repeat one
/// octet 131,072 times (RFC 8878 §3.1.1.1.2, §3.1.1.2.2).
func zstandardRuns(blocks: Int, windowLog: UInt8) -> [UInt8] {
  [0x28, 0xB5, 0x2F, 0xFD, 0, (windowLog - 10) << 3]
    + (0..<blocks).flatMap { [$0 == blocks - 1 ? 3 : 2, 0, 0x10, 0] as [UInt8] }
}
