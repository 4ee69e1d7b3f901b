import Packets

/// A connection of HTTP/3 (RFC 9114): the frames on its streams, and the messages that they carry.
///
/// QUIC brings the octets of each stream in order, by the stream's own offsets. A field section may refer to fields that come on another
/// stream (RFC 9204 §2.1.2). Its stream then waits here for them, as it does at its receiver.
struct HTTP3Session {
  /// The side that opened the connection, which sends requests.
  let client: Side
  /// The streams with messages. A push has a key of its own until its stream is known.
  var streams: MultiplexedStreams
  /// The state of each side of each stream of QUIC.
  var flows = Sides<[UInt64: OwnMemory<HTTP3Flow>]>(repeating: [:])
  /// The state of each side that was last looked up. Most octets belong to the stream of the octets before.
  private var found = Sides<OwnMemory<HTTP3Flow>?>(repeating: nil)
  /// Sides of requests' streams that have ended and still take charges, in order of their ends.
  private var ended = Sides<IndexRing<UInt64>>(repeating: IndexRing())
  /// The number from which on each side has sent on no stream. A new stream mostly has it or a later one, and need not be looked up.
  private var unused = Sides<UInt64>(repeating: 0)
  /// The streams of each side that wait.
  var waiting = Sides<[Waiter]>(repeating: [])
  /// The least number of entries that a section of each side waits for; `.max` if none does.
  private var leastAwaited = Sides<Int>(repeating: .max)
  /// Octets that wait behind sections.
  var heldOctets = 0
  /// The decoders for each side's field sections.
  let decoders: Sides<OwnMemory<QPACKDecoder>>
  /// The settings of each side that are being read.
  var settings = Sides<HTTP3Settings>(repeating: HTTP3Settings())
  /// The streams of each side that come once and have come.
  var critical = Sides<CriticalStreams>(repeating: [])
  /// The owner of the latest owned octets of each side.
  var latest = Sides<MessageReference>(repeating: .none)
  /// The number of open unidirectional streams of each side.
  private var unidirectional = Sides<Int>(repeating: 0)
  /// Whether the limit of waiting octets was noted.
  private var hasNotedLimit = false
  private var counted = 0
  private var flowMemory = 0

  /// A stream that waits.
  struct Waiter {
    enum Need {
      /// Entries of the dynamic table: so many must have come.
      case inserts(Int)
      /// The promise of a push.
      case promise
      /// Frames behind a gap.
      case frames
    }

    let stream: UInt64
    let need: Need

    var isForPromise: Bool { if case .promise = need { true } else { false } }
  }

  /// Streams that each side opens once (RFC 9114 §6.2.1, RFC 9204 §4.2).
  struct CriticalStreams: OptionSet {
    let rawValue: UInt8
    static let control = CriticalStreams(rawValue: 1 << 0)
    static let encoder = CriticalStreams(rawValue: 1 << 1)
  }

  /// A push ID as a key: beyond all numbers of streams (RFC 9000 §2.1).
  static func key(ofPush identifier: UInt64) -> UInt64 { 1 << 62 | identifier }

  /// Starts reading a connection. `client` has opened it.
  init(_ opening: ConnectionOpening, client: Side, _ run: inout Run) {
    self.client = client
    streams = MultiplexedStreams(opening, version: "HTTP/3", isHTTP3: true)
    streams.requestSide = client
    let limit = run.configuration.dynamicTableLimit
    let familiar = run.familiar.strings
    decoders = Sides(
      OwnMemory(QPACKDecoder(keptLimit: limit, familiar: familiar)),
      OwnMemory(QPACKDecoder(keptLimit: limit, familiar: familiar)))
    count(&run)
  }

  // MARK: Octets

  /// Reads octets of a stream, which follow on the octets before. Each gets its class, some only later. `arrival.overhead` is not charged.
  mutating func receive(
    _ side: Side, stream: UInt64, _ octets: RawSpan, at offset: StreamPosition, _ arrival: SegmentArrival,
    _ run: inout Run
  ) {
    begin(side, arrival, &run)
    guard octets.byteCount > 0 else { return }
    guard let flow = flow(side, stream, at: offset, &run) else {
      run.ledger.settle(octets.byteCount, as: .control)
      run.connection.added.control += octets.byteCount
      return
    }
    let length = octets.byteCount
    if flow.look({ $0.isInData(length) }), streams.tunnels == nil {
      readData(flow, octets, &run)
      // The owners of octets may have taken memory, and nothing else has.
      let (memory, counted, charges) = (flow.value.memory, flow.value.counted, flow.value.charges.count)
      if memory == counted, charges == 0, streams.tunnels == nil { return }
      return update(flow, &run)
    }
    let taken = flow.value.isWaiting ? 0 : read(flow, octets, &run)
    if taken < octets.byteCount {
      var held = HTTP3Flow.Held(arrival: arrival)
      octets.append(taken..<octets.byteCount, to: &held.octets)
      hold(flow, held)
      searchIfDue(flow, &run)
    }
    keepWithinLimits(&run)
    update(flow, &run)
  }

  /// Skips octets that are not there. They lie beyond a packet's snap length, or were never captured.
  mutating func skip(
    _ side: Side, stream: UInt64, _ count: Int, at offset: StreamPosition, isInPacket: Bool, _ run: inout Run
  ) {
    begin(side, run.arrival, &run)
    guard count > 0 else { return }
    if isInPacket { run.countUnseen(count) } else { run.countMissing(count) }
    guard let flow = flow(side, stream, at: offset, &run) else {
      guard isInPacket else { return }
      run.ledger.settle(count, as: .control)
      run.connection.added.control += count
      return
    }
    let taken = flow.value.isWaiting ? 0 : skip(flow, count, isInPacket: isInPacket, &run)
    if taken < count {
      hold(flow, HTTP3Flow.Held(hidden: count - taken, isInPacket: isInPacket, arrival: run.arrival))
    }
    keepWithinLimits(&run)
    update(flow, &run)
  }

  private func begin(_ side: Side, _ arrival: SegmentArrival, _ run: inout Run) {
    run.read(side)
    run.arrival = arrival
  }

  /// The state of a side of a stream. Nil for streams that are too many, or that the side may not send on.
  private mutating func flow(
    _ side: Side, _ stream: UInt64, at offset: StreamPosition, _ run: inout Run
  ) -> OwnMemory<HTTP3Flow>? {
    if let flow = known(side, stream) { return flow.value.isEnded ? nil : flow }
    let opener = stream & 1 == 0 ? client : 1 - client
    let isUnidirectional = stream & 2 != 0
    let kind: HTTP3Flow.Kind
    if isUnidirectional {
      guard side == opener, unidirectional[side] < run.configuration.unidirectionalStreamLimit else { return nil }
      unidirectional[side] += 1
      kind = .undecided
    } else {
      // Only WebTransport lets a server open one (RFC 9114 §6.1).
      kind = opener == client && !isTunnel(stream, of: 1 - side) ? .request : .tunnel
      if flows[side].count > 2 * run.configuration.streamLimit { forgetFlow(side, &run) }
    }
    let flow = OwnMemory(
      HTTP3Flow(stream, kind, at: offset, inserts: decoders[side].look { $0.inserted }))
    flows[side][stream] = flow
    found[side] = flow
    unused[side] = max(unused[side], stream + 1)
    // Its first octets were not captured.
    if offset != 0, kind != .tunnel, !beginSearch(flow, behind: 0, &run) { flow.value.phase = .lost }
    if offset != 0, kind == .undecided { loseUndecided(&run) }
    if offset == 0, kind == .tunnel, side == opener { flow.value.phase = .type }
    return flow
  }

  /// The state of a side of a stream; nil if it has none.
  @inline(__always)
  mutating func known(_ side: Side, _ stream: UInt64) -> OwnMemory<HTTP3Flow>? {
    if let flow = found[side], flow.value.stream == stream, !flow.value.isRemoved { return flow }
    guard stream < unused[side], let flow = flows[side][stream] else { return nil }
    found[side] = flow
    return flow
  }

  private mutating func isTunnel(_ stream: UInt64, of side: Side) -> Bool { known(side, stream)?.value.kind == .tunnel }

  /// Forgets the state of the stream whose side ended first, or of any stream.
  private mutating func forgetFlow(_ side: Side, _ run: inout Run) {
    if ended[side].isEmpty {
      release(side, isForced: true, &run)
      guard let stream = flows[side].keys.filter({ $0 & 2 == 0 }).min(), let flow = flows[side][stream] else { return }
      end(flow, side, .incomplete, &run)
    }
    guard !ended[side].isEmpty else { return }
    remove(side, ended[side][0], &run)
    ended[side].removeFirst()
  }

  private mutating func remove(_ side: Side, _ stream: UInt64, _ run: inout Run) {
    guard let flow = flows[side].removeValue(forKey: stream) else { return }
    settleCharges(flow, side, isLast: true, &run)
    flow.value.isRemoved = true
    flowMemory -= flow.value.counted
    if stream & 2 != 0 { unidirectional[side] -= 1 }
  }

  // MARK: Waiting

  /// Holds octets until the section before them can be read.
  private mutating func hold(_ flow: OwnMemory<HTTP3Flow>, _ held: HTTP3Flow.Held) {
    heldOctets += held.octets.count + Self.pieceCost
    flow.value.heldLength += held.hidden + held.octets.count
    flow.value.held.append(held)
  }

  /// Octets of memory for each piece: many small ones cost more than their octets.
  private static var pieceCost: Int { MemoryLayout<HTTP3Flow.Held>.stride + 32 }

  /// Makes a stream wait.
  mutating func wait(_ flow: OwnMemory<HTTP3Flow>, _ side: Side, for need: Waiter.Need) {
    flow.value.isWaiting = true
    waiting[side].append(Waiter(stream: flow.value.stream, need: need))
    if case .inserts(let inserts) = need { leastAwaited[side] = min(leastAwaited[side], inserts) }
  }

  private mutating func keepWithinLimits(_ run: inout Run) {
    let streams = waiting.look(0) { $0.count } + waiting.look(1) { $0.count }
    guard heldOctets > run.configuration.blockedOctetLimit || streams > run.configuration.blockedStreamLimit else {
      return
    }
    if !hasNotedLimit { run.note(.http3FieldSectionsWaiting) }
    hasNotedLimit = true
    for side in 0..<2 { release(side, isForced: true, &run) }
  }

  /// Goes on with the streams of a side that need not wait any more. `isForced` ends every wait: unknown fields stay unknown.
  ///
  /// `isPromised` says that the promise of a push has come. Many instructions may come, and few of them let a stream go on: most calls look at
  /// one number.
  mutating func release(_ side: Side, isForced: Bool = false, isPromised: Bool = false, _ run: inout Run) {
    guard !waiting.look(side, { $0.isEmpty }) else { return }
    let least = leastAwaited.look(side) { $0 }
    let hasEntries = least < .max && decoders[side].look { $0.isReady(inserts: least) }
    guard isForced || isPromised || hasEntries else { return }
    let (before, arrival) = (run.side, run.arrival)
    // A push comes after its promise, which may wait itself.
    let all = waiting[side].filter { !$0.isForPromise } + waiting[side].filter(\.isForPromise)
    waiting[side] = []
    leastAwaited[side] = .max
    for waiter in all {
      let isReady =
        switch waiter.need {
        case .inserts(let inserts): decoders[side].look { $0.isReady(inserts: inserts) }
        case .promise: isPromised && flows[side][waiter.stream].map { promised($0.value.key, run) != nil } ?? true
        case .frames: false
        }
      guard isReady || isForced else {
        waiting[side].append(waiter)
        if case .inserts(let inserts) = waiter.need { leastAwaited[side] = min(leastAwaited[side], inserts) }
        continue
      }
      guard let flow = flows[side][waiter.stream] else { continue }
      run.read(side)
      if flow.value.search != nil {
        search(flow, isLast: true, isForced: true, &run)
      } else {
        resume(flow, side, isForced: isForced, &run)
      }
      update(flow, &run)
    }
    run.read(before)
    run.arrival = arrival
  }

  /// Reads the section that has waited, and the octets behind it.
  private mutating func resume(_ flow: OwnMemory<HTTP3Flow>, _ side: Side, isForced: Bool, _ run: inout Run) {
    flow.value.isWaiting = false
    if flow.value.awaitsPromise {
      flow.value.awaitsPromise = false
      if let slot = streams.slot(of: flow.value.key) { name(slot, flow.value.stream, &run) }
    } else {
      // It waits again if the settings have come, and the fields have not.
      endSection(flow, isForced: isForced, &run)
    }
    readHeld(flow, isForced: isForced, &run)
    if flow.value.search != nil {
      search(flow, isLast: isForced || flow.value.end != nil, isForced: isForced, &run)
    }
  }

  /// Reads octets that were held, until the stream waits again or ends.
  mutating func readHeld(_ flow: OwnMemory<HTTP3Flow>, isForced: Bool, _ run: inout Run) {
    while !flow.value.held.isEmpty, !flow.value.isWaiting {
      let first = flow.value.held[0]
      let count = first.hidden + first.octets.count
      run.arrival = first.arrival
      var taken = first.taken
      if first.hidden > 0 {
        taken += skip(flow, count - taken, isInPacket: first.isInPacket, isForced: isForced, &run)
      } else {
        taken += first.octets.withOctets { octets in
          read(flow, octets.extracting(first.taken..<count), isForced: isForced, &run)
        }
      }
      flow.value.held[0].taken = taken
      // It waits again, and goes on with the rest.
      guard taken == count else { break }
      heldOctets -= first.octets.count + Self.pieceCost
      flow.value.heldLength -= count
      flow.value.held.removeFirst()
    }
    if !flow.value.isWaiting, let end = flow.value.end { self.end(flow, run.side, end, &run) }
  }

  // MARK: Ends

  /// Ends a side of a stream. `isComplete` says whether all octets up to its end were there or skipped.
  mutating func finish(_ side: Side, stream: UInt64, isComplete: Bool, _ run: inout Run) {
    endSide(side, stream, isComplete ? .complete : .incomplete, &run)
  }

  /// Ends a side of a stream whose sender has reset it (RFC 9000 §19.4).
  mutating func reset(_ side: Side, stream: UInt64, _ run: inout Run) { endSide(side, stream, .reset, &run) }

  private mutating func endSide(
    _ side: Side, _ stream: UInt64, _ end: MultiplexedStreams.MessageEnd, _ run: inout Run
  ) {
    run.read(side)
    if let flow = known(side, stream) {
      guard !flow.value.isEnded, flow.value.end == nil else { return }
      flow.value.end = end
      if flow.value.search != nil {
        search(flow, isLast: true, &run)
      } else if !flow.value.isWaiting {
        self.end(flow, side, end, &run)
      }
      update(flow, &run)
    } else if stream & 3 == 0, let slot = streams.slot(of: stream),
      streams[slot].halves.look(side, { $0.state == .idle })
    {
      streams[slot].halves[side].state = .ended
      streams.closeIfOver(slot, &run)
      count(&run)
    }
  }

  /// Ends a side of a stream that does not wait.
  private mutating func end(
    _ flow: OwnMemory<HTTP3Flow>, _ side: Side, _ end: MultiplexedStreams.MessageEnd, _ run: inout Run
  ) {
    guard !flow.value.isEnded else { return }
    let isWhole = flow.look { $0.isBetweenFrames }
    if !isWhole, end == .complete { run.note(.http3FrameIncomplete) }
    giveUpFrame(flow, &run)
    flow.value.isEnded = true
    flow.value.phase = .lost
    let (key, stream, kind) = (flow.value.key, flow.value.stream, flow.value.kind)
    if kind == .request || kind == .push, let slot = streams.slot(of: key), !isInPromise(slot, run) {
      let state = streams[slot].halves.look(side) { $0.state }
      if state.isInProgress {
        streams.endMessage(slot, side, end == .complete && !isWhole ? .incomplete : end, &run)
      } else if state == .idle {
        streams[slot].halves[side].state = .ended
        streams.closeIfOver(slot, &run)
      }
    }
    guard stream & 2 == 0 else { return remove(side, stream, &run) }
    ended[side].append(stream)
    // Messages that have ended become final meanwhile.
    let limit = 2 * run.configuration.lingeringMessageLimit + 32
    while ended.look(side, { $0.count }) > limit {
      remove(side, ended[side][0], &run)
      ended[side].removeFirst()
    }
  }

  /// Gives up the connection and its messages in progress, although they may go on.
  mutating func evict(_ run: inout Run) { streams.evict(&run) }

  /// Closes the connection. Everything is final.
  mutating func close(_ run: inout Run) -> SessionEnd {
    for side in 0..<2 { release(side, isForced: true, &run) }
    for side in 0..<2 {
      run.read(side)
      for stream in flows[side].keys.sorted() {
        guard let flow = flows[side][stream] else { continue }
        end(flow, side, .incomplete, &run)
      }
    }
    for side in 0..<2 {
      for stream in flows[side].keys.sorted() { remove(side, stream, &run) }
      ended[side] = IndexRing()
    }
    streams.finishAll(&run)
    var end = SessionEnd(client: streams.namedClient, requestSide: client, applicationProtocol: .quic)
    if let found = streams.closeTunnels(&run) { (end.security, end.unopened) = (found.security, found.unopened) }
    run.connectionMemory -= counted
    counted = 0
    return end
  }

  /// Calls `body` with the row of each message that is not final yet, and with whether it is in progress.
  func forEachOpenMessage(_ body: (RowIndex, _ isInProgress: Bool) -> Void) { streams.forEachOpenMessage(body) }

  /// Makes every ended message final, although charges may still come, because there are too many rows.
  mutating func retireEnded(_ run: inout Run) {
    streams.retireEnded(&run)
    count(&run)
  }

  // MARK: Charges and memory

  /// Charges packets whose owners are known now, or never.
  private mutating func settleCharges(
    _ flow: OwnMemory<HTTP3Flow>, _ side: Side, isLast: Bool = false, _ run: inout Run
  ) {
    let settled = isLast || flow.value.isEnded ? StreamPosition.never : flow.value.settledPosition
    while let charge = flow.value.charges.removeFirst(upTo: settled) {
      flow.look { streams.settle(charge, $0.owners, of: side, &run) }
    }
  }

  /// Gives the octets up to the current position of a flow to a message, or to none.
  @inline(__always)
  mutating func extendOwners(_ flow: OwnMemory<HTTP3Flow>, _ owner: MessageReference, _ run: borrowing Run) {
    flow.value.owners.extend(to: flow.value.position, owner, limit: run.configuration.streamOwnerLimit)
    if !owner.isNone { latest[run.side] = owner }
  }

  /// Settles charges of a flow, and counts its memory.
  mutating func update(_ flow: OwnMemory<HTTP3Flow>, _ run: inout Run) {
    settleCharges(flow, run.side, &run)
    let memory = flow.value.memory
    // A removed flow is counted no more.
    if !flow.value.isRemoved {
      flowMemory += memory - flow.value.counted
      flow.value.counted = memory
    }
    count(&run)
  }

  /// Counts the session's memory.
  private mutating func count(_ run: inout Run) {
    var memory = MemoryLayout<HTTP3Session>.stride + 32 + 2 * (MemoryLayout<QPACKDecoder>.stride + 32)
    memory += streams.memory + flowMemory + heldOctets
    for side in 0..<2 {
      memory += decoders[side].look { $0.memory } + flows.look(side) { $0.capacity * 16 }
      memory += ended.look(side) { $0.memory } + waiting.look(side) { $0.capacity * 24 }
    }
    guard memory != counted else { return }
    run.connectionMemory += memory - counted
    counted = memory
  }
}
