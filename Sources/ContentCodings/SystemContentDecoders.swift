import HTTPReassembly
import Packets

/// Decoders for `gzip`, `deflate`, `br` and `zstd`, made of the system's libraries.
///
/// Memory for each message in progress: a short `gzip` that is kept to be decoded as a whole takes at most 32 KiB. Any other `gzip` or
/// `deflate` takes 40 KiB, and all of these together at most `inflaterMemoryLimit`. The sender decides about `br` (up to 16 MiB) and `zstd`
/// (up to 128 MiB), but all of these together take at most `windowMemoryLimit`. Each level of stacked codings has one buffer of 64 KiB.
/// Idle decoders are kept for at most 32 rows of codings, none with more than 1 MiB for each coding. Earlier contents take 2 MiB.
///
/// Work for each message: a coding produces at most `Configuration.decodedContentLimit` octets. All codings together produce at most
/// `Configuration.decodedRatioLimit` for each coded octet. One packet's octets produce at most its `DecodingAllowance`. Contents that are
/// decoded as a whole have an allowance of their own, by their largest possible output.
public final class SystemContentDecoders: ContentDecoderSource {
  /// Idle decoders that are kept: as many as messages that end at about the same time. Making a decoder takes microseconds.
  static let idleLimit = 32
  /// Octets that `br` and `zstd` decoders may hold together for an idle one to be kept.
  static let idleMemoryLimit = 8 << 20

  /// The most octets that all `br` and `zstd` decoders hold together: one `zstd` of the largest window fits.
  public static let windowMemoryLimit = 144 << 20
  /// The most octets that all `gzip` and `deflate` decoders hold together: some 1,200 messages at once.
  public static let inflaterMemoryLimit = 48 << 20

  private let budget: DecodingBudget
  private let contentCodingLimit: Int
  private let windows: WindowMemory
  private let inflaters: WindowMemory
  private let buffers = OutputBuffers()
  /// Decodes whole contents, on the caller's thread or on others.
  private let whole: WholeContentDecoder
  private let pending: PendingContents
  private let own = OwnMemory(State())

  /// State kept for the next contents.
  private struct State {
    /// Idle decoders, the most recently used at the end.
    var idle: [ContentDecoder] = []
    /// Recent contents.
    var familiar = FamiliarContents()
  }

  /// Creates decoders within the limits of `configuration`. Its `br` and `zstd` decoders together hold at most `windowMemoryLimit` octets,
  /// its `gzip` and `deflate` decoders `inflaterMemoryLimit`. A content that needs more fails as beyond the limit. At most `threads`
  /// threads decode besides the caller's.
  public init(
    configuration: Configuration = Configuration(), windowMemoryLimit: Int = SystemContentDecoders.windowMemoryLimit,
    inflaterMemoryLimit: Int = SystemContentDecoders.inflaterMemoryLimit, threads: Int = 0
  ) {
    whole = WholeContentDecoder(limit: configuration.decodedContentLimit)
    pending = PendingContents(contentLimit: configuration.decodedContentLimit, threads: threads)
    budget = DecodingBudget(configuration)
    contentCodingLimit = configuration.contentCodingLimit
    windows = WindowMemory(limit: windowMemoryLimit)
    inflaters = WindowMemory(limit: inflaterMemoryLimit)
  }

  /// Octets of memory that decoders hold, idle ones included.
  public var memory: Int { windows.held + inflaters.held }

  /// Returns a decoder for content with `codings`, in the order of their application, names in lower case. Nil if a coding is unknown or
  /// there are more than the limit.
  ///
  /// Decoders of one source share buffers: different threads may not use them at the same time.
  public func decoder(for codings: [String]) -> (any ContentDecoding)? {
    contentDecoder(for: codings)
  }

  /// Returns a decoder as `decoder(for:)` does, for a caller that needs the decoded octets.
  package func contentDecoder(for codings: [String]) -> ContentDecoder? {
    if let index = own.value.idle.lastIndex(where: { $0.codings == codings }) {
      own.value.idle.swapAt(index, own.value.idle.count - 1)
      return own.value.idle.removeLast().used()
    }
    guard codings.count <= contentCodingLimit else { return nil }
    var stages: [any CodingStage] = []
    for name in codings.reversed() {
      switch ContentCoding(name: name) {
      case .gzip: stages.append(GzipStage(memory: inflaters))
      case .deflate: stages.append(DeflateStage(memory: inflaters))
      case .brotli: stages.append(BrotliStage(memory: windows))
      case .zstandard: stages.append(ZstandardStage(memory: windows))
      case .identity: continue
      case nil: return nil
      }
    }
    let held = stages.count == 1 && stages[0] is GzipStage ? HeldContent(memory: inflaters) : nil
    return ContentDecoder(
      codings: codings, stages: stages, budget: budget, buffers: buffers,
      memory: DecoderMemory(windows: windows, inflaters: inflaters), held: held)
  }

  /// Returns a decoder for the compressed messages of a WebSocket (RFC 7692). It is not kept when it is idle.
  public func messageDecoder() -> (any ContentDecoding)? {
    ContentDecoder(
      codings: [], stages: [MessagesStage(memory: inflaters)], budget: budget, buffers: buffers,
      memory: DecoderMemory(windows: windows, inflaters: inflaters))
  }

  /// Takes the content of a `gzip` decoder of this source if it is short and was kept as a whole, else returns nil.
  public func finishLater(
    _ decoder: any ContentDecoding, within allowance: inout DecodingAllowance
  ) -> PendingContent? {
    guard let decoder = decoder as? ContentDecoder, decoder.heldCount > 0 else { return nil }
    // It counts the input, not the output, which is not known yet: rows must not depend on the progress of other threads.
    guard allowance.postpone(min(decoder.heldCount * Inflater.largestRatio, budget.octets)) else { return nil }
    defer { allowance.note(whole.takeMade()) }
    switch own.value.familiar.outcome(of: decoder.heldOctets) {
    case .known(let outcome):
      decoder.forgetHeld()
      return settled(outcome)
    case .awaited(let content):
      guard let outcome = pending.outcomeSoFar(of: content) else {
        return pending.add(decoder.takeWhole(), own: whole)
      }
      decoder.forgetHeld()
      own.value.familiar.learn(outcome, of: content)
      return settled(outcome)
    case nil:
      let octets = decoder.takeWhole()
      let content = pending.add(octets, own: whole)
      own.value.familiar.expect(octets, as: content)
      return content
    }
  }

  /// A content whose outcome is known. Its ticket is the length itself, below 0, so no memory is needed.
  private func settled(_ outcome: ContentOutcome) -> PendingContent {
    if case .decoded(let octets) = outcome { PendingContent(ticket: -1 - octets) } else { pending.add(outcome) }
  }

  /// The outcome of a content that `finishLater` took.
  public func outcome(of content: PendingContent) -> ContentOutcome {
    content.ticket < 0 ? .decoded(octets: -1 - content.ticket) : pending.outcome(of: content, own: whole)
  }

  /// Forgets a content that `finishLater` took.
  public func forget(_ content: PendingContent) {
    if content.ticket >= 0 { own.value.familiar.learn(pending.forget(content), of: content) }
  }

  /// Takes back a decoder of this source, finished or not, for the next message.
  public func recycle(_ decoder: any ContentDecoding, codings: [String]) {
    guard own.value.idle.count < Self.idleLimit, let decoder = decoder as? ContentDecoder, !decoder.isIdle else {
      return
    }
    decoder.reset()
    // Idle decoders are kept only while memory is plentiful: stacked codings can hold some MiB each.
    guard windows.held <= Self.idleMemoryLimit else { return }
    decoder.isIdle = true
    own.value.idle.append(decoder)
  }
}

extension ContentDecoder {
  /// Marks the decoder as used, and returns it.
  fileprivate func used() -> ContentDecoder {
    isIdle = false
    return self
  }
}
