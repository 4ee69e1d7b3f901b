import ContentCodings
import HTTPReassembly

// Content decoders: the octets that come out do not depend on how those that go in are cut, and never exceed the limit;
// and a decoder that failed is as good as new. What is decoded as a whole comes out as when it is decoded as it comes.

extension FuzzTarget {
  package static let gzip = content("gzip", ["gzip"])
  package static let deflate = content("deflate", ["deflate"])
  package static let brotli = content("br", ["br"])
  package static let zstandard = content("zstd", ["zstd"])
  /// Codings on top of one another, up to the limit of them.
  package static let stacked = content("stacked", ["zstd", "br", "deflate", "gzip"])

  /// Octets that content may decode to: few, so that inputs reach it.
  private static let limit = 1 << 16

  /// Input: three cuts (2 each), then the coded content.
  private static func content(_ name: String, _ codings: [String]) -> FuzzTarget {
    FuzzTarget(name, longestInput: 2048) { input in
      var configuration = Configuration()
      configuration.decodedContentLimit = limit
      let source = SystemContentDecoders(configuration: configuration)
      guard let decoder = source.decoder(for: codings) else { return "there is no decoder" }
      var input = InputOctets(input)
      var choices = InputOctets(input.take(6))
      let content = input.rest()
      let cuts = Set((0..<3).map { _ in choices.next16() % (content.count + 1) }).union([0, content.count]).sorted()
      let whole = Decoded(decoder, content, [0, content.count])
      if let fault = faultDecodingAsWhole(content, decoder, source, whole.outcome) { return fault }
      if whole.count > limit { return "\(whole.count) octets came out" }
      let cut = Decoded(decoder, content, cuts)
      if whole == cut { return nil }
      // What comes out before a fault is found depends on how much is looked at, and of two faults, which comes first.
      if whole.hasFailed, cut.hasFailed { return nil }
      return "whole \(whole), cut \(cut)"
    }
  }
}

/// What is wrong when `content` is kept and decoded as a whole, where that is done, whose outcome is `streamed` as it comes.
private func faultDecodingAsWhole(
  _ content: [UInt8], _ decoder: any ContentDecoding, _ source: SystemContentDecoders, _ streamed: ContentOutcome
) -> String? {
  var allowance = DecodingAllowance.endless
  content.withOctets { decoder.feed($0, within: &allowance) }
  guard let pending = source.finishLater(decoder, within: &allowance) else {
    _ = decoder.finish(within: &allowance)
    return nil
  }
  defer { source.forget(pending) }
  let outcome = source.outcome(of: pending)
  // `GzipMember` says what may be decoded as a whole only.
  if case .failed = streamed, case .decoded = outcome { return nil }
  return outcome == streamed ? nil : "\(outcome) as a whole, \(streamed) as it comes"
}

/// What came out of a decoder.
private struct Decoded: Equatable {
  var outcome = ContentOutcome.decoded(octets: 0)
  var count = 0
  /// FNV-1a.
  var digest: UInt64 = 0xcbf2_9ce4_8422_2325

  var hasFailed: Bool { if case .failed = outcome { true } else { false } }

  init(_ decoder: any ContentDecoding, _ content: [UInt8], _ cuts: [Int]) {
    var allowance = DecodingAllowance.endless
    for (from, to) in zip(cuts, cuts.dropFirst()) {
      content.withOctets { octets in
        decoder.feed(octets.extracting(from..<to), within: &allowance) { made in
          count += made.byteCount
          for offset in 0..<made.byteCount { digest = (digest ^ UInt64(made.octet(offset))) &* 0x100_0000_01b3 }
        }
      }
    }
    outcome = decoder.finish(within: &allowance)
  }
}
