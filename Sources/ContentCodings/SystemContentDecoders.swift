import HTTPReassembly
import Packets

/// Decoders for `gzip`, `deflate`, `br` and `zstd`, made of the system's libraries.
///
/// Memory for each message being decoded: at most 32 KiB for a short `gzip` that is kept to be decoded as a whole, 40 KiB for
/// each other `gzip` or `deflate`, all of these together at most `inflaterMemoryLimit`; for `br` up to 16 MiB and for `zstd`
/// up to 128 MiB, as the sender says, but all of these together at most `windowMemoryLimit`. Beside them there are one buffer
/// of 64 KiB for each level of stacked codings, idle decoders for at most 32 rows of codings, none holding more than 1 MiB
/// for each coding, and 2 MiB of contents that came before.
///
/// Time for each message: at most `Configuration.decodedContentLimit` octets come out of a coding, and out of all of them at most
/// `Configuration.decodedRatioLimit` for each coded octet; out of what one packet completes, what its `DecodingAllowance`
/// has. Contents that are decoded as a whole have an allowance of their own, by what they could make at most.
public final class SystemContentDecoders: ContentDecoderSource {
  /// Decoders kept for reuse: as many messages as end at about the same time; making one takes microseconds.
  static let idleLimit = 32
  /// Octets that `br` and `zstd` decoders hold together while idle ones are kept.
  static let idleMemoryLimit = 8 << 20

  /// Octets that all `br` and `zstd` decoders hold together: one `zstd` of the largest window fits.
  public static let windowMemoryLimit = 144 << 20
  /// Octets that all `gzip` and `deflate` decoders hold together: those of some 1,200 messages at once.
  public static let inflaterMemoryLimit = 48 << 20

  private let budget: DecodingBudget
  private let contentCodingLimit: Int
  private let windows: WindowMemory
  private let inflaters: WindowMemory
  private let buffers = OutputBuffers()
  /// For contents that are there as a whole: the caller's own decoder, and those that threads decode.
  private let whole: WholeContentDecoder
  private let pending: PendingContents
  private let own = OwnMemory(State())

  /// What is kept for the next contents.
  private struct State {
    /// Decoders for the next ones, the one that was used last at the end.
    var idle: [ContentDecoder] = []
    /// Contents that came before.
    var familiar = FamiliarContents()
  }

  /// Decoders within the limits of `configuration`, whose `br` and `zstd` decoders together hold at most
  /// `windowMemoryLimit` octets, and those of `gzip` and `deflate` `inflaterMemoryLimit`; a content that needs more fails as
  /// beyond the limit. At most `threads` threads besides the caller's decode.
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

  /// Octets of memory that decoders hold, idle ones too.
  public var memory: Int { windows.held + inflaters.held }

  /// A decoder for content to which `codings` were applied, in that order, names in lower case; nil when one of them is
  /// not known or there are more than the limit.
  ///
  /// Decoders of one source share buffers and may not be used at the same time by different threads.
  public func decoder(for codings: [String]) -> (any ContentDecoding)? {
    contentDecoder(for: codings)
  }

  /// As `decoder(for:)`, for a caller who wants to see the decoded octets.
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

  /// Takes the content of a `gzip` decoder of this source, if it is short and was kept as a whole; nil if not.
  public func finishLater(
    _ decoder: any ContentDecoding, within allowance: inout DecodingAllowance
  ) -> PendingContent? {
    guard let decoder = decoder as? ContentDecoder, decoder.heldCount > 0 else { return nil }
    // How much there is, and not how much comes out, which nobody knows yet: rows may not depend on how far other threads are.
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

  /// A content whose outcome is known. A length is in the ticket itself, below 0: nothing has to be kept for it.
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
    // Idle ones are kept while there is plenty: stacked codings can hold some MiB each.
    guard windows.held <= Self.idleMemoryLimit else { return }
    decoder.isIdle = true
    own.value.idle.append(decoder)
  }
}

extension ContentDecoder {
  /// It is idle no longer.
  fileprivate func used() -> ContentDecoder {
    isIdle = false
    return self
  }
}
