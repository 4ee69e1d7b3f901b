import HTTPReassembly

/// Finds the outcome of whole gzip contents. Only one thread at a time may use it.
///
/// A `ContentDecoder` that gets the same octets as they come has the same outcome, except as `GzipMember` says. It takes at most 70 ms:
/// DEFLATE makes 33 MiB of 32 KiB.
final class WholeContentDecoder {
  private let limit: Int
  private let member = GzipMember()
  /// Decodes contents that are not exactly one good member; made on first use.
  private var streaming: ContentDecoder?
  /// Octets of output since the last call of `takeMade`.
  private var made = 0

  /// Creates a decoder. Any content produces at most `limit` octets.
  init(limit: Int) { self.limit = limit }

  /// The outcome of decoding `octets`.
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

  /// The octets of output since the last call.
  func takeMade() -> Int {
    defer { made = 0 }
    return made
  }

  private func makeStreaming() -> ContentDecoder {
    let memory = WindowMemory(limit: .max)
    // One coding needs no ratio, as DEFLATE has its own.
    let decoder = ContentDecoder(
      codings: ["gzip"], stages: [GzipStage(memory: memory)], budget: DecodingBudget(octets: limit, ratio: .max),
      buffers: OutputBuffers(), memory: DecoderMemory(windows: memory, inflaters: memory))
    streaming = decoder
    return decoder
  }
}
