/// The messages of a gRPC call in one direction (a flag octet and four of length before each): how many there are, and how long they
/// are without their coding. Counted while they pass, never stored.
///
/// In gRPC-Web a frame whose flag has its highest bit set has the trailer fields: it is no message.
final class GRPCContent {
  /// What came of a content.
  struct Outcome {
    /// Messages whose prefix was seen.
    var messages = 0
    /// Octets of the messages without prefixes and codings; nil when it could not be decoded.
    var decodedLength: Int? = 0
    /// Why that is not known.
    var failure: MessageFlags?
    /// Whether the content ends within a message, or has flags that mean nothing, or is no base64 where it should be.
    var isMalformed = false
    /// The status in the trailer fields of gRPC-Web; nil without one.
    var status: Int?
  }

  /// Octets of memory that it takes.
  static let memory = 512

  private(set) var outcome = Outcome()
  /// The coding of messages that are coded, by its name in `grpc-encoding`.
  private let codings: [String]
  private var decoder: (any ContentDecoding)?
  private var prefix: UInt64 = 0
  private var collected = 0
  /// Octets of the message that are still to come.
  private var left = 0
  private var isCoded = false
  /// Whether messages can no longer be told apart.
  private var isLost = false
  private let form: GRPCForm
  /// The trailer fields that are being read.
  private var trailers: GRPCTrailers?
  /// Whether trailer fields have been read, behind which nothing comes.
  private var hasTrailers = false
  private var base64 = Base64Octets()
  /// Octets of a text that base64 was taken off, some groups at a time.
  private var plain: [UInt8] = []

  /// Characters of base64 that are taken together.
  private static let textPiece = 64

  init(_ form: GRPCForm, encoding: GRPCEncoding) {
    self.form = form
    codings = encoding.codings
    if form == .webText { plain.reserveCapacity(Self.textPiece / 4 * 3 + 3) }
  }

  /// Octets of the content.
  func take(_ octets: RawSpan, _ run: inout Run) {
    guard form == .webText else { return takeFrames(octets, &run) }
    var offset = 0
    while offset < octets.byteCount, !isLost {
      let end = min(offset + Self.textPiece, octets.byteCount)
      plain.removeAll(keepingCapacity: true)
      for index in offset..<end { base64.take(octets.octet(index)) { plain.append($0) } }
      plain.withOctets { takeFrames($0, &run) }
      offset = end
      guard base64.isWellFormed else {
        outcome.isMalformed = true
        return lose()
      }
    }
  }

  private func takeFrames(_ octets: RawSpan, _ run: inout Run) {
    var offset = 0
    while offset < octets.byteCount, !isLost {
      if collected < 5 {
        prefix = prefix << 8 | UInt64(octets.octet(offset))
        collected += 1
        offset += 1
        if collected == 5 { begin(&run) }
        continue
      }
      let count = min(left, octets.byteCount - offset)
      if trailers != nil {
        for index in offset..<offset + count { trailers?.take(octets.octet(index)) }
      } else if isCoded, let decoder {
        run.decoding.renew(for: run.ledger.packets)
        decoder.feed(octets.extracting(offset..<offset + count), within: &run.decoding)
      }
      left -= count
      offset += count
      if left == 0 { end(&run) }
    }
  }

  private func begin(_ run: inout Run) {
    let flags = prefix >> 32 & 0xff
    left = Int(prefix & 0xffff_ffff)
    // Trailer fields are the last frame.
    if hasTrailers { outcome.isMalformed = true }
    if form != .native, flags & 0x80 != 0 {
      hasTrailers = true
      isCoded = false
      // Coded ones are not read.
      if flags == 0x80 { trailers = GRPCTrailers() } else if flags != 0x81 { outcome.isMalformed = true }
      if left == 0 { end(&run) }
      return
    }
    outcome.messages += 1
    isCoded = flags & 1 != 0
    if flags > 1 { outcome.isMalformed = true }
    if isCoded { open(&run) } else { outcome.decodedLength? += left }
    if left == 0 { end(&run) }
  }

  private func open(_ run: inout Run) {
    guard decoder == nil else { return }
    guard run.configuration.decodesContent, run.decoders != nil else { return fail(.notDecoded) }
    guard !codings.isEmpty, let made = run.decoders?.decoder(for: codings) else {
      run.note(.contentCodingUnknown)
      return fail(.codingUnknown)
    }
    decoder = made
  }

  private func end(_ run: inout Run) {
    collected = 0
    prefix = 0
    if var fields = trailers {
      fields.finish()
      outcome.status = fields.status
      trailers = nil
      return
    }
    guard isCoded, let decoder else { return }
    self.decoder = nil
    run.decoding.renew(for: run.ledger.packets)
    switch decoder.finish(within: &run.decoding) {
    case .decoded(let octets): outcome.decodedLength? += octets
    case .decodedWithTrailingJunk(let octets):
      outcome.decodedLength? += octets
      run.note(.contentTrailingJunk)
    case .failed(.corrupt):
      run.note(.contentCorrupt)
      fail(.codingCorrupt)
    case .failed(.truncated):
      run.note(.contentTruncated)
      fail(.codingTruncated)
    case .failed(.beyondLimit):
      run.note(.contentBeyondLimit)
      fail(.codingBeyondLimit)
    }
    run.decoders?.recycle(decoder, codings: codings)
  }

  private func fail(_ reason: MessageFlags) {
    outcome.decodedLength = nil
    outcome.failure = reason
  }

  /// Octets of the content are missing: where the next message starts is not known.
  func lose() {
    isLost = true
    decoder = nil
    trailers = nil
    outcome.decodedLength = nil
  }

  /// The content has ended.
  func finish(_ run: inout Run) -> Outcome {
    if collected > 0 || !base64.isAtEnd, !isLost { outcome.isMalformed = true }
    if outcome.isMalformed { outcome.decodedLength = nil }
    if let decoder {
      _ = decoder.finish(within: &run.decoding)
      run.decoders?.recycle(decoder, codings: codings)
      self.decoder = nil
    }
    return outcome
  }
}
