// Octets that are missing or cannot be seen, and frames that are found again behind them (MEASURES §10).

extension HTTP2Session {
  /// Gives up framing. Messages of this side may continue or end unseen. The octets of a gap tell how many fields may have been inserted
  /// unseen; without a gap, the dynamic table is unknown.
  mutating func loseFraming(gap: Int? = nil, _ run: inout Run) {
    let side = run.side
    readers[side].phase = .lost
    readers[side].collected = 0
    readers[side].left = 0
    streams.losses[side] += 1
    readers[side].isComplete = false
    readers[side].isUnsure = false
    streams.loseTunnels(side, &run)
    let largest = max(highestStream.look(0) { $0 }, highestStream.look(1) { $0 })
    readers[side].search = FrameSearch(
      longest: settings.look(1 - side) { $0.largestFrame },
      streams: streams.opening.isSeen && largest > 0 ? largest + Self.unseenStreams : FrameSearch.anyStream)
    readers[side].lostOctets = gap ?? 0
    if gap == nil { decoders[side].value.forget() }
  }

  /// The numbers of streams that may have been opened unseen before frames are found again.
  private static var unseenStreams: UInt32 { 8192 }

  /// Looks for frames. Octets that start a segment or record may be recognized by their first frame. Returns the number of octets before
  /// them.
  mutating func look(_ octets: RawSpan, isStart: Bool, _ run: inout Run) -> Int {
    let side = run.side
    let position = readers[side].position
    if isStart, readers.look(side, { $0.search != nil }), startsWithFrame(octets, run) {
      foundFrames(&run)
      awaitHeader(&run)
      return 0
    }
    switch readers[side].search?.find(octets, at: position) ?? .nothing {
    case .nothing:
      readers[side].position += octets.byteCount
      readers[side].lostOctets += octets.byteCount
      countStray(octets.byteCount, &run)
      return octets.byteCount
    case .header(let offset):
      readers[side].position += offset
      readers[side].lostOctets += offset
      countStray(offset, &run)
      foundFrames(&run)
      readers[side].isUnsure = offset > 0 || !isStart
      awaitHeader(&run)
      return offset
    case .later(let next):
      readers[side].lostOctets += next - position
      foundFrames(&run)
      readers[side].isUnsure = true
      readers[side].phase = .stray
      readers[side].left = next - position
      if readers[side].left == 0 { awaitHeader(&run) }
      return 0
    }
  }

  mutating func foundFrames(_ run: inout Run) {
    let side = run.side
    readers[side].search = nil
    let lost = readers.look(side) { $0.lostOctets }
    decoders[side].value.lose(octets: lost)
    run.note(.http2Resynchronized)
  }

  /// Confirms frames that were found behind a gap, by a frame where a segment or record starts.
  mutating func confirm(_ octets: RawSpan, _ run: borrowing Run) {
    let isBetweenFrames = reader(run) { $0.phase == .header && $0.collected == 0 }
    if isBetweenFrames, startsWithFrame(octets, run) { readers[run.side].isUnsure = false }
  }

  /// Whether octets start with the header of a frame on a known stream. All headers that follow from it must fit.
  private func startsWithFrame(_ octets: RawSpan, _ run: borrowing Run) -> Bool {
    let longest = settings.look(1 - run.side) { $0.largestFrame }
    var offset = 0
    var latest: UInt32 = 0
    while offset + HTTP2FrameHeader.length <= octets.byteCount {
      guard HTTP2FrameHeader.fits(octets, at: offset, longest: longest) else { return false }
      let frame = HTTP2FrameHeader(octets, at: offset)
      if frame.stream != latest, !isOnKnownStream(frame, run) { return false }
      latest = frame.stream
      offset += HTTP2FrameHeader.length + frame.payloadLength
    }
    return offset > 0
  }

  /// Whether the current side may send a frame on its stream, which is known or the next one.
  private func isOnKnownStream(_ frame: HTTP2FrameHeader, _ run: borrowing Run) -> Bool {
    guard frame.stream > 0 else { return true }
    guard let requestSide, highestStream.look(requestSide, { $0 > 0 }) || streams.opening.isSeen else { return false }
    if streams.contains(UInt64(frame.stream)) { return true }
    let isClient = run.side == requestSide
    let highest = highestStream.look(frame.stream % 2 == 1 ? requestSide : 1 - requestSide) { $0 }
    // A stream that is over may still get these.
    if frame.stream <= highest {
      return frame.type == HTTP2FrameHeader.windowUpdate || frame.type == HTTP2FrameHeader.resetStream
    }
    let isOpened = frame.stream % 2 == 1 ? isClient : !isClient
    // The smallest frame that opens a stream has a header of 9 octets and a field.
    let unseen = isOpened ? UInt32(clamping: 1 + reader(run) { $0.lostOctets } / 10) : Self.streamsAhead
    return frame.stream <= highest + 2 * min(unseen, Self.streamsAhead)
      && (frame.stream % 2 == 1 || highest > 0)
      && (!isOpened || frame.type == HTTP2FrameHeader.headers || frame.type == HTTP2FrameHeader.priority)
  }

  /// The number of streams whose first frames from the other side may still be unread.
  private static var streamsAhead: UInt32 { 128 }

  /// Skips octets that cannot be seen: beyond a packet's snap length, or never captured.
  mutating func skip(_ count: Int, isInPacket: Bool, _ run: inout Run) {
    let side = run.side
    if isInPacket { run.countUnseen(count) } else { run.countMissing(count) }
    var left = count
    while left > 0 {
      let phase = readers[side].phase
      let inside = min(left, readers[side].left)
      if phase == .content, inside > 0, requestSide != nil, reader(run, { $0.isMessagePending }) {
        placeFields(firstOctet: nil, &run)
      }
      switch phase {
      case .content where inside > 0 && !readers[side].isMessagePending:
        pass(inside, &run)
        skipContent(inside, isInPacket: isInPacket, &run)
        if readers[side].left == 0 { endContent(&run) }
      case .padding where inside > 0:
        pass(inside, &run)
        skipFraming(inside, isInPacket: isInPacket, &run)
        if readers[side].left == 0 { endFrame(&run) }
      case .control where inside > 0, .stray where inside > 0:
        pass(inside, &run)
        extendOwnersByNone(&run)
        // The settings are unknown then. Any size of the table may be allowed.
        if phase == .control, readers[side].frame.type == HTTP2FrameHeader.settings {
          decoders[1 - side].value.announce(size: .max)
        }
        if isInPacket {
          if phase == .control {
            countControl(inside, readers[side].message, &run)
          } else {
            countStray(inside, &run)
          }
        }
        if readers[side].left == 0 { phase == .control ? endFrame(&run) : awaitHeader(&run) }
      default:
        skipBeyond(left, isInPacket: isInPacket, &run)
        return
      }
      left -= inside
    }
  }

  mutating func extendOwnersByNone(_ run: inout Run) {
    let side = run.side
    owners[side].extend(to: readers.look(side) { $0.position }, .none, limit: ownersLimit(run))
  }

  /// Skips unseen framing octets of a message.
  private mutating func skipFraming(_ count: Int, isInPacket: Bool, _ run: inout Run) {
    _ = countHidden(count, as: .framing, isInPacket: isInPacket, &run)
  }

  /// Counts unseen octets of the frame's message. Returns whether there is a message; without one, the octets are stray.
  mutating func countHidden(_ count: Int, as part: FramePart, isInPacket: Bool, _ run: inout Run) -> Bool {
    let message = readers.look(run.side) { $0.message }
    guard message.isOpen(run.rows) else {
      if isInPacket { countStray(count, &run) } else { extendOwnersByNone(&run) }
      return false
    }
    extendOwners(&run)
    if isInPacket {
      self.count(count, as: part, &run)
      run.rows[message: message.row].unseen += count
    } else {
      run.rows[message: message.row].missing += count
    }
    return true
  }

  /// Skips a gap that contained a frame header.
  private mutating func skipBeyond(_ count: Int, isInPacket: Bool, _ run: inout Run) {
    let side = run.side
    let startsWithHeader = reader(run) { $0.phase == .header && $0.collected == 0 && !$0.block.isOpen }
    let (isLost, before) = reader(run) { ($0.phase == .lost, $0.lostOctets) }
    giveUpFrame(&run)
    if isLost {
      // A search that has begun goes on.
      readers[side].lostOctets = before + count
    } else {
      loseFraming(gap: count, &run)
      if startsWithHeader {
        readers[side].lostOctets = max(count - HTTP2FrameHeader.length - (side == requestSide ? 3 : 1), 0)
      }
    }
    readers[side].position += count
    extendOwnersByNone(&run)
    if isInPacket { countStray(count, &run) }
  }

  /// Gives up a frame that cannot be read to its end, and counts its waiting octets.
  private mutating func giveUpFrame(_ run: inout Run) {
    let side = run.side
    let (phase, collected, isPending) = reader(run) { ($0.phase, $0.collected, $0.isMessagePending) }
    if phase == .header {
      countStray(collected, &run)
    } else if isPending {
      countStray(reader(run) { $0.position - $0.frameStart }, &run)
    }
    readers[side].isMessagePending = false
    if reader(run, { $0.block.isOpen }) { cutBlock(&run) }
  }

  /// Ends the stream of the current side.
  mutating func endReading(_ run: inout Run) {
    let isInFrame = reader(run) { $0.expectsMore }
    giveUpFrame(&run)
    if isInFrame { run.note(.http2FrameIncomplete) }
    readers[run.side].phase = .lost
    readers[run.side].search = nil
    readers[run.side].collected = 0
    readers[run.side].left = 0
    readers[run.side].message = .none
  }
}
