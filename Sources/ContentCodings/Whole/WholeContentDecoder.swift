import HTTPReassembly

/// Tells what comes of gzip contents that are there as a whole. One thread uses it at a time.
///
/// The outcome is that of a `ContentDecoder` that gets the same octets as they come, but for what `GzipMember` says.
final class WholeContentDecoder {
  private let limit: Int
  private let member = GzipMember()
  /// For what is not exactly one good member: made when there is such a content.
  private var streaming: ContentDecoder?

  /// At most `limit` octets may come out.
  init(limit: Int) { self.limit = limit }

  /// How the decoding of `octets` ends.
  func outcome(of octets: [UInt8]) -> ContentOutcome {
    octets.withOctets { octets in
      if let length = member.contentLength(of: octets), length <= limit { return .decoded(octets: length) }
      let decoder = streaming ?? makeStreaming()
      decoder.feed(octets) { _ in }
      return decoder.finish()
    }
  }

  private func makeStreaming() -> ContentDecoder {
    let stage = GzipStage(memory: WindowMemory(limit: .max))
    let decoder = ContentDecoder(codings: ["gzip"], stages: [stage], limit: limit, buffers: OutputBuffers())
    streaming = decoder
    return decoder
  }
}
