import Packets

/// The HTTP/1 messages of one connection.
///
/// It makes rows of the two parsers' events, pairs requests with responses, and keeps the messages open for charges.
///
/// Methods that each message calls are mutating, even if they only read: otherwise, the compiler would copy the conversation for each call.
struct Conversation {
  /// The messages of each side that are in progress or still take charges.
  var owners = Sides<Owners>(repeating: Owners())
  /// The decoding of each side's newest content; nil for a side without coded content.
  var contents = Sides<OwnMemory<OpenContent>?>(repeating: nil)
  /// The header section that is read on each side; nil without one.
  var headers = Sides<HeaderSectionBox?>(repeating: nil)
  /// The exchanges that are not final.
  var exchanges = ExchangeQueue()
  /// The first exchange whose request has no final response yet.
  var nextToAnswer = 0
  /// Octets of each side that came before it was known whether the connection is HTTP.
  var undecided = Sides<Int>(repeating: 0)
  /// The durations of phases before the first exchange. They belong to it.
  @OptionalTime var connectDuration: Int64?
  @OptionalTime var lookupDuration: Int64?
  /// The side that sends requests, once a message has been seen.
  @OptionalSide var requestSide: Side? = nil
  /// The side that the first final message called the client.
  ///
  /// All other messages and the connection must agree with it, even if a late SYN contradicts it.
  @OptionalSide var namedClient: Side? = nil
  /// Whether the connection starts with the preface of HTTP/2 (RFC 9113 §3.4).
  var isHTTP2 = false
  /// Whether the connection continues with HTTP/2 after the newest response.
  var isUpgraded = false
  /// Whether the connection has switched protocols.
  var isTunnel = false
  /// The terms of the WebSocket that it has switched to, or that the newest request asks for; empty for another protocol.
  var webSocket: WebSocketTerms = []
  /// Whether the next final response answers the request `nextToAnswer`, unless octets are lost before either.
  var isAligned: Bool
  /// Whether the alignment was only the likeliest one when it was decided.
  var isAlignmentInferred = false
  /// Whether octets of each side are unknown since its newest message. They may contain messages.
  var followsHole: Sides<Bool>
  /// Whether the newest message of each side was found after framing was lost, or continues from such a message.
  var isUnsure = Sides<Bool>(repeating: false)
  /// Whether the capture starts within the connection, and no message of a side has been found yet.
  var isFirst: Sides<Bool>
  /// Whether the client has sent a request before it had the whole response to the request before.
  var isPipelined = false
  /// Whether a message of each side has a final row.
  var hasRetired = Sides<Bool>(repeating: false)
  /// The number of pairs confirmed by both acknowledgments without a request sent ahead, up to `serialLimit`.
  var serialPairs: UInt8 = 0
  /// Whether requests may have been lost, or sent before the capture started.
  var hasLostRequests: Bool
  /// Whether more pairs are needed to show that the client sends one request at a time.
  ///
  /// The capture starts within the connection, or a request may have been sent ahead where framing was lost.
  var needsMoreProof: Bool
  /// The request lengths of a client that pipelines.
  var requestLengths = RequestLengths()
  /// The state for a connection with gaps; nil without gaps.
  var recovery: OwnMemory<Recovery>?
  /// The meaning of the last response for a request stream that waits for it: whether it is a tunnel.
  var answer: Bool?
  /// Whether the response to an HTTP/0.9 request may come next.
  var expectsSimpleResponse = false
  /// Whether the newest request asks for another protocol, and has no answer yet.
  var asksToSwitch = false

  init(_ opening: ConnectionOpening) {
    _connectDuration = OptionalTime(wrappedValue: opening.connectDuration)
    _lookupDuration = OptionalTime(wrappedValue: opening.lookupDuration)
    isAligned = opening.isSeen
    followsHole = Sides(repeating: !opening.isSeen)
    hasLostRequests = !opening.isSeen
    needsMoreProof = !opening.isSeen
    isFirst = Sides(repeating: !opening.isSeen)
  }

  /// The position of a side's first octet; `.unknown` if it is not known, or a row of the side is final.
  func beginning(_ side: Side) -> StreamPosition { hasRetired[side] ? .unknown : owners.look(side) { $0.start } }

  /// Whether a message has been seen. The connection is HTTP then.
  @inline(__always)
  var isHTTP: Bool { requestSide != nil }

  /// Fixes the side that rows call the client. The rows of a session in the tunnel must agree.
  mutating func fixClient(_ run: borrowing Run) {
    guard namedClient == nil else { return }
    let client = run.connection.client
    namedClient = client ?? requestSide ?? 0
  }

  /// Octets of memory on the heap, without its rows.
  var memory: Int {
    mutating get {
      owners.look(0) { $0.memory } + owners.look(1) { $0.memory } + exchanges.memory
        + contents.look(0) { Self.memory(of: $0) } + contents.look(1) { Self.memory(of: $0) }
        + (recovery == nil ? 0 : recovery?.value.memory ?? 0)
    }
  }

  /// Octets of memory of a side's content decoder.
  @inline(__always)
  private static func memory(of content: borrowing OwnMemory<OpenContent>?) -> Int {
    content?.look { $0.memory } ?? 0
  }

  /// Takes the duration of a handshake that is complete only now. It belongs to the first exchange.
  mutating func connected(after duration: Int64) { connectDuration = duration }

  /// The row of the newest message of the current side.
  @inline(__always)
  func row(_ run: borrowing Run) -> RowIndex { owners.look(run.side) { $0.newest.row } }
}

/// The state of a connection with gaps.
struct Recovery {
  var broken = Sides<OwnMemory<BrokenMessage>?>(repeating: nil)
  var unpaired: OwnMemory<UnpairedResponses>?
  var strayAcknowledged = Sides<StreamPosition>(repeating: .unknown)
  var gap = Sides<Int>(repeating: 0)
  /// The least certainty of the gaps since the start of each side's newest message.
  var certainty = Sides<GapCertainty>(repeating: .exact)
  /// The latest apparent message of each side that was sent with the one before, and was not believed; nil since the
  /// newest message.
  var ahead = Sides<LineStart?>(repeating: nil)
  /// The start of the server's segment whose octets were taken for responses, and may be content of the first of them.
  var doubtedSegment = StreamPosition.unknown

  /// Octets of its own memory.
  var memory: Int {
    MemoryLayout<Recovery>.stride + 32 + (broken[0] == nil ? 0 : BrokenMessage.memory)
      + (broken[1] == nil ? 0 : BrokenMessage.memory) + (unpaired?.value.memory ?? 0)
  }
}

extension Conversation {
  /// The newest message of each side, if framing was lost inside it; else nil.
  var broken: Sides<OwnMemory<BrokenMessage>?> {
    get { recovery?.value.broken ?? Sides(repeating: nil) }
    set { openRecovery().value.broken = newValue }
  }

  /// Responses that wait for their requests; nil without any.
  var unpaired: OwnMemory<UnpairedResponses>? {
    get { recovery?.value.unpaired }
    set { openRecovery().value.unpaired = newValue }
  }

  /// The acknowledgment of the latest octets of each side outside messages, since its newest message.
  var strayAcknowledged: Sides<StreamPosition> {
    get { recovery?.value.strayAcknowledged ?? Sides(repeating: .unknown) }
    set { openRecovery().value.strayAcknowledged = newValue }
  }

  /// Octets of each side that were never captured, directly before the next octet.
  var gap: Sides<Int> {
    get { recovery?.value.gap ?? Sides(repeating: 0) }
    set { openRecovery().value.gap = newValue }
  }

  /// Notes how little is known of the gap that has just been passed.
  mutating func note(_ certainty: GapCertainty, ofGapOn side: Side) {
    let recovery = openRecovery()
    if recovery.value.certainty[side] != .possible { recovery.value.certainty[side] = certainty }
  }

  /// Notes an apparent message of a side that was sent with the one before, and is not believed.
  mutating func doubt(_ segment: StreamPosition) { openRecovery().value.doubtedSegment = segment }

  mutating func setAhead(_ start: LineStart, _ side: Side) { openRecovery().value.ahead[side] = start }

  private mutating func openRecovery() -> OwnMemory<Recovery> {
    let opened = recovery ?? OwnMemory(Recovery())
    recovery = opened
    return opened
  }
}

/// A header section that comes in parts. That is rare, so it lies in memory of its own.
final class HeaderSectionBox {
  var section = HeaderSection()
}

extension Conversation: HTTP1Events {
  func limits(_ run: borrowing Run) -> HTTP1Limits {
    HTTP1Limits(line: run.configuration.lineLimit, probe: run.configuration.probeLimit)
  }

  // MARK: End of a message

  mutating func endOfMessage(at position: StreamPosition, _ run: inout Run) -> AfterMessage {
    guard owners.look(run.side, { $0.hasMessageInProgress }) else { return .message }
    headers[run.side] = nil
    finishContent(isComplete: true, &run)
    close(at: position, &run)
    let row = row(run)
    let (kind, flags, exchange) = run.rows.messages.change(Int(row)) { open in
      if open.message.missing > 0 || open.message.unseen > 0 { open.message.exactness = .inferred }
      return (open.message.kind, open.message.flags, open.exchange)
    }
    var after = AfterMessage.message
    if kind == .request {
      if flags.contains(.version09) {
        expectsSimpleResponse = true
        nameHost(&run)
      }
      let (asks, switches) = read(exchange, run) { ($0.asksToSwitch, $0.switches) } ?? (false, nil)
      if asks { after = switches.map { $0 ? .tunnel : .message } ?? .answer }
      if after == .tunnel { continueRequestInTunnel(run.side, at: position, &run) }
    } else if answer == true, kind == .response {
      run.rows[message: row].flags.insert(.switchedProtocols)
      continueInTunnel(at: position, &run)
      after = .tunnel
    } else if answer == false {
      after = .pause
    }
    retire(run.side, &run)
    return after
  }

  mutating func brokenMessage(
    at position: StreamPosition, _ flags: MessageFlags, by cause: MessageBreak, _ run: inout Run
  ) {
    guard owners.look(run.side, { $0.hasMessageInProgress }) else { return }
    let section = headers[run.side]?.section
    headers[run.side] = nil
    let row = row(run)
    let (kind, exchange) = run.rows.messages.look(Int(row)) { ($0.message.kind, $0.exchange) }
    if kind == .request, read(exchange, run, { $0.exchange.host == .none }) == true {
      // A host that was not seen may have been sent, unless the stream ends here: nothing else names the request then.
      if cause == .end { nameHost(&run) } else { nameExchange(&run) }
    }
    finishContent(isComplete: false, &run)
    run.rows[message: row].flags.formUnion(flags)
    run.rows[message: row].exactness = .atLeast
    run.note(.httpMessageIncomplete)
    close(at: position, &run)
    if cause == .loss { openBroken(row, kind, section, at: position, &run) }
    retire(run.side, &run)
  }

  private mutating func finishContent(isComplete: Bool, _ run: inout Run) {
    let row = row(run)
    guard let content = contents[run.side], content.value.isOpen else {
      // Without a coding, the decoded length is the length of the content.
      guard isComplete else { return }
      run.rows.messages.change(Int(row)) { open in
        if open.message.missing == 0, open.message.unseen == 0 { open.message.decodedBody = open.message.octets.body }
      }
      return
    }
    content.value.finish(of: row, isComplete: isComplete, &run)
  }

  private mutating func close(at position: StreamPosition, _ run: inout Run) {
    owners[run.side].endNewest(at: position)
    let row = row(run)
    if let observer = run.contents.observer {
      let (number, length) = run.rows.messages.look(Int(row)) { ($0.message.number, $0.message.decodedBody) }
      observer.end(of: number, decodedLength: length)
    }
    // The packet that shows the end is not used for the time. It can be a FIN, or belong to another message.
    let (kind, first, last, exchange) = run.rows.messages.look(Int(row)) {
      ($0.message.kind, $0.message.firstTime, $0.message.lastTime, $0.exchange)
    }
    change(exchange, &run) { exchange in
      switch kind {
      case .request:
        exchange.requestFirst = first
        exchange.exchange.started = first
        exchange.requestLast = last
        exchange.end = position
      case .response:
        exchange.responseFirst = first
        exchange.responseLast = last
      case .interim: exchange.interimEnd = position
      }
    }
  }

  // MARK: Anomalies

  mutating func note(_ anomaly: Anomaly, _ flags: MessageFlags, _ line: RawSpan, _ run: inout Run) {
    run.note(anomaly, example: line)
    flagCurrent(flags, &run)
  }

  mutating func note(_ anomaly: Anomaly, _ flags: MessageFlags, _ run: inout Run) {
    run.note(anomaly)
    flagCurrent(flags, &run)
  }

  mutating func flagCurrent(_ flags: MessageFlags, _ run: inout Run) {
    guard !flags.isEmpty, owners.look(run.side, { $0.hasMessageInProgress }) else { return }
    run.rows[message: row(run)].flags.formUnion(flags)
  }
}
