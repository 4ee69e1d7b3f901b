import HTTPReassembly

/// Tells what comes of gzip contents that are there as a whole. One thread uses it at a time.
///
/// The outcome is that of a `ContentDecoder` that gets the same octets as they come, but for what `GzipMember` says. It takes 70 ms
/// at most: DEFLATE makes 33 MiB of 32 KiB.
final class WholeContentDecoder {
  private let limit: Int
  private let member = GzipMember()
  /// For what is not exactly one good member: made when there is such a content.
  private var streaming: ContentDecoder?
  /// Octets that came out since `takeMade` was asked.
  private var made = 0

  /// At most `limit` octets may come out of any content.
  init(limit: Int) { self.limit = limit }

  /// How the decoding of `octets` ends.
  func outcome(of octets: [UInt8]) -> ContentOutcome {
    octets.withOctets { octets in
      if let length = member.contentLength(of: octets), length <= limit {
        made += length
        return .decoded(octets: length)
      }
      let decoder = streaming ?? makeStreaming()
      var allowance = DecodingAllowance.endless
      decoder.feed(octets, within: &allowance)
      made += allowance.spent
      return decoder.finish(within: &allowance)
    }
  }

  /// Octets that came out since this was asked last.
  func takeMade() -> Int {
    defer { made = 0 }
    return made
  }

  private func makeStreaming() -> ContentDecoder {
    let memory = WindowMemory(limit: .max)
    // One coding needs no ratio: DEFLATE has its own.
    let decoder = ContentDecoder(
      codings: ["gzip"], stages: [GzipStage(memory: memory)], budget: DecodingBudget(octets: limit, ratio: .max),
      buffers: OutputBuffers(), memory: DecoderMemory(windows: memory, inflaters: memory))
    streaming = decoder
    return decoder
  }
}
