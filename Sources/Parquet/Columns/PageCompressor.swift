// Unsafe: libzstd and zlib are handed the addresses of whole arrays, each with its length, for one call.

import CZlib
import CZstd

/// Compresses pages with Zstandard, each by itself.
@safe
final class PageCompressor {
  /// The usual one: what higher levels save on pages costs more than it is worth.
  private static let level: Int32 = 3

  private let context: OpaquePointer?

  init() {
    unsafe context = ZSTD_createCCtx()
    if let context = unsafe context { _ = unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, Self.level) }
  }

  deinit { _ = unsafe ZSTD_freeCCtx(context) }

  /// Compresses octets; nil when there is no memory for it.
  func compress(_ octets: [UInt8]) -> [UInt8]? {
    guard let context = unsafe context else { return nil }
    let bound = ZSTD_compressBound(octets.count)
    var isFault = false
    let compressed = unsafe [UInt8](unsafeUninitializedCapacity: bound) { target, count in
      let length = unsafe octets.withUnsafeBytes { source in
        unsafe ZSTD_compress2(context, target.baseAddress, target.count, source.baseAddress, source.count)
      }
      isFault = ZSTD_isError(length) != 0
      count = isFault ? 0 : length
    }
    return isFault ? nil : compressed
  }

  /// The CRC-32 of octets, as gzip has it.
  static func checksum(_ octets: [UInt8]) -> Int32 {
    let sum = unsafe octets.withUnsafeBufferPointer { unsafe crc32_z(0, $0.baseAddress, $0.count) }
    return Int32(truncatingIfNeeded: sum)
  }
}
