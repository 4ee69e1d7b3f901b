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
  /// More octets came out than a limit allows, or more memory would be needed. How long the content is, is not known.
  case beyondLimit
}

/// Takes the codings off one message's content and counts, or lends, what comes out; that is not stored.
///
/// A decoder is asked for by the codings' names and is used for one message at a time.
public protocol ContentDecoding: AnyObject {
  /// Takes the next octets of the coded content. After a failure it takes them and does nothing. When more comes out than
  /// `allowance` has left, that is a failure, too.
  func feed(_ octets: RawSpan, within allowance: inout DecodingAllowance)
  /// As `feed(_:within:)`, and lends the decoded octets to `output` as they come. They are not known to be good before
  /// `finish` says so. `output` must not use this decoder.
  func feed(_ octets: RawSpan, within allowance: inout DecodingAllowance, output: (RawSpan) -> Void)
  /// Says how it ended, after it decoded what it kept until then. The decoder can then be used for the next message of the
  /// same codings.
  func finish(within allowance: inout DecodingAllowance) -> ContentOutcome
}

/// A content that has ended, and whose outcome is asked for later.
public struct PendingContent: Sendable, Equatable {
  /// What its source knows it by.
  public let ticket: Int

  /// A content that its source knows by `ticket`.
  public init(ticket: Int) { self.ticket = ticket }
}

/// Makes decoders.
///
/// A source may decode on other threads: between a message's end and its row there is time. It then takes the content by
/// `finishLater(_:within:)`.
public protocol ContentDecoderSource {
  /// A decoder for content to which `codings` were applied, in the order in which they were applied, names in
  /// lower case (`gzip`, `deflate`, `br`, `zstd`, their `x-` forms); nil when one of them is not known.
  mutating func decoder(for codings: [String]) -> (any ContentDecoding)?
  /// Takes back a decoder that has finished, for the next message.
  mutating func recycle(_ decoder: any ContentDecoding, codings: [String])

  /// Octets of memory that its decoders hold, idle ones too. Without an implementation 0.
  var memory: Int { get }

  /// Instead of the decoder's `finish(within:)`: takes the content out of it, for an outcome that is asked for later; nil when
  /// `finish(within:)` is to be called. Without an implementation that is always so. `allowance` says how much may
  /// be taken so.
  mutating func finishLater(
    _ decoder: any ContentDecoding, within allowance: inout DecodingAllowance
  ) -> PendingContent?
  /// The outcome of a content that `finishLater(_:within:)` took, waiting for it if need be. May be asked for again.
  func outcome(of content: PendingContent) -> ContentOutcome
  /// Forgets a content whose outcome was asked for.
  mutating func forget(_ content: PendingContent)
}

extension ContentDecoderSource {
  /// Nothing that counts.
  public var memory: Int { 0 }
  /// Takes nothing.
  public mutating func finishLater(
    _ decoder: any ContentDecoding, within allowance: inout DecodingAllowance
  ) -> PendingContent? { nil }
  /// Nothing was taken.
  public func outcome(of content: PendingContent) -> ContentOutcome { preconditionFailure("nothing was taken") }
  /// Nothing was taken.
  public mutating func forget(_ content: PendingContent) {}
}
