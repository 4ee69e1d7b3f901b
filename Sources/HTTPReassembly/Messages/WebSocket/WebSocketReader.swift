import Packets

/// Reads the frames of one direction of a WebSocket (RFC 6455 §5.2). It takes octets in any pieces, and keeps at most one frame header.
///
/// ```
///          ┌─────────────── a whole frame ──────────────┐
///          ▼                                            │
///       header ──── a whole header ────▶ payload ───────┘
///          │                                │
///          │ a rule is broken               │ a gap that ends behind it
///          ▼                                ▼
///       stopped                           lost ── pieces of whole frames ──▶ header
/// ```
/// In a gap that ends within a payload, the reader goes on. Behind any other gap it looks at the start of each piece, which a packet or a
/// record brought: frames go on where whole frames fill the pieces.
struct WebSocketReader {
  private enum FrameStep {
    case header
    case payload
    /// Octets are missing, and frames may begin anywhere.
    case lost
    /// Not frames, or frames with rules of their own.
    case stopped
  }

  /// Whether the newest frame belongs to a message that goes on.
  private enum Fragment {
    case none
    case open
    /// After a gap.
    case unknown
  }

  private(set) var facts = WebSocketFacts()
  private var phase = FrameStep.header
  private var fragment = Fragment.none
  /// Whether the newest frame is masked; before any, whether it should be: the client's are (RFC 6455 §5.1). Some clients leave it out.
  private var isMasked: Bool
  private var terms: WebSocketTerms
  /// The octets of the header so far.
  private var header = InlineArray<14, UInt8>(repeating: 0)
  private var headerLength = 0
  /// Octets of the frame's payload that are still to come.
  private var left: UInt64 = 0
  /// Octets of the frame's payload that have passed.
  private var passed: UInt64 = 0
  private var opcode = Opcode.continuation
  private var isFinal = false
  /// Whether the message in progress is compressed.
  private var isCompressed = false
  /// Whether the octets of a compressed message may no longer be decoded.
  private var isUndecodable = false
  /// Removes the compression of all its messages, from the first compressed one on.
  private var decoder: (any ContentDecoding)?
  /// Whether a whole close frame was read, so that no frames follow.
  private(set) var isClosed = false
  /// Whole frames in the latest pieces since the gap.
  private var foundFrames = 0
  /// The number of its carrier's losses that it knows of; nil before any.
  private var knownLosses: Int?

  private enum Opcode: UInt8 {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    var isControl: Bool { rawValue >= 8 }
  }

  /// The rules of a frame's first two octets.
  private struct Start {
    var opcode: Opcode
    var isFinal: Bool
    var isMasked: Bool
    var isCompressed: Bool
    /// Octets of the whole header.
    var length: Int
    /// The payload's length; 126 and 127 say that it follows in two or eight octets.
    var code: UInt8
  }

  init(isMasked: Bool, _ terms: WebSocketTerms) {
    self.isMasked = isMasked
    self.terms = terms
  }

  /// Takes the terms that the server has accepted. The client has offered others, too.
  mutating func agree(on accepted: WebSocketTerms) { if facts.frames == 0 { terms = accepted.union(.named) } }

  /// Octets of memory of a reader, without its decoder.
  static var memory: Int { MemoryLayout<WebSocketReader>.stride + 32 }

  /// The end of a compressed message, which its sender leaves out (RFC 7692 §7.2.1).
  private static let messageEnd: [UInt8] = [0, 0, 0xff, 0xff]
  /// Octets that are unmasked at once.
  private static let maskedPiece = 4 << 10

  // MARK: Octets

  /// Whether octets can be those of frames. It stops if the tunnel begins with others, because its sender speaks another protocol.
  mutating func accepts(_ octets: RawSpan) -> Bool {
    guard phase != .stopped else { return facts.frames > 0 }
    guard phase == .header, facts.frames == 0, facts.exactness == .exact else { return true }
    let first = headerLength > 0 ? header[0] : octets.octet(0)
    let second = headerLength > 0 ? octets.octet(0) : octets.byteCount > 1 ? octets.octet(1) : 0
    guard headerLength < 2, start(first, second) == nil else { return true }
    phase = .stopped
    facts.exactness = .inferred
    facts.decodedLength = nil
    return false
  }

  /// Takes the next octets of the direction, which came in one piece. The run has their arrival.
  mutating func take(_ octets: RawSpan, _ run: inout Run) {
    let known = facts.frameLength + facts.payloadLength
    if phase == .lost { findFrames(octets) }
    var offset = 0
    while offset < octets.byteCount {
      switch phase {
      case .payload: offset += takePayload(octets.extracting(offset..<octets.byteCount), &run)
      case .header:
        header[headerLength] = octets.octet(offset)
        headerLength += 1
        offset += 1
        if headerLength >= 2 { takeHeader(&run) }
      case .lost, .stopped: offset = octets.byteCount
      }
    }
    guard facts.frameLength + facts.payloadLength > known else { return }
    facts.firstTime = facts.firstTime == 0 ? run.arrival.time : min(facts.firstTime, run.arrival.time)
    facts.lastTime = max(facts.lastTime, run.arrival.time)
  }

  /// Passes octets that are not seen. Those that a packet had count as payload as far as the frame in progress reaches.
  mutating func skip(_ count: Int, isInPacket: Bool, _ run: inout Run) {
    guard count > 0, phase != .stopped else { return }
    facts.exactness.weaken()
    if opcode == .close, phase == .payload { passed = 2 }
    loseContent(&run)
    let inside = phase == .payload ? Int(min(left, UInt64(count))) : 0
    if isInPacket { self.count(payload: inside, &run) }
    left -= UInt64(inside)
    passed &+= UInt64(inside)
    if phase == .payload, left == 0 { endFrame(&run) }
    if inside < count { loseFrames() }
  }

  /// Notes that octets may have been lost before the next piece, as a stream's carrier says by the number of its `losses`.
  mutating func lose(after losses: Int, _ run: inout Run) {
    guard losses != knownLosses, phase != .stopped else { return }
    knownLosses = losses
    facts.exactness.weaken()
    loseContent(&run)
    loseFrames()
  }

  /// Makes its counts inferred: the protocol is.
  mutating func doubt() { facts.exactness.weaken() }

  /// Notes that more frames may follow.
  mutating func cut() { facts.exactness = .atLeast }

  private mutating func loseFrames() {
    guard phase != .lost else { return }
    phase = .lost
    fragment = .unknown
    headerLength = 0
    foundFrames = 0
  }

  // MARK: Headers

  /// Reads the first two octets of a frame; nil if they break a rule (RFC 6455 §5.2, §5.4, §5.5).
  private func start(_ first: UInt8, _ second: UInt8) -> Start? {
    let isMasked = second & 0x80 != 0
    // Behind a gap, frames must be like those before it.
    guard let opcode = Opcode(rawValue: first & 0x0f), fragment != .unknown || isMasked == self.isMasked else {
      return nil
    }
    let (isFinal, reserved, code) = (first & 0x80 != 0, first & 0x70, second & 0x7f)
    // An unknown extension may give meaning to each reserved bit.
    if !terms.contains(.extended) {
      let mayCompress = terms.contains(.deflates) && !opcode.isControl && opcode != .continuation
      guard reserved & (mayCompress ? 0x30 : 0x70) == 0 else { return nil }
    }
    if opcode.isControl {
      guard isFinal, code <= 125 else { return nil }
    } else {
      guard fragment == .unknown || (opcode == .continuation) == (fragment == .open) else { return nil }
    }
    let length = 2 + (code == 126 ? 2 : code == 127 ? 8 : 0) + (isMasked ? 4 : 0)
    return Start(
      opcode: opcode, isFinal: isFinal, isMasked: isMasked, isCompressed: reserved & 0x40 != 0, length: length,
      code: code)
  }

  /// The payload's length in a whole header; nil if it is 2⁶³ or more.
  private func payloadLength(_ start: Start, _ octet: (Int) -> UInt8) -> UInt64? {
    guard start.code >= 126 else { return UInt64(start.code) }
    let length = (2..<(start.code == 126 ? 4 : 10)).reduce(UInt64(0)) { $0 << 8 | UInt64(octet($1)) }
    return length < 1 << 63 ? length : nil
  }

  private mutating func takeHeader(_ run: inout Run) {
    guard let start = start(header[0], header[1]) else { return stop(&run) }
    guard headerLength == start.length else { return }
    guard let length = payloadLength(start, { header[$0] }) else { return stop(&run) }
    (opcode, isFinal, isMasked, left, passed) = (start.opcode, start.isFinal, start.isMasked, length, 0)
    facts.frames += 1
    if facts.firstTime == 0 { facts.firstTime = run.arrival.time }
    facts.density.add(at: run.arrival.time.subtractingReportingOverflow(facts.firstTime).partialValue)
    count(frame: headerLength, &run)
    switch opcode {
    case .text: facts.texts += 1
    case .binary: facts.binaries += 1
    case .ping: facts.pings += 1
    case .pong: facts.pongs += 1
    case .continuation, .close: break
    }
    headerLength = 0
    if !opcode.isControl {
      if opcode != .continuation { isCompressed = start.isCompressed }
      fragment = isFinal ? .none : .open
      if isFinal { facts.messages += 1 }
      // Another extension may have changed the payload in any way.
      if terms.contains(.extended), start.isCompressed || header[0] & 0x30 != 0 { loseContent(&run) }
      if isCompressed { open(&run) }
    }
    phase = .payload
    if left == 0 { endFrame(&run) }
  }

  private mutating func stop(_ run: inout Run) {
    headerLength = 0
    loseContent(&run)
    // Frames that were found behind a gap may have been none.
    if facts.exactness == .exact {
      facts.exactness = .inferred
      phase = .stopped
      run.note(.webSocketFrameInvalid)
    } else {
      loseFrames()
    }
  }

  // MARK: Payload

  private mutating func takePayload(_ octets: RawSpan, _ run: inout Run) -> Int {
    let count = Int(min(left, UInt64(octets.byteCount)))
    let taken = octets.extracting(0..<count)
    if opcode == .close { takeCloseCode(taken) }
    if !opcode.isControl {
      if isCompressed { decode(taken, &run) } else { facts.decodedLength? += count }
    }
    self.count(payload: count, &run)
    left -= UInt64(count)
    passed &+= UInt64(count)
    if left == 0 { endFrame(&run) }
    return count
  }

  /// Counts octets of the frame's payload. Those of a control frame belong to the frame.
  private mutating func count(payload count: Int, _ run: inout Run) {
    if opcode.isControl { return self.count(frame: count, &run) }
    facts.payloadLength += count
    run.ledger.webSocketPayload += count
  }

  private mutating func count(frame count: Int, _ run: inout Run) {
    facts.frameLength += count
    run.ledger.webSocketFrame += count
    if opcode == .ping || opcode == .pong { facts.keepaliveLength += count }
  }

  private mutating func takeCloseCode(_ octets: RawSpan) {
    guard passed < 2, passed &+ left >= 2 else { return }
    for index in 0..<min(octets.byteCount, 2 - Int(passed)) {
      facts.closeCode = (facts.closeCode ?? 0) << 8 | Int(octets.octet(index) ^ mask(at: passed &+ UInt64(index)))
    }
  }

  /// The octet of the masking key for a place in the payload. The key is the end of the header (RFC 6455 §5.3).
  private func mask(at place: UInt64) -> UInt8 {
    guard isMasked else { return 0 }
    let code = header[1] & 0x7f
    return header[2 + (code == 126 ? 2 : code == 127 ? 8 : 0) + Int(place % 4)]
  }

  private mutating func endFrame(_ run: inout Run) {
    phase = .header
    if opcode == .close { isClosed = true }
    guard !opcode.isControl, isFinal, isCompressed else { return }
    isCompressed = false
    Self.messageEnd.withOctets { feed($0, &run) }
  }

  // MARK: Compression

  private mutating func open(_ run: inout Run) {
    guard decoder == nil, !isUndecodable else { return }
    guard run.configuration.decodesContent, let made = run.contents.decoders?.messageDecoder() else {
      return loseContent(&run)
    }
    decoder = made
  }

  private func feed(_ octets: RawSpan, _ run: inout Run) {
    guard let decoder else { return }
    run.prepareDecoding()
    decoder.feed(octets, within: &run.contents.decoding)
  }

  private func decode(_ octets: RawSpan, _ run: inout Run) {
    guard decoder != nil else { return }
    guard isMasked else { return feed(octets, &run) }
    var plain = run.records.take()
    var offset = 0
    while offset < octets.byteCount {
      let end = min(offset + Self.maskedPiece, octets.byteCount)
      plain.removeAll(keepingCapacity: true)
      for index in offset..<end { plain.append(octets.octet(index) ^ mask(at: passed &+ UInt64(index))) }
      plain.withOctets { feed($0, &run) }
      offset = end
    }
    run.records.giveBack(plain)
  }

  /// Gives up the decoded length: octets of compressed messages are not known, and later messages may refer to them.
  private mutating func loseContent(_ run: inout Run) {
    isUndecodable = true
    facts.decodedLength = nil
    releaseDecoder(&run)
  }

  private mutating func releaseDecoder(_ run: inout Run) {
    guard decoder != nil else { return }
    decoder = nil
    run.contents.countDecoders()
  }

  // MARK: Ends

  /// Ends the direction.
  mutating func finish(_ run: inout Run) {
    if phase == .payload || headerLength > 0 { facts.exactness = .atLeast }
    if isCompressed || fragment == .open { facts.decodedLength = nil }
    if let decoder {
      run.prepareDecoding()
      let outcome = decoder.finish(within: &run.contents.decoding)
      switch outcome {
      case .decoded(let octets), .decodedWithTrailingJunk(let octets): facts.decodedLength? += octets
      case .failed(let failure):
        facts.decodedLength = nil
        run.note(failure == .beyondLimit ? .contentBeyondLimit : .contentCorrupt)
      }
    }
    releaseDecoder(&run)
  }

  // MARK: Frames behind a gap

  /// Looks whether frames begin at the start of a piece. It is so if whole frames fill it, and the pieces since the gap had two of them.
  private mutating func findFrames(_ octets: RawSpan) {
    var offset = 0
    var frames = 0
    var isFilled = false
    while let next = frameEnd(octets, from: offset), next > offset {
      frames += 1
      isFilled = next == octets.byteCount
      guard next < octets.byteCount else { break }
      offset = next
    }
    guard isFilled || frames >= 2 else { return foundFrames = 0 }
    foundFrames += frames
    guard foundFrames >= 2 else { return }
    phase = .header
    headerLength = 0
  }

  /// The end of the frame that begins at an offset; nil if it breaks a rule, or the octets end before.
  private func frameEnd(_ octets: RawSpan, from offset: Int) -> Int? {
    let count = octets.byteCount - offset
    guard count >= 2, let start = start(octets.octet(offset), octets.octet(offset + 1)), count >= start.length,
      let length = payloadLength(start, { octets.octet(offset + $0) }), length <= UInt64(count - start.length)
    else { return nil }
    return offset + start.length + Int(length)
  }
}
