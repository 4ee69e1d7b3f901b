import Foundation
import Shared

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The content of a response as the system delivers it: counted while it passes, and compressed again where nothing else
/// tells how long it was on the wire.
struct DeliveredContent {
  /// Octets of content that are compressed at most, which takes some 20 ms a MiB on a phone; what is longer is counted as it
  /// was delivered.
  static let compressionLimit = 8 << 20

  /// Octets that were delivered, without content coding.
  private(set) var octets = 0
  /// Holds some 330 KiB until the content ends; nil where it is not needed.
  private var compressor: GzipLength?

  /// Whether nothing but compressing the content again tells its length.
  var isCompressing: Bool { compressor != nil }

  /// The content of `response` is about to come.
  mutating func begin(_ response: HTTPURLResponse) {
    compressor = ResponseBody.needsCompression(response) ? GzipLength() : nil
  }

  /// More of it was delivered.
  mutating func add(_ data: Data) {
    octets += data.count
    guard octets <= Self.compressionLimit else {
      compressor = nil
      return
    }
    // The pointer is used during the call only.
    if let compressor { unsafe data.withUnsafeBytes { unsafe compressor.feed($0) } }
  }

  /// `count` octets went past the client, into a file.
  mutating func addUnseen(_ count: Int) {
    octets += count
    compressor = nil
  }

  /// Octets of the whole content as one gzip member of zlib at level 6, which is what most servers send; nil where it was not
  /// compressed. To be asked for once.
  func gzipLength() -> Int? { octets == 0 ? nil : compressor?.finish() }
}
