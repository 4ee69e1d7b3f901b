// Unsafe: libzstd is handed the addresses of whole arrays, each with its length, for one call.

import CZstd

/// Compresses octets into frames of Zstandard (RFC 8878), each by itself.
@safe
package final class FrameCompressor {
  /// The usual one: what higher levels save costs more than it is worth.
  private static let level: Int32 = 3

  private let context: OpaquePointer?

  /// A compressor; `hasChecksum` says whether each frame has a checksum of its content.
  package init(hasChecksum: Bool = false) {
    unsafe context = ZSTD_createCCtx()
    guard let context = unsafe context else { return }
    _ = unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, Self.level)
    _ = unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, hasChecksum ? 1 : 0)
  }

  deinit { _ = unsafe ZSTD_freeCCtx(context) }

  /// Compresses octets; nil when there is no memory for it.
  package func compress(_ octets: [UInt8]) -> [UInt8]? {
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
}

/// Reads frames of Zstandard whose content is of a known length.
package enum FrameDecompressor {
  /// The content of a frame; nil when it is damaged, does not say its length, or is longer than `limit` octets.
  package static func content(of frame: [UInt8], limit: Int) -> [UInt8]? {
    let size = unsafe frame.withUnsafeBytes { unsafe ZSTD_getFrameContentSize($0.baseAddress, $0.count) }
    // Unknown and damaged are the two largest numbers.
    guard size <= UInt64(limit) else { return nil }
    var isFault = false
    let content = unsafe [UInt8](unsafeUninitializedCapacity: Int(size)) { target, count in
      let length = unsafe frame.withUnsafeBytes { source in
        unsafe ZSTD_decompress(target.baseAddress, target.count, source.baseAddress, source.count)
      }
      isFault = ZSTD_isError(length) != 0 || length != Int(size)
      count = isFault ? 0 : length
    }
    return isFault ? nil : content
  }
}
