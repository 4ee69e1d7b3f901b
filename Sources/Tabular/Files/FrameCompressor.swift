// Unsafe: for one call, libzstd gets the addresses of whole arrays with their lengths.

import CZstd

/// Compresses octets into single frames of Zstandard (RFC 8878).
@safe
package final class FrameCompressor {
  /// The default level; higher ones save less than they cost.
  private static let level: Int32 = 3

  private let context: OpaquePointer?

  /// Creates a compressor. `hasChecksum` says whether each frame has a checksum of its content.
  package init(hasChecksum: Bool = false) {
    unsafe context = ZSTD_createCCtx()
    guard let context = unsafe context else { return }
    _ = unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, Self.level)
    _ = unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, hasChecksum ? 1 : 0)
  }

  deinit { _ = unsafe ZSTD_freeCCtx(context) }

  /// Compresses octets; nil if memory is lacking.
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

/// Reads frames of Zstandard whose headers give the content's length.
package enum FrameDecompressor {
  /// The content of a frame. Nil if the frame is damaged, does not give its length, or has more than `limit` octets of content.
  package static func content(of frame: [UInt8], limit: Int) -> [UInt8]? {
    let size = unsafe frame.withUnsafeBytes { unsafe ZSTD_getFrameContentSize($0.baseAddress, $0.count) }
    // The codes for an unknown length and for damage are the two largest numbers.
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
