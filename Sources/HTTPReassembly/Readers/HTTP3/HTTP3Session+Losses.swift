// Octets that are missing or cannot be seen (MEASURES §10).

extension HTTP3Session {
  /// Skips octets of a flow that cannot be seen, until it waits. The run has counted them. Returns the number of skipped octets.
  mutating func skip(
    _ flow: Flow, _ count: Int, isInPacket: Bool, isForced: Bool = false, _ run: inout Run
  ) -> Int {
    var left = count
    while left > 0, !flow.value.isWaiting {
      let inside = Int(min(UInt64(left), flow.value.left))
      switch flow.value.phase {
      case .content where inside > 0:
        pass(inside, flow)
        if flow.value.frameType == HTTP3Type.data {
          skipData(inside, flow, isInPacket: isInPacket, &run)
        } else {
          skipSection(inside, flow, isInPacket: isInPacket, &run)
        }
        if flow.value.left == 0 { endContent(flow, isForced: isForced, &run) }
        left -= inside
      case .control where inside > 0, .stray where inside > 0:
        let isControl = flow.value.phase == .control
        pass(inside, flow)
        if isControl, flow.value.kind == .control, flow.value.frameType == HTTP3Type.settings { loseSettings(&run) }
        if !isInPacket {
          extendOwners(flow, .none, run)
          // The message is charged for fewer octets than were sent.
          let message = flow.value.message
          if message.isOpen(run.rows) { run.rows.messages[Int(message.row)].doubts.insert(.start) }
        } else if isControl {
          countControl(inside, flow.value.message, flow, &run)
        } else {
          countStray(inside, flow, &run)
        }
        if flow.value.left == 0 { endContent(flow, isForced: isForced, &run) }
        left -= inside
      default:
        skipBeyond(left, flow, isInPacket: isInPacket, &run)
        left = 0
      }
    }
    return count - left
  }

  /// Skips a gap that contained the header of a frame. The rest of the stream has no owner, unless frames are found again.
  private mutating func skipBeyond(_ count: Int, _ flow: Flow, isInPacket: Bool, _ run: inout Run) {
    let (kind, phase) = (flow.value.kind, flow.value.phase)
    switch kind {
    case .encoder:
      decoders[run.side].value.lose(octets: count)
      flow.value.position += count
      if isInPacket { countControl(count, .none, flow, &run) } else { extendOwners(flow, .none, run) }
      return release(run.side, &run)
    case .tunnel:
      if phase != .rest {
        giveUpFrame(flow, &run)
        flow.value.phase = .rest
      }
      flow.value.position += count
      if isInPacket { countTunnel(count, flow, &run) } else { extendOwners(flow, .none, run) }
    case .undecided, .control, .other:
      if phase != .lost, kind != .other {
        giveUpFrame(flow, &run)
        flow.value.phase = .lost
      }
      flow.value.position += count
      if isInPacket { countControl(count, .none, flow, &run) } else { extendOwners(flow, .none, run) }
      if kind == .control { loseSettings(&run) }
      if kind == .undecided { loseUndecided(&run) }
    case .request, .push:
      if !isInPacket, beginSearch(flow, behind: count, &run) { return }
      giveUpFrame(flow, &run)
      lose(flow, &run)
      flow.value.position += count
      if isInPacket { countStray(count, flow, &run) } else { extendOwners(flow, .none, run) }
    }
  }

  /// Gives up the rest of a stream with messages.
  mutating func lose(_ flow: Flow, _ run: inout Run) {
    flow.value.phase = .lost
    guard let slot = streams.slot(of: flow.value.key), streams[slot].halves[run.side].isInProgress else { return }
    streams[slot].halves[run.side].isLossy = true
  }

  /// Notes that the type of a unidirectional stream of the current side is not known. It may be any that has not come.
  mutating func loseUndecided(_ run: inout Run) {
    if !critical[run.side].contains(.control) { loseSettings(&run) }
    if !critical[run.side].contains(.encoder) {
      decoders[run.side].value.lose(octets: nil)
      release(run.side, &run)
    }
  }

  private mutating func loseSettings(_ run: inout Run) {
    guard !settings[run.side].isKnown else { return }
    settings[run.side].isKnown = true
    decoders[1 - run.side].value.loseSettings()
    release(1 - run.side, &run)
  }

  /// Gives up a frame that cannot be read to its end, and counts its waiting octets.
  mutating func giveUpFrame(_ flow: Flow, _ run: inout Run) {
    // The header of its frame may wait with a section. Then the section decides whose it is.
    if flow.value.phase == .content, flow.value.frameType != HTTP3Type.data { cutSection(flow, &run) }
    let waiting = flow.value.waiting
    flow.value.waiting = 0
    flow.value.integer.reset()
    switch flow.value.kind {
    case .request, .push: countStray(waiting, flow, &run)
    case .tunnel: countTunnel(waiting, flow, &run)
    default: countControl(waiting, .none, flow, &run)
    }
  }
}
