// Frames (RFC 9113 §4, §6): their headers and the parts of their payload.

extension HTTP2Session {
  /// Reads from the current side's reader.
  func reader<Value>(_ run: borrowing Run, _ value: (borrowing FrameReader) -> Value) -> Value {
    readers.look(run.side, value)
  }

  /// Reads octets of the current side.
  mutating func read(_ octets: RawSpan, _ run: inout Run) {
    let side = run.side
    var offset = 0
    while offset < octets.byteCount {
      let available = octets.byteCount - offset
      if offset == 0, readers[side].isUnsure { confirm(octets, run) }
      switch readers[side].phase {
      case .start: start(octets.extracting(offset..<octets.byteCount), &run)
      case .preface: offset += readPreface(octets.extracting(offset..<octets.byteCount), &run)
      case .header:
        offset += collect(octets.extracting(offset..<octets.byteCount), HTTP2FrameHeader.length, &run)
        if readers[side].collected == HTTP2FrameHeader.length { beginFrame(&run) }
      case .prefix:
        let length = readers[side].frame.prefixLength
        let count = collect(octets.extracting(offset..<octets.byteCount), length, &run)
        offset += count
        if !readers[side].isMessagePending { self.count(count, as: .framing, &run) }
        readers[side].left -= count
        if readers[side].left == 0 { endPrefix(&run) }
      case .content:
        if readers[side].isMessagePending { placeFields(firstOctet: octets.octet(offset), &run) }
        let count = min(available, readers[side].left)
        pass(count, &run)
        takeContent(octets.extracting(offset..<offset + count), &run)
        offset += count
        if readers[side].left == 0 { endContent(&run) }
      case .padding:
        let count = min(available, readers[side].left)
        pass(count, &run)
        self.count(count, as: .framing, &run)
        offset += count
        if readers[side].left == 0 { endFrame(&run) }
      case .control:
        let count = min(available, readers[side].left)
        pass(count, &run)
        takeControl(octets.extracting(offset..<offset + count), &run)
        offset += count
        if readers[side].left == 0 { endFrame(&run) }
      case .stray:
        let count = min(available, readers[side].left)
        pass(count, &run)
        countStray(count, &run)
        offset += count
        if readers[side].left == 0 { awaitHeader(&run) }
      case .lost: offset += look(octets.extracting(offset..<octets.byteCount), isStart: offset == 0, &run)
      }
    }
  }

  /// Advances by octets of the current phase.
  @inline(__always)
  mutating func pass(_ count: Int, _ run: inout Run) {
    readers[run.side].position += count
    readers[run.side].left -= count
  }

  /// Gathers octets until there are `length` of them. Returns the number of taken octets.
  private mutating func collect(_ octets: RawSpan, _ length: Int, _ run: inout Run) -> Int {
    let side = run.side
    if readers[side].phase == .header, readers[side].collected == 0 {
      readers[side].frameStart = readers[side].position
      readers[side].firstArrival = run.arrival
    }
    let known = readers[side].collected
    let count = min(octets.byteCount, length - known)
    for index in 0..<count { readers[side].octets[known + index] = octets.octet(index) }
    readers[side].collected += count
    readers[side].position += count
    return count
  }

  // MARK: Start

  /// Reads the first octets of a side: the preface, a frame, or the middle of a frame.
  private mutating func start(_ octets: RawSpan, _ run: inout Run) {
    let side = run.side
    if HTTP2Preface.matches(octets) {
      readers[side].phase = .preface
      setRequestSide(side)
      return
    }
    // A server starts with its settings.
    let isStart =
      octets.byteCount >= 9 && HTTP2FrameHeader.fits(octets, at: 0, longest: 1 << 12)
      && octets.octet(3) == HTTP2FrameHeader.settings && octets.octet(4) == 0
    if streams.opening.isSeen || isStart { return awaitHeader(&run) }
    loseFraming(&run)
    // It is known to be HTTP/2, and segments and records start with frames.
    if octets.byteCount >= HTTP2FrameHeader.length,
      HTTP2FrameHeader.fits(octets, at: 0, longest: HTTP2Settings.smallestFrameLimit)
    {
      foundFrames(&run)
      readers[side].isUnsure = true
      awaitHeader(&run)
    }
  }

  private mutating func readPreface(_ octets: RawSpan, _ run: inout Run) -> Int {
    let side = run.side
    let known = readers[side].collected
    let count = min(octets.byteCount, HTTP2Preface.length - known)
    guard HTTP2Preface.matches(octets.extracting(0..<count), from: known) else {
      run.note(.http2PrefaceMalformed, example: octets)
      loseFraming(&run)
      return 0
    }
    readers[side].collected += count
    readers[side].position += count
    countControl(count, .none, &run)
    if readers[side].collected == HTTP2Preface.length { awaitHeader(&run) }
    return count
  }

  /// Sets the side that sends requests, unless it is known.
  mutating func setRequestSide(_ side: Side) { if requestSide == nil { streams.requestSide = side } }

  // MARK: Frames

  mutating func awaitHeader(_ run: inout Run) {
    readers[run.side].phase = .header
    readers[run.side].collected = 0
    readers[run.side].left = 0
    readers[run.side].message = .none
    readers[run.side].slot = -1
    readers[run.side].isMessagePending = false
  }

  /// Begins a frame with its complete header.
  private mutating func beginFrame(_ run: inout Run) {
    let side = run.side
    let frame = HTTP2FrameHeader(readers[side].octets)
    readers[side].frame = frame
    readers[side].left = frame.payloadLength
    readers[side].message = .none
    readers[side].slot = -1
    readers[side].padding = 0
    readers[side].collected = 0
    let isContinuation = frame.type == HTTP2FrameHeader.continuation
    if readers[side].block.isOpen, !isContinuation || frame.stream != readers[side].block.stream {
      run.note(.http2FieldBlockInterrupted)
      cutBlock(&run)
    }
    guard frame.payloadLength <= longestFrame(from: side) else {
      run.note(.http2FrameTooLong)
      countStray(HTTP2FrameHeader.length, &run)
      return loseFraming(&run)
    }
    guard !frame.isMalformed, !isContinuation || readers[side].block.isOpen else {
      run.note(.http2FrameMalformed)
      return passOver(&run)
    }
    noteEmpty(frame, &run)
    switch frame.type {
    case HTTP2FrameHeader.data: beginData(frame, &run)
    case HTTP2FrameHeader.headers: beginFields(frame, &run)
    case HTTP2FrameHeader.pushPromise: beginPrefix(isMessagePending: true, &run)
    case HTTP2FrameHeader.continuation: beginContinuation(&run)
    default: beginControl(frame, &run)
    }
  }

  /// The maximum number of payload octets of a side's frames.
  private func longestFrame(from side: Side) -> Int {
    // The settings may have been lost.
    if streams.losses[side] > 0 || !streams.opening.isSeen { return HTTP2Settings.largestFrameLimit }
    return settings.look(1 - side) { $0.largestFrame }
  }

  /// Skips the octets of a frame without an owner.
  private mutating func passOver(_ run: inout Run) {
    countStray(HTTP2FrameHeader.length, &run)
    let frame = readers[run.side].frame
    // The start of the block was lost.
    if frame.type == HTTP2FrameHeader.continuation { decoders[run.side].value.lose(octets: frame.payloadLength) }
    readers[run.side].phase = .stray
    if readers[run.side].left == 0 { awaitHeader(&run) }
  }

  private mutating func beginData(_ frame: HTTP2FrameHeader, _ run: inout Run) {
    guard let slot = streamForData(frame.stream, &run) else { return passOver(&run) }
    readers[run.side].slot = slot
    readers[run.side].message = streams[slot].halves[run.side].message
    beginPrefix(isMessagePending: false, &run)
  }

  private mutating func beginFields(_ frame: HTTP2FrameHeader, _ run: inout Run) {
    beginPrefix(isMessagePending: true, &run)
    // In the middle of a connection, only the fields show the requesting side.
    guard let requestSide, readers[run.side].isMessagePending else { return }
    // The next octet tells whether a response of unknown status was an interim one.
    if run.side != requestSide, let slot = streams.slot(of: UInt64(frame.stream)) {
      let isOpen = streams.mayBeInterim(slot, run)
      if isOpen { return }
    }
    placeFields(firstOctet: nil, &run)
  }

  private mutating func beginContinuation(_ run: inout Run) {
    let side = run.side
    readers[side].block.continuations += 1
    if readers[side].block.continuations == run.configuration.continuationLimit + 1 {
      run.note(.http2ContinuationFlood)
    }
    readers[side].message = readers[side].block.message
    readers[side].slot = readers[side].block.slot
    beginPrefix(isMessagePending: false, &run)
  }

  /// Continues with a frame that carries fields or content.
  private mutating func beginPrefix(isMessagePending: Bool, _ run: inout Run) {
    let side = run.side
    readers[side].isMessagePending = isMessagePending
    if !isMessagePending { count(HTTP2FrameHeader.length, as: .framing, &run) }
    readers[side].phase = .prefix
    readers[side].left = readers[side].frame.prefixLength
    if readers[side].left == 0 { endPrefix(&run) }
  }

  /// Ends the parts before the content: pad length, priority, promised stream.
  private mutating func endPrefix(_ run: inout Run) {
    let side = run.side
    let frame = readers[side].frame
    let rest = frame.payloadLength - frame.prefixLength
    if frame.isPadded { readers[side].padding = Int(readers[side].octets[0]) }
    if readers[side].padding > rest {
      run.note(.http2PaddingMalformed)
      readers[side].padding = rest
    }
    readers[side].phase = .content
    readers[side].left = rest - readers[side].padding
    if frame.type == HTTP2FrameHeader.pushPromise { placePromise(&run) }
    if readers[side].left == 0 { endContent(&run) }
  }

  /// Takes octets of content or of a field block.
  private mutating func takeContent(_ octets: RawSpan, _ run: inout Run) {
    let side = run.side
    if readers[side].frame.type == HTTP2FrameHeader.data {
      takeData(octets, &run)
    } else {
      extendOwners(&run)
      takeFields(octets, &run)
    }
  }

  /// Ends the content of a frame. Padding may follow.
  mutating func endContent(_ run: inout Run) {
    let side = run.side
    if readers[side].isMessagePending { placeFields(firstOctet: nil, isLast: true, &run) }
    readers[side].phase = .padding
    readers[side].left = readers[side].padding
    if readers[side].left == 0 { endFrame(&run) }
  }

  mutating func endFrame(_ run: inout Run) {
    let side = run.side
    let frame = readers[side].frame
    switch frame.type {
    case HTTP2FrameHeader.data:
      let slot = readers[side].slot
      if frame.isEndOfStream, slot >= 0, streams[slot].halves[side].state.isInProgress {
        streams.endMessage(slot, side, .complete, &run)
      }
    case HTTP2FrameHeader.headers, HTTP2FrameHeader.pushPromise, HTTP2FrameHeader.continuation:
      if frame.isEndOfHeaders { endBlock(&run) }
    default: endControl(frame, &run)
    }
    awaitHeader(&run)
  }

  // MARK: Frames without fields or content

  private mutating func beginControl(_ frame: HTTP2FrameHeader, _ run: inout Run) {
    let side = run.side
    let message = messageCharged(for: frame, run)
    readers[side].message = message
    readers[side].isChargeAwaited = message.isNone && awaitsMessage(frame, run)
    countControl(HTTP2FrameHeader.length, message, &run)
    if frame.type == HTTP2FrameHeader.settings, !frame.isAcknowledgment { settings[side].begin() }
    readers[side].phase = .control
    if readers[side].left == 0 { endFrame(&run) }
  }

  private mutating func takeControl(_ octets: RawSpan, _ run: inout Run) {
    let side = run.side
    countControl(octets.byteCount, readers[side].message, &run)
    if readers[side].frame.type == HTTP2FrameHeader.settings { settings[side].take(octets) }
    if readers[side].frame.type == HTTP2FrameHeader.alternativeServices { gatherOffer(octets, run) }
  }

  private mutating func endControl(_ frame: HTTP2FrameHeader, _ run: inout Run) {
    switch frame.type {
    case HTTP2FrameHeader.settings: takeSettings(isAcknowledgment: frame.isAcknowledgment, &run)
    case HTTP2FrameHeader.ping: takePing(isAcknowledgment: frame.isAcknowledgment, &run)
    case HTTP2FrameHeader.resetStream: resetStream(frame.stream, &run)
    case HTTP2FrameHeader.alternativeServices: takeOffer(frame, &run)
    default: break
    }
  }

  /// Takes settings. They hold for a side's octets from its acknowledgment on (RFC 9113 §6.5.3).
  private mutating func takeSettings(isAcknowledgment: Bool, _ run: inout Run) {
    let side = run.side
    if isAcknowledgment {
      if let frame = settings[1 - side].acknowledge() { apply(frame, to: side) }
      return
    }
    let (announced, overdue) = settings[side].finish(limit: run.configuration.pendingSettingsLimit)
    if let size = announced.tableSize { decoders[1 - side].value.announce(size: size) }
    guard let overdue else { return }
    noteOnce(.http2SettingsFlood, .settings, &run)
    apply(overdue, to: 1 - side)
  }

  /// Applies settings of the other side to the following octets of `side`.
  mutating func apply(_ frame: HTTP2Settings.Frame, to side: Side) {
    if let size = frame.tableSize { decoders[side].value.allow(size: size) }
  }

  private mutating func takePing(isAcknowledgment: Bool, _ run: inout Run) {
    let side = run.side
    if isAcknowledgment {
      readers[1 - side].pings = max(readers[1 - side].pings - 1, 0)
    } else {
      readers[side].pings += 1
      if readers[side].pings > run.configuration.unansweredPingLimit { noteOnce(.http2PingFlood, .pings, &run) }
    }
  }

  private mutating func noteEmpty(_ frame: HTTP2FrameHeader, _ run: inout Run) {
    let side = run.side
    let isEmpty =
      frame.payloadLength == 0 && !frame.isEndOfStream && !frame.isEndOfHeaders
      && (frame.type == HTTP2FrameHeader.data || frame.type == HTTP2FrameHeader.headers
        || frame.type == HTTP2FrameHeader.continuation)
    readers[side].emptyFrames = isEmpty ? readers[side].emptyFrames + 1 : 0
    if readers[side].emptyFrames > run.configuration.emptyFrameLimit {
      noteOnce(.http2EmptyFrameFlood, .emptyFrames, &run)
    }
  }

  /// Counts an anomaly once per connection.
  mutating func noteOnce(_ anomaly: Anomaly, _ flood: Floods, _ run: inout Run) {
    if noted.insert(flood).inserted { run.note(anomaly) }
  }

  // MARK: Octets by kind

  /// The limit of remembered octet owners.
  @inline(__always)
  func ownersLimit(_ run: borrowing Run) -> Int { run.configuration.frameOwnerLimit }

  @inline(__always)
  mutating func extendOwners(_ run: inout Run) {
    let side = run.side
    let (position, message) = readers.look(side) { ($0.position, $0.message) }
    owners[side].extend(to: position, message, limit: ownersLimit(run))
    if !message.isNone { latest[side] = message }
  }

  /// Counts octets of the frame's message, or stray octets without a message.
  mutating func count(_ count: Int, as part: FramePart, _ run: inout Run) {
    let side = run.side
    let message = readers.look(side) { $0.message }
    guard message.isOpen(run.rows) else { return countStray(count, &run) }
    extendOwners(&run)
    let row = message.row
    switch part {
    case .framing:
      run.rows[message: row].octets.framing += count
      run.ledger.settle(count, as: .framing)
    case .body:
      run.rows[message: row].octets.body += count
      run.ledger.settle(count, as: .body)
    }
    noteTimes(row, &run)
  }

  /// Notes for a message the times of the current packet and of the first packet with the frame's header.
  private mutating func noteTimes(_ row: RowIndex, _ run: inout Run) {
    run.rows.messages[Int(row)].note(readers.look(run.side) { $0.firstArrival })
    run.rows.messages[Int(row)].note(run.arrival)
  }

  /// Counts octets that are neither fields nor content, for the message that is charged for the frame, else for the connection.
  mutating func countControl(_ count: Int, _ message: MessageReference, _ run: inout Run) {
    extendOwnersByNone(&run)
    run.ledger.settle(count, as: .control)
    if message.isOpen(run.rows) {
      run.rows[message: message.row].control += count
      if run.side != side(of: message.row, run) { run.rows[message: message.row].returned += count }
    } else if readers[run.side].isChargeAwaited {
      streams.awaited[1 - run.side][UInt64(readers[run.side].frame.stream), default: 0] += count
    } else {
      run.connection.added.control += count
    }
  }

  /// The sender of a message that is not final.
  private func side(of row: RowIndex, _ run: borrowing Run) -> Side? {
    let isPushed = run.rows.messages.look(Int(row)) { $0.message.flags.contains(.pushed) }
    let isRequest = run.rows.messages.look(Int(row)) { $0.message.kind == .request }
    return requestSide.map { isRequest && !isPushed ? $0 : 1 - $0 }
  }

  /// Counts octets that belong to no message.
  mutating func countStray(_ count: Int, _ run: inout Run) {
    extendOwnersByNone(&run)
    run.ledger.settle(count, as: .stray)
    run.connection.added.unattributed += count
  }
}

/// The parts of a message that frames are counted as when they are read.
enum FramePart {
  case framing
  case body
}
