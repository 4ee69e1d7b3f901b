// Streams and their messages (RFC 9113 §5, §8): their starts, contents and ends.

import Packets

extension HTTP2Session {
  // MARK: Streams by number

  /// The stream for DATA with a message of the current side; nil without one.
  mutating func streamForData(_ number: UInt32, _ run: inout Run) -> Int? {
    let side = run.side
    guard let slot = streams.slot(of: UInt64(number)) ?? streamInTheMiddle(number, &run) else {
      run.note(.http2StreamClosed)
      return nil
    }
    switch streams[slot].halves[side].state {
    case .content, .fields, .trailers: return slot
    case .idle:
      // Its fields were lost, or never sent.
      if readers.look(side, { $0.isComplete }) { run.note(.http2StreamIdle) }
      guard let requestSide else { return nil }
      let (start, isUnsure) = readers.look(side) { ($0.firstArrival, $0.isUnsure) }
      let row = streams.startWithoutFields(
        slot, side, isRequest: side == requestSide, start, isDoubtful: isUnsure, &run)
      streams.takeAwaited(slot, row, &run)
      return slot
    case .ended:
      if !streams[slot].isReset { run.note(.http2StreamClosed) }
      return streams[slot].halves[side].message.isOpen(run.rows) ? slot : nil
    }
  }

  /// An unknown stream from before the capture or from a gap; nil when it is over, as far as is known.
  private mutating func streamInTheMiddle(_ number: UInt32, _ run: inout Run) -> Int? {
    guard let requestSide, number > 0 else { return nil }
    let opener = number % 2 == 1 ? requestSide : 1 - requestSide
    guard number > highestStream[opener] || !readers.look(0, { $0.isComplete }) || !readers.look(1, { $0.isComplete })
    else { return nil }
    return openStream(number, by: opener, &run)
  }

  /// The stream for fields of the current side, with their message; nil without one.
  mutating func streamForFields(_ number: UInt32, isRequest: Bool, firstOctet: UInt8?, _ run: inout Run) -> Int? {
    let side = run.side
    if isRequest, number % 2 == 0 {
      run.note(.http2FrameMalformed)
      return nil
    }
    var known = streams.slot(of: UInt64(number))
    if let slot = known, isRequest, streams[slot].hasFinalMessage, streams[slot].halves[side].state == .idle {
      // Its response was final before its request came.
      streams.over(slot, &run)
      known = nil
    }
    guard let slot = known ?? streamInTheMiddle(number, &run) else {
      run.note(.http2StreamClosed)
      return nil
    }
    if streams.mayBeInterim(slot, run),
      !streams.decide(slot, startsWithStatus: startsWithStatus(firstOctet, run), &run)
    {
      // Only what ends the stream can be either.
      streams.endMessage(slot, side, .complete, &run)
      return nil
    }
    switch streams[slot].halves[side].state {
    case .idle:
      if !isRequest { streams.noteUnasked(slot, &run) }
      startMessage(slot, side, isRequest: isRequest, &run)
      return slot
    case .content:
      streams[slot].halves[side].state = .trailers
      return slot
    case .fields, .trailers: return slot
    case .ended:
      run.note(.http2StreamClosed)
      return nil
    }
  }

  /// Whether the current field section starts with a status; nil if that is unknown. Without one it would be trailer fields, which end the
  /// stream.
  private func startsWithStatus(_ firstOctet: UInt8?, _ run: borrowing Run) -> Bool? {
    let side = run.side
    guard readers.look(side, { $0.frame.isEndOfStream }) else { return true }
    return firstOctet.flatMap { octet in decoders[side].look { $0.startsWithStatus(octet) } }
  }

  /// Opens a stream of the current frame and its exchange.
  mutating func openStream(_ number: UInt32, by side: Side, _ run: inout Run) -> Int {
    highestStream[side] = max(highestStream[side], number)
    let time = readers.look(run.side) { $0.firstArrival.time }
    return streams.open(UInt64(number), number: UInt64(number), at: time, &run)
  }

  /// Starts a message of the current side with the current frame.
  mutating func startMessage(_ slot: Int, _ side: Side, isRequest: Bool, _ run: inout Run) {
    let (start, isUnsure) = readers.look(side) { ($0.firstArrival, $0.isUnsure) }
    streams.startMessage(slot, side, isRequest: isRequest, start, isDoubtful: isUnsure, &run)
  }

  // MARK: Content

  /// Takes octets of content.
  mutating func takeData(_ octets: RawSpan, _ run: inout Run) {
    let side = run.side
    let slot = readers.look(side) { $0.slot }
    if streams[slot].halves[side].mayBeTunnel { streams.resolveTunnel(slot, side, &run) }
    guard !streams[slot].halves[side].isTunnel else { return takeTunnelled(slot, octets, &run) }
    count(octets.byteCount, as: .body, &run)
    let message = streams[slot].halves[side].message
    guard streams[slot].halves[side].state.isInProgress, message.isOpen(run.rows) else { return }
    if streams[slot].halves[side].content.isOpen {
      streams[slot].halves[side].content.take(octets, of: message.row, &run)
    }
  }

  /// Counts octets of a tunnel that is not read.
  mutating func countTunnel(_ count: Int, _ run: inout Run) {
    extendOwnersByNone(&run)
    run.ledger.settle(count, as: .tunnel)
    run.connection.added.unattributed += count
    run.connection.added.flags.insert(.tunnel)
  }

  /// Skips unseen octets of content.
  mutating func skipData(_ count: Int, isInPacket: Bool, _ run: inout Run) {
    let side = run.side
    let slot = readers.look(side) { $0.slot }
    if streams[slot].halves[side].isTunnel { return skipTunnelled(slot, count, isInPacket: isInPacket, &run) }
    guard countHidden(count, as: .body, isInPacket: isInPacket, &run) else { return }
    let message = readers.look(side) { $0.message }
    streams[slot].halves[side].content.lose()
    run.rows[message: message.row].flags.insert(.contentNotSeen)
  }

  /// Resets a stream. Its sender sends no more octets on it. Octets of the other side may have been on the way, in any order of capture: its
  /// message ends with them, or was reset.
  mutating func resetStream(_ number: UInt32, _ run: inout Run) {
    guard let slot = streams.slot(of: UInt64(number)), !streams[slot].isReset else { return }
    let side = run.side
    if side == requestSide, streams[slot].halves[1 - side].state == .idle {
      unansweredResets += 1
      if unansweredResets > run.configuration.unansweredResetLimit { noteOnce(.http2RapidReset, .resets, &run) }
    }
    streams[slot].isReset = true
    streams[slot].isAwaited = streams[slot].halves[1 - side].state != .ended
    // A block of it that is still open continues to belong to it.
    let hasBlock = readers.look(side) { $0.block.isOpen && $0.block.slot == slot }
    if streams[slot].halves[side].isInProgress, !hasBlock {
      streams.endMessage(slot, side, .reset, &run)
    } else if streams[slot].halves[side].state == .idle {
      streams[slot].halves[side].state = .ended
    }
    guard streams[slot].exchange >= 0, streams[slot].isAwaited else { return streams.closeIfOver(slot, &run) }
    awaitedResets.append(number)
    if awaitedResets.count > Self.awaitedResetLimit {
      let oldest = awaitedResets[0]
      awaitedResets.removeFirst()
      endAwaiting(oldest, &run)
    }
  }

  /// Ends a stream that was reset, and on which octets of the other side were awaited.
  private mutating func endAwaiting(_ number: UInt32, _ run: inout Run) {
    guard let slot = streams.slot(of: UInt64(number)), streams[slot].isAwaited else { return }
    streams[slot].isAwaited = false
    for side in 0..<2 where streams[slot].halves[side].isInProgress { streams.endMessage(slot, side, .reset, &run) }
    if streams[slot].exchange >= 0 { streams.closeIfOver(slot, &run) }
  }

  /// The streams of a connection that were reset and still wait for octets of the other side. Octets on the way come within a round trip.
  private static let awaitedResetLimit = 64

  /// The message that is charged for a frame without fields or content (MEASURES §7).
  mutating func messageCharged(for frame: HTTP2FrameHeader, _ run: borrowing Run) -> MessageReference {
    guard frame.stream > 0, let slot = streams.slot(of: UInt64(frame.stream)) else { return .none }
    let side = run.side
    if frame.type == HTTP2FrameHeader.windowUpdate { return streams[slot].halves[1 - side].message }
    return streams.messageCharged(slot, from: side)
  }

  // MARK: Awaited messages

  /// Whether a frame is a WINDOW_UPDATE for a message that may begin later (MEASURES §7).
  mutating func awaitsMessage(_ frame: HTTP2FrameHeader, _ run: borrowing Run) -> Bool {
    let receiver = 1 - run.side
    guard frame.type == HTTP2FrameHeader.windowUpdate, frame.stream > 0,
      streams.awaited.look(receiver, { $0.count }) < run.configuration.streamLimit
    else { return false }
    if let slot = streams.slot(of: UInt64(frame.stream)) {
      return streams[slot].halves[receiver].message.isNone && streams[slot].halves[receiver].state != .ended
    }
    guard let requestSide else { return true }
    return frame.stream > highestStream[frame.stream % 2 == 1 ? requestSide : 1 - requestSide]
  }
}

// Octets of tunnels: streams that CONNECT opened. With a protocol (RFC 8441), they belong to the stream's messages.

extension HTTP2Session {
  /// Takes octets of a stream's content that is a tunnel. They end at the reader's position.
  mutating func takeTunnelled(_ slot: Int, _ octets: RawSpan, _ run: inout Run) {
    let side = run.side
    if let row = streams.tunnelOwner(slot, &run) {
      extendOwners(&run)
      return run.takeTunnel(octets, of: row)
    }
    guard let stream = streams.openTunnel(slot, &run) else { return countTunnel(octets.byteCount, &run) }
    let end = extendOwners(byTunnel: stream, &run)
    streams.withTunnel(stream, &run) { $0.receive(side, octets, at: end - octets.byteCount, &$1) }
  }

  /// Skips octets of a tunnel that were not captured.
  mutating func skipTunnelled(_ slot: Int, _ count: Int, isInPacket: Bool, _ run: inout Run) {
    let side = run.side
    if let row = streams.tunnelOwner(slot, &run) {
      extendOwners(&run)
      return isInPacket ? run.takeUnseenTunnel(count, of: row) : run.missTunnel(count, of: row)
    }
    guard let stream = streams.openTunnel(slot, &run) else {
      return isInPacket ? countTunnel(count, &run) : extendOwnersByNone(&run)
    }
    let end = extendOwners(byTunnel: stream, &run)
    streams.withTunnel(stream, &run) { $0.skip(side, count, isInPacket: isInPacket, at: end - count, &$1) }
  }

  private mutating func extendOwners(byTunnel stream: UInt64, _ run: inout Run) -> StreamPosition {
    let side = run.side
    let position = readers.look(side) { $0.position }
    owners[side].extend(to: position, .tunnel(stream), limit: ownersLimit(run))
    return position
  }
}
