/// One part of the program that takes octets from strangers, with what must hold for any of them.
///
/// A new one is a file with a `static let`, and its line in `all`.
package struct FuzzTarget: Sendable {
  /// Its name, which its folders of seeds and findings have too.
  package let name: String
  /// Octets of the longest input that is worth trying.
  package let longestInput: Int
  /// Runs an input. Returns what it broke, in words; nil when all is well.
  package let fault: @Sendable (_ input: [UInt8]) -> String?

  package init(_ name: String, longestInput: Int, fault: @escaping @Sendable (_ input: [UInt8]) -> String?) {
    self.name = name
    self.longestInput = longestInput
    self.fault = fault
  }

  /// Every target.
  package static let all: [FuzzTarget] = [
    .capture, .link, .fragments, .tcp, .http1, .http2, .hpack, .fieldBlock, .qpack, .chunked, .gzip, .deflate, .brotli,
    .zstandard, .stacked, .dns, .csvLog, .sqliteLog, .jsonLog, .harLog, .metricsLog, .curlLog, .netlogLog, .keyLog,
    .tls, .quic, .quicFrames, .quicHeaders, .webSocket, .eventStream,
  ]

  /// The target called `name`.
  package static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}
