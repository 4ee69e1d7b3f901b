/// How the decoding of one message's content ended.
public enum ContentOutcome: Sendable, Equatable {
  /// The whole content, `octets` long without its codings.
  case decoded(octets: Int)
  /// As `decoded`, but octets followed the end of the coded stream and were left out.
  case decodedWithTrailingJunk(octets: Int)
  /// It could not be decoded.
  case failed(ContentFailure)
}

/// Why content could not be decoded.
public enum ContentFailure: Sendable, Equatable {
  /// The coded stream is not what its coding says.
  case corrupt
  /// The coded stream stops before its end.
  case truncated
  /// More octets came out than the limit allows.
  case beyondLimit
}

/// Takes the codings off one message's content and counts, or lends, what comes out; nothing is stored.
///
/// A decoder is asked for by the codings' names and is used for one message at a time.
public protocol ContentDecoding: AnyObject {
  /// Takes the next octets of the coded content. After a failure it takes them and does nothing.
  func feed(_ octets: RawSpan)
  /// As `feed(_:)`, and lends the decoded octets to `output` as they come. They are not known to be good before `finish`
  /// says so. `output` must not use this decoder.
  func feed(_ octets: RawSpan, output: (RawSpan) -> Void)
  /// Says how it ended. The decoder can then be used for the next message of the same codings.
  func finish() -> ContentOutcome
}

/// Makes decoders.
public protocol ContentDecoderSource {
  /// A decoder for content to which `codings` were applied, in the order in which they were applied, names in
  /// lower case (`gzip`, `deflate`, `br`, `zstd`, their `x-` forms); nil when one of them is not known.
  mutating func decoder(for codings: [String]) -> (any ContentDecoding)?
  /// Takes back a decoder that has finished, for the next message.
  mutating func recycle(_ decoder: any ContentDecoding, codings: [String])
}
