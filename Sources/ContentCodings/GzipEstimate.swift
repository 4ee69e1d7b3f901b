// Unsafe: for one call, libdeflate gets pointers to the caller's octets and to its own output memory, each with its length.

import CDeflate
import HTTPReassembly

/// The length of contents in gzip, by libdeflate.
///
/// It takes half the time of zlib at its usual level, 6. For 312 texts, scripts and JSON documents together, its output is 1.4 % larger.
/// For one of them, it is between 5 % smaller and 6 % larger.
@safe
public final class GzipEstimate: ContentCompressor, @unchecked Sendable {
  private let compressor: OpaquePointer
  private var output: UnsafeMutableRawPointer
  private var capacity = 0

  /// The level: 1 is fast, 12 is small.
  private static let level: Int32 = 4

  /// Creates an estimate, which holds some 400 KiB.
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

  /// The octets of the gzip member, with header and trailer.
  public func compressedLength(of octets: RawSpan) -> Int {
    // Incompressible octets become a few more.
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
