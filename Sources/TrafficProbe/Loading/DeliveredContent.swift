import Foundation
import Shared

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The content of a response as the system delivers it. It is counted while it passes. It is compressed again when no other fact
/// tells its length on the wire.
struct DeliveredContent {
  /// The largest number of octets that are compressed, which takes some 20 ms a MiB on a phone. Longer content counts as
  /// delivered.
  static let compressionLimit = 8 << 20

  /// Delivered octets, without content coding.
  private(set) var octets = 0
  /// Holds some 330 KiB until the content ends; nil if not needed.
  private var compressor: GzipLength?

  /// Whether the length is only known by compressing the content again.
  var isCompressing: Bool { compressor != nil }

  /// Prepares for the content of `response`.
  mutating func begin(_ response: HTTPURLResponse) {
    compressor = ResponseBody.needsCompression(response) ? GzipLength() : nil
  }

  /// Adds a delivered piece.
  mutating func add(_ data: Data) {
    octets += data.count
    guard octets <= Self.compressionLimit else {
      compressor = nil
      return
    }
    // The pointer is used during the call only.
    if let compressor { unsafe data.withUnsafeBytes { unsafe compressor.feed($0) } }
  }

  /// Adds `count` octets that were written into a file, past the client.
  mutating func addUnseen(_ count: Int) {
    octets += count
    compressor = nil
  }

  /// Octets of the whole content as one gzip member of zlib at level 6, which most servers send. Nil if it was not compressed.
  /// Call it once.
  func gzipLength() -> Int? { octets == 0 ? nil : compressor?.finish() }
}
