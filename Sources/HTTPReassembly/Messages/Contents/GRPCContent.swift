/// The messages of a gRPC call in one direction, each after a flag octet and a length of four octets. Their number and decoded length are
/// counted while they pass; nothing is stored.
///
/// In gRPC-Web, a frame with the highest flag bit set has the trailer fields and is no message.
final class GRPCContent {
  /// The result of a content.
  struct Outcome {
    /// The number of messages whose prefix was seen.
    var messages = 0
    /// Octets of the messages without prefixes and codings; nil if unknown.
    var decodedLength: Int? = 0
    /// The reason why the length is unknown.
    var failure: MessageFlags?
    /// Whether the content ends within a message, has unknown flags, or is not base64 where it should be.
    var isMalformed = false
    /// The status in the trailer fields of gRPC-Web; nil without one.
    var status: Int?
  }

  /// Octets of memory that the content takes.
  static let memory = 512

  private(set) var outcome = Outcome()
  /// The coding of compressed messages, by its name in `grpc-encoding`.
  private let codings: [String]
  private var decoder: (any ContentDecoding)?
  private var prefix: UInt64 = 0
  private var collected = 0
  /// Octets of the current message that are still to come.
  private var left = 0
  private var isCoded = false
  /// Octets of the current message without its prefix.
  private var length = 0
  /// Whether message boundaries are lost.
  private var isLost = false
  private let form: GRPCForm
  /// The trailer fields in progress.
  private var trailers: GRPCTrailers?
  /// Whether trailer fields have been read; nothing may follow them.
  private var hasTrailers = false
  private var base64 = Base64Octets()
  /// Decoded base64, some groups at a time.
  private var plain: [UInt8] = []

  /// Characters of base64 that are decoded together.
  private static let textPiece = 64

  init(_ form: GRPCForm, encoding: GRPCEncoding) {
    self.form = form
    codings = encoding.codings
    if form == .webText { plain.reserveCapacity(Self.textPiece / 4 * 3 + 3) }
  }

  /// Takes octets of the content of the HTTP message in a row.
  func take(_ octets: RawSpan, of row: RowIndex, _ run: inout Run) {
    guard form == .webText else { return takeFrames(octets, of: row, &run) }
    var offset = 0
    while offset < octets.byteCount, !isLost {
      let end = min(offset + Self.textPiece, octets.byteCount)
      plain.removeAll(keepingCapacity: true)
      for index in offset..<end { base64.take(octets.octet(index)) { plain.append($0) } }
      plain.withOctets { takeFrames($0, of: row, &run) }
      offset = end
      guard base64.isWellFormed else {
        outcome.isMalformed = true
        return lose()
      }
    }
  }

  private func takeFrames(_ octets: RawSpan, of row: RowIndex, _ run: inout Run) {
    var offset = 0
    while offset < octets.byteCount, !isLost {
      if collected < 5 {
        prefix = prefix << 8 | UInt64(octets.octet(offset))
        collected += 1
        offset += 1
        if collected == 5 { begin(of: row, &run) }
        continue
      }
      let count = min(left, octets.byteCount - offset)
      if trailers != nil {
        for index in offset..<offset + count { trailers?.take(octets.octet(index)) }
      } else if isCoded, let decoder {
        run.contents.decoding.renew(for: run.ledger.packets)
        decoder.feed(octets.extracting(offset..<offset + count), within: &run.contents.decoding)
      }
      left -= count
      offset += count
      if left == 0 { end(of: row, &run) }
    }
  }

  private func begin(of row: RowIndex, _ run: inout Run) {
    let flags = prefix >> 32 & 0xff
    left = Int(prefix & 0xffff_ffff)
    // Trailer fields must be the last frame.
    if hasTrailers { outcome.isMalformed = true }
    if form != .native, flags & 0x80 != 0 {
      hasTrailers = true
      isCoded = false
      // Compressed trailer fields are not read.
      if flags == 0x80 { trailers = GRPCTrailers() } else if flags != 0x81 { outcome.isMalformed = true }
      if left == 0 { end(of: row, &run) }
      return
    }
    outcome.messages += 1
    length = left
    isCoded = flags & 1 != 0
    if flags > 1 { outcome.isMalformed = true }
    if isCoded { open(&run) } else { outcome.decodedLength? += left }
    if left == 0 { end(of: row, &run) }
  }

  private func open(_ run: inout Run) {
    guard decoder == nil else { return }
    guard run.configuration.decodesContent, run.contents.decoders != nil else { return fail(.notDecoded) }
    guard !codings.isEmpty, let made = run.contents.decoders?.decoder(for: codings) else {
      run.note(.contentCodingUnknown)
      return fail(.codingUnknown)
    }
    decoder = made
  }

  private func end(of row: RowIndex, _ run: inout Run) {
    let isTrailer = prefix >> 39 != 0 && form != .native
    collected = 0
    prefix = 0
    if var fields = trailers {
      fields.finish()
      outcome.status = fields.status
      trailers = nil
    }
    if isTrailer { return }
    let decoded = isCoded ? finishDecoding(&run) : length
    if run.notes.grpc.isWanted { note(decoded, of: row, &run) }
  }

  /// Notes that the current message has ended.
  private func note(_ decoded: Int?, of row: RowIndex, _ run: inout Run) {
    var note = GRPCNotes.Note()
    note.time = run.arrival.time
    note.length = UInt32(clamping: length)
    note.position = UInt32(clamping: outcome.messages)
    note.isCompressed = isCoded
    if let decoded = decoded.flatMap({ UInt32(exactly: $0) }) {
      note.decoded = decoded
      note.isDecoded = true
    }
    if !run.notes.grpc.add(note, to: row) { run.note(.grpcMessagesFull) }
  }

  /// Ends the decoding of the current message. Returns its length without compression, if that is known.
  private func finishDecoding(_ run: inout Run) -> Int? {
    guard let decoder else { return nil }
    self.decoder = nil
    run.contents.decoding.renew(for: run.ledger.packets)
    var decoded: Int?
    switch decoder.finish(within: &run.contents.decoding) {
    case .decoded(let octets): decoded = octets
    case .decodedWithTrailingJunk(let octets):
      decoded = octets
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
    run.contents.decoders?.recycle(decoder, codings: codings)
    if let decoded { outcome.decodedLength? += decoded }
    return decoded
  }

  private func fail(_ reason: MessageFlags) {
    outcome.decodedLength = nil
    outcome.failure = reason
  }

  /// Notes that octets of the content are missing, so the start of the next message is unknown.
  func lose() {
    isLost = true
    decoder = nil
    trailers = nil
    outcome.decodedLength = nil
  }

  /// Ends the content.
  func finish(_ run: inout Run) -> Outcome {
    if collected > 0 || !base64.isAtEnd, !isLost { outcome.isMalformed = true }
    if outcome.isMalformed { outcome.decodedLength = nil }
    if let decoder {
      _ = decoder.finish(within: &run.contents.decoding)
      run.contents.decoders?.recycle(decoder, codings: codings)
      self.decoder = nil
    }
    return outcome
  }
}
