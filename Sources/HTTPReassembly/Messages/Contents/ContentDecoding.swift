/// The outcome of decoding one message's content.
public enum ContentOutcome: Sendable, Equatable {
  /// The whole content was decoded; it is `octets` long without its codings.
  case decoded(octets: Int)
  /// The content was decoded as for `decoded`, but octets followed the end of the coded stream and were left out.
  case decodedWithTrailingJunk(octets: Int)
  /// The content could not be decoded.
  case failed(ContentFailure)
}

/// The reason why content could not be decoded.
public enum ContentFailure: Sendable, Equatable {
  /// The coded stream breaks the rules of its coding.
  case corrupt
  /// The coded stream stops before its end.
  case truncated
  /// The output exceeds a limit, or needs more memory than allowed. The content's length is unknown.
  case beyondLimit
}

/// Removes the codings of one message's content, and counts or lends the output without storing it.
///
/// A decoder is requested by the names of its codings, and serves one message at a time.
public protocol ContentDecoding: AnyObject {
  /// Takes the next octets of the coded content. After a failure, it ignores them. Output beyond the rest of `allowance` is a failure, too.
  func feed(_ octets: RawSpan, within allowance: inout DecodingAllowance)
  /// Decodes as `feed(_:within:)` does, and lends decoded octets to `output` as they come. Only `finish` tells whether they are valid.
  /// `output` must not use this decoder.
  func feed(_ octets: RawSpan, within allowance: inout DecodingAllowance, output: (RawSpan) -> Void)
  /// Decodes kept octets and returns the outcome. The decoder can then serve the next message with the same codings.
  func finish(within allowance: inout DecodingAllowance) -> ContentOutcome
}

/// A content that has ended, and whose outcome is asked for later.
public struct PendingContent: Sendable, Equatable {
  /// The number by which its source knows it.
  public let ticket: Int

  /// Creates a content that its source knows by `ticket`.
  public init(ticket: Int) { self.ticket = ticket }
}

/// A source of decoders.
///
/// A source may decode on other threads, because time passes between a message's end and its row. It then takes the content by
/// `finishLater(_:within:)`.
public protocol ContentDecoderSource {
  /// Returns a decoder for content with `codings`, in the order of their application. Their names are in lower case (`gzip`, `deflate`,
  /// `br`, `zstd`, their `x-` forms). Nil if a coding is unknown.
  mutating func decoder(for codings: [String]) -> (any ContentDecoding)?
  /// Returns a decoder for one direction of a WebSocket with permessage-deflate (RFC 7692): it takes all compressed messages, each with the
  /// four octets that its sender leaves out. Nil, as by default, if there is none.
  mutating func messageDecoder() -> (any ContentDecoding)?
  /// Takes back a finished decoder, for the next message.
  mutating func recycle(_ decoder: any ContentDecoding, codings: [String])

  /// Octets of memory that its decoders hold, idle ones included. The default is 0.
  var memory: Int { get }

  /// Takes the content out of the decoder, for an outcome that is asked for later, in place of the decoder's `finish(within:)`. Returns nil
  /// if `finish(within:)` must be called, as the default does. `allowance` limits how much may be taken.
  mutating func finishLater(
    _ decoder: any ContentDecoding, within allowance: inout DecodingAllowance
  ) -> PendingContent?
  /// The outcome of a content that `finishLater(_:within:)` took. Waits for it if necessary, and may be called again.
  func outcome(of content: PendingContent) -> ContentOutcome
  /// Forgets a content whose outcome is known.
  mutating func forget(_ content: PendingContent)
}

extension ContentDecoderSource {
  /// The default: no memory.
  public var memory: Int { 0 }
  /// The default: none.
  public mutating func messageDecoder() -> (any ContentDecoding)? { nil }
  /// The default: takes nothing.
  public mutating func finishLater(
    _ decoder: any ContentDecoding, within allowance: inout DecodingAllowance
  ) -> PendingContent? { nil }
  /// The default: never called, since nothing was taken.
  public func outcome(of content: PendingContent) -> ContentOutcome { preconditionFailure("nothing was taken") }
  /// The default: nothing was taken.
  public mutating func forget(_ content: PendingContent) {}
}
