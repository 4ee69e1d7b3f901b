// Field blocks (RFC 9113 §4.3). They are gathered from their frames, read at once, and given to their messages.

import Packets

extension HTTP2Session {
  // MARK: Block owners

  /// Gives a HEADERS frame to a message. If the requesting side is still unknown, the first octet decides it.
  ///
  /// If the octet does not decide, the block belongs to no message.
  mutating func placeFields(firstOctet: UInt8?, isLast: Bool = false, _ run: inout Run) {
    let side = run.side
    guard readers.look(side, { $0.frame.type == HTTP2FrameHeader.headers }) else { return }
    if requestSide == nil, let sender = sender(firstOctet, run) { setRequestSide(sender) }
    guard requestSide != nil || isLast || firstOctet != nil else { return }
    let frame = readers[side].frame
    readers[side].isMessagePending = false
    var purpose = FieldBlock.Purpose.stray
    if let requestSide,
      let slot = streamForFields(frame.stream, isRequest: side == requestSide, firstOctet: firstOctet, &run)
    {
      readers[side].slot = slot
      readers[side].message = streams[slot].halves[side].message
      purpose = streams[slot].halves[side].state == .trailers ? .trailer : .header
    }
    openBlock(purpose, stream: frame.stream, endsStream: frame.isEndOfStream, &run)
    countWaiting(&run)
  }

  /// Counts the frame's octets so far for its message.
  private mutating func countWaiting(_ run: inout Run) {
    let waiting = readers.look(run.side) { $0.position - $0.frameStart }
    count(waiting, as: .framing, &run)
  }

  /// The side that sends requests, by the first representation of a block. Pseudo-header fields come first.
  private func sender(_ firstOctet: UInt8?, _ run: borrowing Run) -> Side? {
    if let client = run.connection.client { return client }
    guard let octet = firstOctet else { return nil }
    let index =
      octet & 0x80 != 0 ? octet & 0x7f : octet & 0x40 != 0 ? octet & 0x3f : octet & 0x20 != 0 ? 0 : octet & 0x0f
    switch index {
    case 1...7: return run.side
    case 8...14: return 1 - run.side
    default: return nil
    }
  }

  /// Starts the request of a PUSH_PROMISE frame, whose promised stream is known now (RFC 9113 §8.4).
  mutating func placePromise(_ run: inout Run) {
    let side = run.side
    let start = readers[side].frame.isPadded ? 1 : 0
    var promised: UInt32 = 0
    for index in start..<start + 4 { promised = promised << 8 | UInt32(readers[side].octets[index]) }
    promised &= 0x7fff_ffff
    readers[side].isMessagePending = false
    var purpose = FieldBlock.Purpose.stray
    setRequestSide(1 - side)
    if side != requestSide, promised > 0, !streams.contains(UInt64(promised)),
      promised > highestStream[side] || !readers[side].isComplete
    {
      let slot = openStream(promised, by: side, &run)
      startMessage(slot, side, isRequest: true, &run)
      let row = streams[slot].halves[side].message.row
      run.rows[message: row].flags.insert(.pushed)
      // The client sends no octets on it.
      streams[slot].halves[1 - side].state = .ended
      readers[side].slot = slot
      readers[side].message = streams[slot].halves[side].message
      purpose = .header
    } else {
      run.note(.http2FrameMalformed)
    }
    openBlock(purpose, stream: readers[side].frame.stream, endsStream: purpose == .header, &run)
    countWaiting(&run)
  }

  private mutating func openBlock(
    _ purpose: FieldBlock.Purpose, stream: UInt32, endsStream: Bool, _ run: inout Run
  ) {
    let side = run.side
    readers[side].block.isOpen = true
    readers[side].block.purpose = purpose
    readers[side].block.slot = readers[side].slot
    readers[side].block.message = readers[side].message
    readers[side].block.stream = stream
    readers[side].block.endsStream = endsStream
  }

  // MARK: Octets

  /// Takes octets of a field block.
  mutating func takeFields(_ octets: RawSpan, _ run: inout Run) {
    let side = run.side
    let message = readers.look(side) { $0.message }
    if message.isOpen(run.rows) { run.rows.messages[Int(message.row)].note(run.arrival) }
    let (kept, isWhole, hasHole) = readers.look(side) {
      ($0.block.octets.count, $0.frame.isEndOfHeaders && $0.left == 0 && $0.block.unread == 0, $0.block.hasHole)
    }
    // The case of nearly every block: it is here as a whole.
    if kept == 0, isWhole, !hasHole {
      decode(octets, isComplete: true, &run)
      return
    }
    let room = hasHole ? 0 : run.configuration.fieldBlockLimit - kept
    let taken = min(max(room, 0), octets.byteCount)
    octets.append(0..<taken, to: &readers[side].block.octets)
    readers[side].block.unread += octets.byteCount - taken
  }

  /// Skips unseen octets of a field block or of content.
  mutating func skipContent(_ count: Int, isInPacket: Bool, _ run: inout Run) {
    let side = run.side
    if readers.look(side, { $0.frame.type == HTTP2FrameHeader.data }) {
      return skipData(count, isInPacket: isInPacket, &run)
    }
    extendOwners(&run)
    readers[side].block.hasHole = true
    if !isInPacket { readers[side].block.missing += count }
    let message = readers.look(side) { $0.message }
    guard message.isOpen(run.rows) else {
      if isInPacket { readers[side].block.unread += count }
      return
    }
    run.rows[message: message.row].flags.insert(.headerNotSeen)
    if isInPacket {
      run.rows.messages[Int(message.row)].note(run.arrival)
      run.rows[message: message.row].unseen += count
      readers[side].block.unread += count
    } else {
      run.rows[message: message.row].missing += count
      let slot = readers.look(side) { $0.slot }
      streams[slot].halves[side].missingFields += count
    }
  }

  // MARK: Reading

  /// Ends the block.
  mutating func endBlock(_ run: inout Run) {
    let side = run.side
    guard readers.look(side, { $0.block.isOpen }) else { return }
    let octets = readers[side].block.octets
    octets.withOctets { decode($0, isComplete: true, &run) }
  }

  /// Gives up the block. Only the octets so far are read.
  mutating func cutBlock(_ run: inout Run) {
    let side = run.side
    let octets = readers[side].block.octets
    readers[side].block.hasHole = true
    octets.withOctets { decode($0, isComplete: false, &run) }
  }

  /// Reads a field block, and applies its fields to its message. Every octet of it is counted.
  private mutating func decode(_ octets: RawSpan, isComplete: Bool, _ run: inout Run) {
    let side = run.side
    let (purpose, slot, message, endsStream, unread, hasHole) = readers.look(side) {
      ($0.block.purpose, $0.block.slot, $0.block.message, $0.block.endsStream, $0.block.unread, $0.block.hasHole)
    }
    let (missing, stream) = readers.look(side) { ($0.block.missing, $0.block.stream) }
    let keptCapacity = readers.look(side) { $0.block.octets.capacity } <= Self.blockCapacity
    readers[side].block.octets.removeAll(keepingCapacity: keptCapacity)
    readers[side].block.isOpen = false
    readers[side].block.unread = 0
    readers[side].block.missing = 0
    readers[side].block.hasHole = false
    readers[side].block.continuations = 0
    let row = message.isOpen(run.rows) && purpose != .stray ? message.row : -1
    var section = FieldSection(
      isRequest: row >= 0 && run.rows[message: row].kind == .request, isSecure: run.connection.beneath.isSecure,
      isObserved: run.contents.observer != nil && purpose == .header && row >= 0)
    if unread > 0, !hasHole { run.note(.http2FieldBlockTooLong) }
    let isCut = unread > 0 || hasHole
    let isRequest = side == requestSide && purpose == .header
    if !isCut, row >= 0, decoders[side].look({ $0.hasGap }) {
      let kinds = kinds(purpose, slot, endsStream: endsStream, run)
      decoders[side].value.narrow(octets, kinds, lostBlocks: isRequest ? lostRequests(before: stream) : nil)
    }
    if isRequest { readers[side].latestRequest = max(readers[side].latestRequest, stream) }
    let left = read(octets, into: &section, decoders[side], isCut: isCut, isTrailer: purpose == .trailer, row, &run)
    if isCut { decoders[side].value.lose(octets: left + unread + missing, isCut: true) }
    if unread > 0 { section.takeUnread(unread) }
    if hasHole { section.takeUnread(0) }
    section.finish()
    guard row >= 0 else {
      let count = section.startLine + section.header
      run.ledger.settle(count, as: .stray)
      run.connection.added.unattributed += count
      return section.release(&run)
    }
    streams.count(&section, isTrailer: purpose == .trailer, row, &run)
    // The end of the block was not seen.
    if !isComplete { streams[slot].halves[side].isLossy = true }
    if purpose == .trailer {
      streams.endTrailers(&section, slot, endsStream: endsStream, &run)
    } else {
      streams.endHeader(&section, slot, endsStream: endsStream, isComplete: isComplete, &run)
    }
  }

  /// Octets of memory that are kept for the next block.
  private static var blockCapacity: Int { 16 << 10 }

  /// The number of requests that were lost before the one on a stream, as far as the numbers of streams tell; nil if they do not.
  private func lostRequests(before stream: UInt32) -> Int? {
    let latest = readers.look(requestSide ?? 0) { $0.latestRequest }
    // Both numbers are odd, except 0 before the first request.
    return stream > latest ? Int((stream - latest + 1) / 2) - 1 : nil
  }

  /// The kinds of field sections that a block of a message can be. Sections before it may have been lost.
  private func kinds(
    _ purpose: FieldBlock.Purpose, _ slot: Int, endsStream: Bool, _ run: borrowing Run
  ) -> [FieldOrder.Kind] {
    let half = streams[slot].halves[run.side]
    let isRequest = run.rows.messages.look(Int(half.message.row)) { $0.message.kind == .request }
    let losses = streams.losses[run.side]
    let first = isRequest ? FieldOrder.Kind.request : .response
    if purpose == .trailer {
      return half.isStatusUnknown || half.losses != losses || half.isLossy ? [.trailer, first] : [.trailer]
    }
    return losses > 0 && endsStream ? [first, .trailer] : [first]
  }

  /// Reads the representations of a block. Returns the number of octets at its end that cannot be read.
  private func read(
    _ octets: RawSpan, into section: inout FieldSection, _ decoder: OwnMemory<HPACKDecoder>, isCut: Bool,
    isTrailer: Bool, _ row: RowIndex, _ run: inout Run
  ) -> Int {
    decoder.value.startBlock(isCut: isCut)
    if run.notes.fields.isWanted { run.notes.fields.startSection() }
    var offset = 0
    while true {
      switch decoder.value.next(octets, at: &offset) {
      case .end: return 0
      case .undecodable:
        let left = octets.byteCount - offset
        section.takeUnread(left)
        guard !isCut else { return left }
        section.markMalformed()
        run.note(.hpackMalformed)
        return left
      case .field(let field):
        if field.isMalformed { run.note(.hpackMalformed) }
        decoder.look { decoder in
          decoder.withField(field, in: octets) { name, value in
            section.take(field, name, value, isTrailer: isTrailer, of: row, &run)
          }
        }
      }
    }
  }
}
