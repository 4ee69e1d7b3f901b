// Frames and the types of streams (RFC 9114 §6.2, §7).

import Packets

extension HTTP3Session {
  typealias Flow = OwnMemory<HTTP3Flow>

  /// Reads octets of a flow of the current side, until it waits. Returns the number of read octets. With `isForced` it never waits.
  mutating func read(_ flow: Flow, _ octets: RawSpan, isForced: Bool = false, _ run: inout Run) -> Int {
    var offset = 0
    while offset < octets.byteCount, !flow.value.isWaiting {
      switch flow.value.phase {
      case .promise:
        // The push ID is a part of the frame.
        let start = offset
        let end = offset + Int(min(UInt64(octets.byteCount - offset), flow.value.left))
        let number = flow.value.integer.take(octets.extracting(0..<end), &offset)
        pass(offset - start, flow)
        flow.value.waiting += offset - start
        if let number {
          placePromise(number, flow, isForced: isForced, &run)
        } else if flow.value.left == 0 {
          flow.value.integer.reset()
          run.note(.http3FrameMalformed)
          passOver(flow, &run)
        }
      case .type, .pushID, .session, .frameType, .frameLength:
        if !flow.value.integer.hasBegun, flow.value.waiting == 0 { flow.value.firstArrival = run.arrival }
        let start = offset
        let number = flow.value.integer.take(octets, &offset)
        flow.value.position += offset - start
        flow.value.waiting += offset - start
        if let number { takeNumber(number, flow, isForced: isForced, &run) }
      case .content, .control, .stray:
        let count = Int(min(UInt64(octets.byteCount - offset), flow.value.left))
        pass(count, flow)
        takeContent(octets.extracting(offset..<offset + count), flow, isForced: isForced, &run)
        offset += count
        if flow.value.left == 0 { endContent(flow, isForced: isForced, &run) }
      case .rest, .lost:
        let rest = octets.extracting(offset..<octets.byteCount)
        flow.value.position += rest.byteCount
        takeRest(rest, flow, &run)
        offset = octets.byteCount
      }
    }
    return offset
  }

  @inline(__always)
  func pass(_ count: Int, _ flow: Flow) {
    flow.value.position += count
    flow.value.left -= UInt64(count)
  }

  // MARK: Numbers

  /// Takes a complete integer in front of content.
  private mutating func takeNumber(_ number: UInt64, _ flow: Flow, isForced: Bool, _ run: inout Run) {
    switch flow.value.phase {
    case .type where flow.value.kind == .tunnel:
      if number == HTTP3Type.webTransportStream { flow.value.phase = .session } else { countSession(nil, flow, &run) }
    case .type: beginStream(number, flow, &run)
    case .pushID: beginPush(number, flow, &run)
    case .session: countSession(number, flow, &run)
    case .frameType:
      flow.value.frameType = number
      flow.value.phase = .frameLength
      if number == HTTP3Type.webTransportStream, !flow.value.hasFrame, flow.value.kind == .request {
        // No frame follows, in either direction.
        becomeTunnel(flow)
        let other = 1 - run.side
        if let opposite = flows[other][flow.value.stream], opposite.value.kind == .request, !opposite.value.hasFrame {
          opposite.value.kind = .tunnel
          opposite.value.phase = .rest
          run.settle(opposite.value.waiting, as: .tunnel, of: other)
          run.connection.added.unattributed += opposite.value.waiting
          opposite.value.waiting = 0
        }
      }
    case .frameLength: beginFrame(number, flow, isForced: isForced, &run)
    default: break
    }
  }

  /// Begins a unidirectional stream of a type.
  private mutating func beginStream(_ type: UInt64, _ flow: Flow, _ run: inout Run) {
    flow.value.phase = .rest
    switch type {
    case HTTP3Type.controlStream where !critical[run.side].contains(.control):
      critical[run.side].insert(.control)
      flow.value.kind = .control
      flow.value.phase = .frameType
    case HTTP3Type.pushStream where run.side != client:
      flow.value.kind = .push
      flow.value.phase = .pushID
    case HTTP3Type.encoderStream where !critical[run.side].contains(.encoder):
      critical[run.side].insert(.encoder)
      flow.value.kind = .encoder
    case HTTP3Type.webTransportUnidirectional: return becomeTunnel(flow)
    default: flow.value.kind = .other
    }
    countWaiting(flow, &run)
  }

  /// Counts the octets in front of the current ones as control octets of the connection.
  private mutating func countWaiting(_ flow: Flow, _ run: inout Run) {
    let waiting = flow.value.waiting
    flow.value.waiting = 0
    countControl(waiting, .none, flow, &run)
  }

  /// Makes a stream one of WebTransport. The number of its session follows.
  private func becomeTunnel(_ flow: Flow) {
    flow.value.kind = .tunnel
    flow.value.phase = .session
  }

  /// Counts the octets in front of a stream's own, once its session is known, or cannot be.
  private mutating func countSession(_ session: UInt64?, _ flow: Flow, _ run: inout Run) {
    flow.value.session = session
    flow.value.phase = .rest
    let waiting = flow.value.waiting
    flow.value.waiting = 0
    countTunnel(waiting, flow, &run)
  }

  // MARK: Frames

  /// Begins a frame whose type and length are known.
  private mutating func beginFrame(_ length: UInt64, _ flow: Flow, isForced: Bool, _ run: inout Run) {
    let isFirst = !flow.value.hasFrame
    flow.value.hasFrame = true
    flow.value.left = length
    flow.value.message = .none
    let type = flow.value.frameType
    if flow.value.kind == .control {
      if isFirst != (type == HTTP3Type.settings) { run.note(.http3FrameUnexpected) }
      if type == HTTP3Type.data || type == HTTP3Type.headers || type == HTTP3Type.pushPromise {
        run.note(.http3FrameUnexpected)
      }
      flow.value.phase = .control
      countWaiting(flow, &run)
    } else {
      switch type {
      case HTTP3Type.data: beginData(flow, &run)
      case HTTP3Type.headers: beginSection(flow, &run)
      case HTTP3Type.pushPromise where run.side != client && flow.value.kind == .request:
        flow.value.phase = .promise
        // The push ID belongs to the frame.
        guard length > 0 else {
          run.note(.http3FrameMalformed)
          return passOver(flow, &run)
        }
        return
      default: beginControl(flow, &run)
      }
    }
    if flow.value.left == 0 { endContent(flow, isForced: isForced, &run) }
  }

  /// Passes over a frame without an owner.
  mutating func passOver(_ flow: Flow, _ run: inout Run) {
    let waiting = flow.value.waiting
    flow.value.waiting = 0
    flow.value.message = .none
    countStray(waiting, flow, &run)
    flow.value.phase = .stray
    if flow.value.left == 0 { awaitFrame(flow) }
  }

  private mutating func beginData(_ flow: Flow, _ run: inout Run) {
    let side = run.side
    var message: MessageReference?
    if !flow.value.hasTrailers, let slot = streams.slot(of: flow.value.key),
      streams[slot].halves[side].state == .content
    {
      message = streams[slot].halves[side].message
    }
    guard let message else {
      run.note(.http3FrameUnexpected)
      return passOver(flow, &run)
    }
    flow.value.message = message
    flow.value.phase = .content
    countFraming(flow, &run)
  }

  /// Begins a frame without fields or content. It stands between the frames of a message of its sender, which is charged for it, else the
  /// other side's message is (MEASURES §7).
  private mutating func beginControl(_ flow: Flow, _ run: inout Run) {
    if HTTP3Type.isMisplaced(flow.value.frameType) || flow.value.frameType == HTTP3Type.pushPromise {
      run.note(.http3FrameUnexpected)
    }
    if let slot = streams.slot(of: flow.value.key) {
      let own = streams[slot].halves[run.side].message
      flow.value.message = own.isNone ? streams[slot].halves[1 - run.side].message : own
    }
    flow.value.phase = .control
    let waiting = flow.value.waiting
    flow.value.waiting = 0
    countControl(waiting, flow.value.message, flow, &run)
  }

  func awaitFrame(_ flow: Flow) {
    flow.value.phase = .frameType
    flow.value.left = 0
    flow.value.message = .none
  }

  private mutating func takeContent(_ octets: RawSpan, _ flow: Flow, isForced: Bool, _ run: inout Run) {
    switch flow.value.phase {
    case .control:
      countControl(octets.byteCount, flow.value.message, flow, &run)
      let isSettings = flow.value.kind == .control && flow.value.frameType == HTTP3Type.settings
      if isSettings, !settings[run.side].isKnown { settings[run.side].take(octets) }
    case .stray: countStray(octets.byteCount, flow, &run)
    default:
      if flow.value.frameType == HTTP3Type.data {
        takeData(octets, flow, &run)
      } else {
        takeSection(octets, flow, isForced: isForced, &run)
      }
    }
  }

  /// Ends the content of a frame.
  mutating func endContent(_ flow: Flow, isForced: Bool, _ run: inout Run) {
    let side = run.side
    switch flow.value.phase {
    case .content where flow.value.frameType != HTTP3Type.data: return endSection(flow, isForced: isForced, &run)
    case .control where flow.value.kind == .control && flow.value.frameType == HTTP3Type.settings:
      if !settings[side].isKnown {
        settings[side].isKnown = true
        decoders[1 - side].value.allow(capacity: Int(clamping: settings[side].tableCapacity))
        awaitFrame(flow)
        return release(1 - side, &run)
      }
    default: break
    }
    awaitFrame(flow)
  }

  /// Takes octets that are not in frames.
  private mutating func takeRest(_ octets: RawSpan, _ flow: Flow, _ run: inout Run) {
    switch flow.value.kind {
    case .tunnel: countTunnel(octets.byteCount, flow, &run)
    case .request, .push: countStray(octets.byteCount, flow, &run)
    case .encoder:
      countControl(octets.byteCount, .none, flow, &run)
      if !decoders[run.side].value.takeInstructions(octets) { run.note(.qpackMalformed, example: octets) }
      release(run.side, &run)
    case .undecided, .control, .other: countControl(octets.byteCount, .none, flow, &run)
    }
  }

  // MARK: Content

  /// The slot of the message that owns the current frame; nil if its stream was given up.
  private mutating func slotOfFrame(_ flow: Flow, _ side: Side) -> Int? {
    let message = flow.value.message
    guard let slot = streams.slot(of: flow.value.key), streams[slot].halves.look(side, { $0.message == message })
    else { return nil }
    return slot
  }

  private mutating func takeData(_ octets: RawSpan, _ flow: Flow, _ run: inout Run) {
    let side = run.side
    guard let slot = slotOfFrame(flow, side) else { return countStray(octets.byteCount, flow, &run) }
    if streams[slot].halves.look(side, { $0.mayBeTunnel }) { streams.resolveTunnel(slot, side, &run) }
    if streams[slot].halves.look(side, { $0.isTunnel }) { return takeTunnel(octets, slot, flow, &run) }
    let message = flow.value.message
    guard message.isOpen(run.rows) else { return countStray(octets.byteCount, flow, &run) }
    extendOwners(flow, message, run)
    let (first, arrival, count) = (flow.value.firstArrival, run.arrival, octets.byteCount)
    run.ledger.settle(count, as: .body)
    run.rows.messages.change(Int(message.row)) {
      $0.message.octets.body += count
      $0.note(first)
      $0.note(arrival)
    }
    if streams[slot].halves.look(side, { $0.state.isInProgress && $0.content.isOpen }) {
      streams[slot].halves[side].content.take(octets, of: message.row, &run)
    }
  }

  private mutating func takeTunnel(_ octets: RawSpan, _ slot: Int, _ flow: Flow, _ run: inout Run) {
    if let row = streams.tunnelOwner(slot, &run) {
      extendOwners(flow, flow.value.message, run)
      return run.takeTunnel(octets, of: row)
    }
    guard let stream = streams.openTunnel(slot, &run) else { return countTunnel(octets.byteCount, flow, &run) }
    extendOwners(flow, .tunnel(stream), run)
    let (side, place) = (run.side, flow.value.position - octets.byteCount)
    streams.withTunnel(stream, &run) { $0.receive(side, octets, at: place, &$1) }
  }

  /// Reads content of a DATA frame that goes on behind it.
  @inline(__always)
  mutating func readData(_ flow: Flow, _ octets: RawSpan, _ run: inout Run) {
    pass(octets.byteCount, flow)
    takeData(octets, flow, &run)
  }

  /// Skips unseen octets of content.
  mutating func skipData(_ count: Int, _ flow: Flow, isInPacket: Bool, _ run: inout Run) {
    let side = run.side
    let message = flow.value.message
    guard let slot = slotOfFrame(flow, side), message.isOpen(run.rows) else {
      return isInPacket ? countStray(count, flow, &run) : extendOwners(flow, .none, run)
    }
    if streams[slot].halves[side].mayBeTunnel { streams.resolveTunnel(slot, side, &run) }
    guard !streams[slot].halves[side].isTunnel else {
      if let row = streams.tunnelOwner(slot, &run) {
        extendOwners(flow, message, run)
        return isInPacket ? run.takeUnseenTunnel(count, of: row) : run.missTunnel(count, of: row)
      }
      guard let stream = streams.openTunnel(slot, &run) else {
        return isInPacket ? countTunnel(count, flow, &run) : extendOwners(flow, .none, run)
      }
      extendOwners(flow, .tunnel(stream), run)
      let place = flow.value.position - count
      streams.withTunnel(stream, &run) { $0.skip(side, count, isInPacket: isInPacket, at: place, &$1) }
      return
    }
    extendOwners(flow, message, run)
    if isInPacket {
      run.rows[message: message.row].octets.body += count
      run.rows[message: message.row].unseen += count
      run.ledger.settle(count, as: .body)
      noteTimes(message.row, flow, &run)
    } else {
      run.rows[message: message.row].missing += count
    }
    streams[slot].halves[side].content.lose()
    run.rows[message: message.row].flags.insert(.contentNotSeen)
  }

  // MARK: Octets by kind

  /// Counts the header of a frame for its message.
  mutating func countFraming(_ flow: Flow, _ run: inout Run) {
    let count = flow.value.waiting
    flow.value.waiting = 0
    let message = flow.value.message
    guard message.isOpen(run.rows) else { return countStray(count, flow, &run) }
    extendOwners(flow, message, run)
    run.rows[message: message.row].octets.framing += count
    run.ledger.settle(count, as: .framing)
    noteTimes(message.row, flow, &run)
  }

  /// Notes for a message the times of the current packet and of the first packet with the frame's header.
  private func noteTimes(_ row: RowIndex, _ flow: Flow, _ run: inout Run) {
    run.rows.messages[Int(row)].note(flow.value.firstArrival)
    run.rows.messages[Int(row)].note(run.arrival)
  }

  /// Counts octets that are neither fields nor content, for a message or for the connection.
  mutating func countControl(_ count: Int, _ message: MessageReference, _ flow: Flow, _ run: inout Run) {
    extendOwners(flow, .none, run)
    run.ledger.settle(count, as: .control)
    guard message.isOpen(run.rows) else { return run.connection.added.control += count }
    run.rows[message: message.row].control += count
    let (isRequest, isPushed) = run.rows.messages.look(Int(message.row)) {
      ($0.message.kind == .request, $0.message.flags.contains(.pushed))
    }
    let sender = isRequest && !isPushed ? client : 1 - client
    if sender != run.side { run.rows[message: message.row].returned += count }
  }

  /// Counts octets that belong to no message.
  mutating func countStray(_ count: Int, _ flow: Flow, _ run: inout Run) {
    guard count > 0 else { return }
    extendOwners(flow, .none, run)
    run.ledger.settle(count, as: .stray)
    run.connection.added.unattributed += count
  }

  /// Counts octets of a tunnel that is not read: for the message that opened their session of WebTransport, else for the connection.
  mutating func countTunnel(_ count: Int, _ flow: Flow, _ run: inout Run) {
    let (side, stream) = (run.side, flow.value.stream)
    if flow.value.session == nil { flow.value.session = flows[1 - side][stream]?.value.session }
    if let session = flow.value.session, let slot = streams.slot(of: session),
      let row = streams.tunnelOwner(slot, &run), run.webSocket(of: row) == nil
    {
      extendOwners(flow, streams[slot].halves[side].message, run)
      run.countTunnel(count, of: row)
      // Nothing tells whether other streams of the session were lost.
      run.rows[message: row].exactness.weaken()
      return
    }
    extendOwners(flow, .none, run)
    run.ledger.settle(count, as: .tunnel)
    run.connection.added.unattributed += count
    run.connection.added.flags.insert(.tunnel)
  }

  /// Takes the payload of a DATAGRAM frame. Returns the message of the tunnel that it belongs to (RFC 9297 §2.1).
  mutating func datagram(_ side: Side, _ octets: RawSpan, _ run: inout Run) -> MessageReference {
    run.read(side)
    var offset = 0
    // It starts with a quarter of its stream's number.
    let stream = octets.variableLengthInteger(&offset).flatMap { $0 < 1 << 60 ? UInt64($0) << 2 : nil }
    let found = stream.flatMap { streams.slot(of: $0) }
    if let found, streams[found].halves.look(1 - client, { $0.mayBeTunnel }) {
      streams.resolveTunnel(found, 1 - client, &run)
    }
    if let slot = found, streams[slot].halves.look(side, { $0.isTunnel }),
      let row = streams.tunnelOwner(slot, &run), run.webSocket(of: row) == nil
    {
      run.countTunnel(octets.byteCount, of: row)
      // Nothing tells whether others were lost.
      run.rows[message: row].exactness.weaken()
      return streams[slot].halves[side].message
    }
    run.settle(octets.byteCount, as: .tunnel, of: side)
    run.connection.added.unattributed += octets.byteCount
    run.connection.added.flags.insert(.tunnel)
    return .none
  }
}

/// The settings of a side that control how the other side's octets are read (RFC 9114 §7.2.4, RFC 9204 §5).
struct HTTP3Settings {
  /// The largest capacity of the other side's dynamic table, in octets. It is 0 unless it is set.
  private(set) var tableCapacity: UInt64 = 0
  /// Whether the frame was read, or cannot be.
  var isKnown = false
  private var integer = HTTP3Integer()
  private var identifier: UInt64?

  /// Takes octets of the SETTINGS frame.
  mutating func take(_ octets: RawSpan) {
    var offset = 0
    while let number = integer.take(octets, &offset) {
      if let known = identifier {
        if known == 1 { tableCapacity = number }
        identifier = nil
      } else {
        identifier = number
      }
    }
  }
}
