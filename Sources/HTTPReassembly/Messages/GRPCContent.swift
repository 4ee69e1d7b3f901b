/// The messages of a gRPC call in one direction (gRPC over HTTP/2: a flag octet and four of length before each): how many there
/// are, and how long they are without their coding. Counted while they pass, never stored.
final class GRPCContent {
  /// What came of a content.
  struct Outcome {
    /// Messages whose prefix was seen.
    var messages = 0
    /// Octets of the messages without prefixes and codings; nil when it could not be decoded.
    var decodedLength: Int? = 0
    /// Why that is not known.
    var failure: MessageFlags?
    /// Whether the content ends within a message, or has flags that mean nothing.
    var isMalformed = false
  }

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

  init(encoding: String, _ run: borrowing Run) {
    codings = encoding.isEmpty || encoding == "identity" ? [] : [encoding.lowercased()]
  }

  /// Whether a content type is one of gRPC: `application/grpc`, alone or with a suffix or parameters.
  static func isGRPC(_ type: RawSpan) -> Bool {
    let length = 16
    guard type.byteCount >= length, type.matches("application/grpc", at: 0) else { return false }
    guard type.byteCount > length else { return true }
    let next = type.octet(length)
    // `application/grpc-web` has other rules.
    return next == 0x2b || next == ASCII.semicolon || next == ASCII.space
  }

  /// Octets of the content.
  func take(_ octets: RawSpan, _ run: inout Run) {
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
      if isCoded, let decoder {
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
    outcome.decodedLength = nil
  }

  /// The content has ended.
  func finish(_ run: inout Run) -> Outcome {
    if collected > 0, !isLost { outcome.isMalformed = true }
    if outcome.isMalformed { outcome.decodedLength = nil }
    if let decoder {
      _ = decoder.finish(within: &run.decoding)
      run.decoders?.recycle(decoder, codings: codings)
      self.decoder = nil
    }
    return outcome
  }
}
