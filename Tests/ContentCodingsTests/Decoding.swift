import ContentCodings
import HTTPReassembly

/// A decoder of `source`. (`#require` cannot call a mutating method.)
func newDecoder(for codings: [String], from source: SystemContentDecoders) -> ContentDecoder? {
  source.contentDecoder(for: codings)
}

/// The outcome of what `decoder` was fed, when it is asked for later; nil when it cannot be.
func finishLater(_ decoder: ContentDecoder, in source: SystemContentDecoders) -> ContentOutcome? {
  guard let pending = source.finishLater(decoder) else {
    return nil
  }
  defer { source.forget(pending) }
  return source.outcome(of: pending)
}

/// Decodes `content` in pieces that end at `cuts` and at the content's end, and collects what comes out.
func decode(
  _ content: [UInt8], _ codings: [String], cuts: some Sequence<Int> = EmptyCollection<Int>(),
  from source: SystemContentDecoders
) -> (outcome: ContentOutcome, octets: [UInt8])? {
  guard let decoder = source.contentDecoder(for: codings) else { return nil }
  var decoded: [UInt8] = []
  content.withOctets { octets in
    var start = 0
    for cut in cuts {
      decoder.feed(octets.extracting(start..<cut)) { $0.append(0..<$0.byteCount, to: &decoded) }
      start = cut
    }
    decoder.feed(octets.extracting(start..<octets.byteCount)) { $0.append(0..<$0.byteCount, to: &decoded) }
  }
  let outcome = decoder.finish()
  source.recycle(decoder, codings: codings)
  return (outcome, decoded)
}

/// The outcome of decoding `content` whole with a source of its own.
func outcome(
  of content: [UInt8], _ codings: String..., configuration: Configuration = Configuration()
) -> ContentOutcome? {
  let source = SystemContentDecoders(configuration: configuration)
  return decode(content, codings, from: source)?.outcome
}

extension Configuration {
  /// The defaults, with limits on what comes out: in all, and for each coded octet.
  init(decodedContentLimit: Int = Configuration().decodedContentLimit, ratio: Int = Configuration().decodedRatioLimit) {
    self.init()
    self.decodedContentLimit = decodedContentLimit
    decodedRatioLimit = ratio
  }
}

// For tests of what has nothing to do with how much one packet may cost.

extension ContentDecoding {
  /// Takes the next octets.
  func feed(_ octets: RawSpan) {
    var allowance = DecodingAllowance.endless
    feed(octets, within: &allowance)
  }

  /// Takes the next octets, and lends what comes out.
  func feed(_ octets: RawSpan, output: (RawSpan) -> Void) {
    var allowance = DecodingAllowance.endless
    feed(octets, within: &allowance, output: output)
  }

  /// Says how it ended.
  func finish() -> ContentOutcome {
    var allowance = DecodingAllowance.endless
    return finish(within: &allowance)
  }
}

extension SystemContentDecoders {
  /// Takes a content out of a decoder.
  func finishLater(_ decoder: any ContentDecoding) -> PendingContent? {
    var allowance = DecodingAllowance.endless
    return finishLater(decoder, within: &allowance)
  }
}

/// Octets from hexadecimal digits.
func octets(_ hexadecimal: String) -> [UInt8] {
  stride(from: 0, to: hexadecimal.utf8.count, by: 2).map { offset in
    UInt8(hexadecimal.dropFirst(offset).prefix(2), radix: 16) ?? 0
  }
}
