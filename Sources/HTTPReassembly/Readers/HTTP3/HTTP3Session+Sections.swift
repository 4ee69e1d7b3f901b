// Field sections (RFC 9114 §4.1, §4.3) and pushes (§4.6). A section is gathered from its frame, and read at once.

import Packets

extension HTTP3Session {
  // MARK: Owners

  /// Begins a HEADERS frame.
  mutating func beginSection(_ flow: Flow, _ run: inout Run) {
    flow.value.sectionKey = flow.value.key
    flow.value.phase = .content
    if run.side != client, !flow.value.hasTrailers, let slot = streams.slot(of: flow.value.key),
      streams.mayBeInterim(slot, run)
    {
      flow.value.purpose = .undecided
      return
    }
    placeSection(flow, &run)
  }

  /// Finds the message of a section, and counts the frame's header for it.
  private mutating func placeSection(_ flow: Flow, _ run: inout Run) {
    let side = run.side
    flow.value.purpose = .stray
    if !flow.value.hasTrailers, let slot = streamForSection(flow, &run) {
      let (message, state) = streams[slot].halves.look(side) { ($0.message, $0.state) }
      flow.value.message = message
      flow.value.purpose = state == .trailers ? .trailer : .header
    } else {
      run.note(.http3FrameUnexpected)
    }
    countFraming(flow, &run)
  }

  /// Decides about a section behind a response whose status is unknown, if it has not been done.
  mutating func decideSection(_ octets: RawSpan, _ flow: Flow, _ run: inout Run) {
    guard flow.value.purpose == .undecided else { return }
    // The header of the frame comes first among the octets that wait.
    flow.value.waiting -= octets.byteCount + flow.value.unread
    let startsWithStatus = decoders[run.side].value.startsWithStatus(octets, since: flow.value.inserts)
    if let slot = streams.slot(of: flow.value.sectionKey),
      !streams.decide(slot, startsWithStatus: startsWithStatus, &run)
    {
      flow.value.purpose = .stray
      return countFraming(flow, &run)
    }
    placeSection(flow, &run)
  }

  /// The slot of the message that a field section of the current side belongs to; nil without one.
  private mutating func streamForSection(_ flow: Flow, _ run: inout Run) -> Int? {
    let side = run.side
    let key = flow.value.key
    let isRequest = side == client
    var known = streams.slot(of: key)
    if let slot = known, isRequest, streams[slot].hasFinalMessage,
      streams[slot].halves.look(side, { $0.state == .idle })
    {
      // Its response was final before its request came.
      streams.over(slot, &run)
      known = nil
    }
    if let slot = known, isInPromise(slot, run) {
      // The promise is not read to its end, and its response comes.
      streams.endMessage(slot, side, .incomplete, &run)
    }
    let time = flow.value.firstArrival.time
    let slot = known ?? streams.open(key, number: flow.value.stream, at: time, &run)
    switch streams[slot].halves.look(side, { $0.state }) {
    case .idle:
      if !isRequest { streams.noteUnasked(slot, &run) }
      streams.startMessage(slot, side, isRequest: isRequest, flow.value.firstArrival, &run)
    case .content: streams[slot].halves[side].state = .trailers
    case .fields, .trailers: break
    case .ended: return nil
    }
    return slot
  }

  /// Starts the request of a PUSH_PROMISE frame, whose push ID is known now (RFC 9114 §7.2.5).
  mutating func placePromise(_ identifier: UInt64, _ flow: Flow, isForced: Bool, _ run: inout Run) {
    let side = run.side
    let key = Self.key(ofPush: identifier)
    flow.value.purpose = .stray
    // A promise may be repeated. Its further copies belong to no message.
    if streams.slot(of: key) == nil {
      let slot = streams.open(key, number: nil, at: flow.value.firstArrival.time, &run)
      streams.startMessage(slot, side, isRequest: true, flow.value.firstArrival, &run)
      let message = streams[slot].halves[side].message
      run.rows[message: message.row].flags.insert(.pushed)
      // The client sends no octets on it.
      streams[slot].halves[1 - side].state = .ended
      flow.value.message = message
      flow.value.purpose = .promise
      flow.value.sectionKey = key
    }
    flow.value.phase = .content
    countFraming(flow, &run)
    if flow.value.left == 0 { endSection(flow, isForced: isForced, &run) }
  }

  /// Begins a push stream, which waits for its promise (RFC 9114 §4.6).
  mutating func beginPush(_ identifier: UInt64, _ flow: Flow, _ run: inout Run) {
    let key = Self.key(ofPush: identifier)
    flow.value.key = key
    flow.value.phase = .frameType
    let waiting = flow.value.waiting
    flow.value.waiting = 0
    extendOwners(flow, .none, run)
    run.ledger.settle(waiting, as: .control)
    run.connection.added.control += waiting
    if let slot = promised(key, run) {
      name(slot, flow.value.stream, &run)
    } else {
      flow.value.awaitsPromise = true
      wait(flow, run.side, for: .promise)
    }
  }

  /// Whether the server's message in progress on a stream is a promised request, whose section is not read yet.
  func isInPromise(_ slot: Int, _ run: borrowing Run) -> Bool {
    let (isInProgress, message) = streams[slot].halves.look(1 - client) { ($0.isInProgress, $0.message) }
    guard isInProgress else { return false }
    return run.rows.messages.look(Int(message.row)) { $0.message.kind == .request }
  }

  /// The slot of a push whose promise was read; nil without one.
  mutating func promised(_ key: UInt64, _ run: borrowing Run) -> Int? {
    guard let slot = streams.slot(of: key), !isInPromise(slot, run) else { return nil }
    return slot
  }

  /// Gives a push the number of its stream.
  mutating func name(_ slot: Int, _ stream: UInt64, _ run: inout Run) {
    streams[slot].number = stream
    run.rows.exchanges[Int(streams[slot].exchange)].exchange.stream = stream
    let message = streams[slot].halves[1 - client].message
    if message.isOpen(run.rows) { run.rows[message: message.row].stream = stream }
  }

  // MARK: Octets

  /// Takes octets of a field section.
  mutating func takeSection(_ octets: RawSpan, _ flow: Flow, isForced: Bool, _ run: inout Run) {
    let message = flow.value.message
    if flow.value.purpose == .undecided {
      flow.value.waiting += octets.byteCount
    } else {
      extendOwners(flow, message, run)
    }
    if message.isOpen(run.rows) { run.rows.messages[Int(message.row)].note(run.arrival) }
    if !flow.value.hasGap, flow.value.left == 0, flow.value.section.isEmpty, flow.value.unread == 0,
      octets.byteCount <= run.configuration.fieldBlockLimit,
      isForced || decoders[run.side].look({ $0.readiness(of: octets, since: flow.value.inserts) == .ready })
    {
      // Most sections come whole, and are read where they lie.
      decode(octets, flow, isComplete: true, &run)
      return awaitFrame(flow)
    }
    let room = flow.value.hasGap ? 0 : max(run.configuration.fieldBlockLimit - flow.value.section.count, 0)
    let taken = min(room, octets.byteCount)
    octets.append(0..<taken, to: &flow.value.section)
    flow.value.unread += octets.byteCount - taken
  }

  /// Skips unseen octets of a field section.
  mutating func skipSection(_ count: Int, _ flow: Flow, isInPacket: Bool, _ run: inout Run) {
    let octets = flow.value.section
    octets.withOctets { decideSection($0, flow, &run) }
    let message = flow.value.message
    extendOwners(flow, message, run)
    flow.value.hasGap = true
    if isInPacket { flow.value.unread += count }
    guard message.isOpen(run.rows) else { return }
    run.rows[message: message.row].flags.insert(.headerNotSeen)
    if isInPacket {
      run.rows.messages[Int(message.row)].note(run.arrival)
      run.rows[message: message.row].unseen += count
    } else {
      run.rows[message: message.row].missing += count
      if let slot = streams.slot(of: flow.value.sectionKey) { streams[slot].halves[run.side].missingFields += count }
    }
  }

  // MARK: Reading

  /// Ends a section. It waits if it refers to fields that have not come.
  mutating func endSection(_ flow: Flow, isForced: Bool, _ run: inout Run) {
    let octets = flow.value.section
    if !isForced {
      let readiness = octets.withOctets { block in
        decoders[run.side].look { $0.readiness(of: block, since: flow.value.inserts) }
      }
      if case .waiting(let inserts) = readiness { return wait(flow, run.side, for: .inserts(inserts)) }
    }
    octets.withOctets { decode($0, flow, isComplete: true, &run) }
    awaitFrame(flow)
  }

  /// Gives up a section. Only the octets so far are read.
  mutating func cutSection(_ flow: Flow, _ run: inout Run) {
    let octets = flow.value.section
    flow.value.hasGap = true
    octets.withOctets { decode($0, flow, isComplete: false, &run) }
  }

  /// Reads a field section, and applies its fields to its message. Every octet of it is counted.
  private mutating func decode(_ octets: RawSpan, _ flow: Flow, isComplete: Bool, _ run: inout Run) {
    decideSection(octets, flow, &run)
    let side = run.side
    let (message, purpose, unread, hasGap) = (
      flow.value.message, flow.value.purpose, flow.value.unread, flow.value.hasGap
    )
    flow.value.section = []
    flow.value.unread = 0
    flow.value.hasGap = false
    let isOwned = purpose != .stray && message.isOpen(run.rows)
    // The message may have ended while its section waited.
    let slot = streams.slot(of: flow.value.sectionKey).flatMap { slot in
      streams[slot].halves.look(side) { $0.isInProgress && $0.message == message } ? slot : nil
    }
    let row = isOwned && slot != nil ? message.row : -1
    let isTrailer = purpose == .trailer
    var section = FieldSection(
      isRequest: row >= 0 && run.rows[message: row].kind == .request, isSecure: run.connection.beneath.isSecure,
      isObserved: run.contents.observer != nil && !isTrailer && row >= 0)
    if unread > 0, !hasGap { run.note(.http3FieldSectionTooLong) }
    let isCut = unread > 0 || hasGap
    read(octets, into: &section, since: flow.value.inserts, isCut: isCut, isTrailer: isTrailer, row, &run)
    if unread > 0 { section.takeUnread(unread) }
    if hasGap { section.takeUnread(0) }
    section.finish()
    guard row >= 0, let slot else {
      let count = section.startLine + section.header
      run.ledger.settle(count, as: .stray)
      run.connection.added.unattributed += count
      return section.release(&run)
    }
    streams.count(&section, isTrailer: isTrailer, row, &run)
    // The end of the section was not seen.
    if !isComplete { streams[slot].halves[side].isLossy = true }
    if isTrailer {
      flow.value.hasTrailers = true
      streams.endTrailers(&section, slot, endsStream: false, &run)
    } else {
      streams.endHeader(&section, slot, endsStream: purpose == .promise, isComplete: isComplete, &run)
    }
    guard purpose == .promise else { return }
    if !isComplete { streams.endMessage(slot, side, .incomplete, &run) }
    release(side, isPromised: true, &run)
  }

  /// Reads the representations of a section.
  private func read(
    _ octets: RawSpan, into section: inout FieldSection, since inserts: Int, isCut: Bool, isTrailer: Bool,
    _ row: RowIndex, _ run: inout Run
  ) {
    let decoder = decoders[run.side]
    if run.notes.fields.isWanted { run.notes.fields.startSection() }
    var offset = 0
    var step = decoder.value.startSection(octets, since: inserts, at: &offset)
    while true {
      switch step {
      case .end: return
      case .undecodable:
        section.takeUnread(octets.byteCount - offset)
        guard !isCut else { return }
        section.markMalformed()
        return run.note(.qpackMalformed)
      case .field(let field):
        if field.isMalformed { run.note(.qpackMalformed) }
        decoder.look { decoder in
          decoder.withField(field, in: octets) { name, value in
            section.take(field, name, value, isTrailer: isTrailer, of: row, &run)
          }
        }
      }
      step = decoder.value.next(octets, at: &offset)
    }
  }
}
