// Unsafe: libdeflate is handed pointers to the octets lent by the caller and to memory of its own for what comes out, each with
// its length, for one call.

import CDeflate
import HTTPReassembly

/// How long contents would be as gzip, by libdeflate.
///
/// It takes half of the time that zlib takes at its usual level, 6. Of 312 texts, scripts and JSON documents together it makes 1.4 % more
/// than that, of one of them between 5 % less and 6 % more.
@safe
public final class GzipEstimate: ContentCompressor, @unchecked Sendable {
  private let compressor: OpaquePointer
  private var output: UnsafeMutableRawPointer
  private var capacity = 0

  /// Between 1, fast, and 12, small.
  private static let level: Int32 = 4

  /// Holds some 400 KiB.
  public init() {
    guard let compressor = unsafe libdeflate_alloc_compressor(Self.level) else {
      preconditionFailure("libdeflate has no memory")
    }
    unsafe self.compressor = unsafe compressor
    unsafe output = .allocate(byteCount: 0, alignment: 16)
  }

  deinit {
    unsafe libdeflate_free_compressor(compressor)
    unsafe output.deallocate()
  }

  /// The octets of the gzip member, header and trailer included.
  public func compressedLength(of octets: RawSpan) -> Int {
    // Octets that cannot be compressed become a few more.
    let needed = unsafe libdeflate_gzip_compress_bound(compressor, octets.byteCount)
    if needed > capacity {
      unsafe output.deallocate()
      unsafe output = .allocate(byteCount: needed, alignment: 16)
      capacity = needed
    }
    return unsafe octets.withUnsafeBytes { input in
      unsafe libdeflate_gzip_compress(compressor, input.baseAddress, input.count, output, capacity)
    }
  }
}
