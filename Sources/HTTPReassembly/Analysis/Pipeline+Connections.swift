// Segments to their connections, and connections that end: evicted, timed out, reopened.

import Packets

extension Pipeline {
  /// Takes a segment. `source` is the place of the packet's octets in a capture, if the segment's payload lies in them.
  mutating func receive(_ segment: TCPSegment, _ octets: RawSpan, at time: Int64, source: CaptureOffset?) {
    run.ledger.pending += segment.payloadLength
    let key = ConnectionKey(segment.source, segment.destination)
    guard let slot = connections.slot(for: key) else { return open(segment, octets, key, at: time, source, flags: []) }
    if segment.flags.contains(.syn) || connections.look(slot, { $0.hasStranger }), isReopened(slot, segment) {
      run.anomalies.note(.tcpPortReused, connection: connections.number(of: slot))
      let stranger = connections.change(slot) { $0.takeStranger(confirmedBy: segment, &run) }
      finish(slot, .captureEnd)
      guard let stranger else { return open(segment, octets, key, at: time, source, flags: .portReused) }
      stranger.octets.withOctets {
        open(stranger.segment, $0, key, at: stranger.time, stranger.source, flags: .portReused)
      }
      if let slot = connections.slot(for: key) { receive(slot, segment, octets, at: time, source) }
      return
    }
    receive(slot, segment, octets, at: time, source)
  }

  /// Takes a segment of the connection in a slot.
  @inline(__always)
  mutating func receive(
    _ slot: Int, _ segment: TCPSegment, _ octets: RawSpan, at time: Int64, _ source: CaptureOffset?
  ) {
    if mention.process != .none {
      connections.change(slot) { $0.note(mention, of: segment, &run.shared.processes, &run.texts) }
    }
    if multipath.mayConcern(segment) { noteMultipath(slot, segment, octets) }
    var look: NextLook?
    connections.see(slot) {
      $0.receive(segment, octets, at: time, source: source, run: &run)
      look = $0.takeLook()
    }
    watch(slot, look)
    if run.secrets.hasNewWaiter { noteWaiter(slot) }
  }

  mutating func open(
    _ segment: TCPSegment, _ octets: RawSpan, _ key: ConnectionKey, at time: Int64, _ source: CaptureOffset?,
    flags: ConnectionFlags
  ) {
    if connections.count >= run.configuration.connectionLimit {
      run.anomalies.note(.connectionTableFull)
      if let slot = connections.idlestClosed ?? connections.idlestOpen { finish(slot, .evicted) }
    }
    var connection = TCPConnection<Session>(first: segment, key: key, at: time, run: &run)
    connection.record.flags = flags
    recorder?.open(segment, number: connection.record.number)
    let slot = connections.insert(consume connection, for: key)
    if !expected.isEmpty { takeExpected(key, slot, at: time) }
    receive(slot, segment, octets, at: time, source)
  }

  /// Takes what a segment says about the larger connection that it is a part of.
  @inline(never)
  private mutating func noteMultipath(_ slot: Int, _ segment: TCPSegment, _ octets: RawSpan) {
    connections.change(slot) { multipath.take(segment, octets, of: &$0, &run) }
    quietUntil = min(quietUntil, multipath.nextDeadline(run.configuration) ?? .max)
  }

  /// Notes whether the larger connection of a subflow waits for octets.
  @inline(never)
  private mutating func watchMultipath(_ slot: Int) {
    guard case .multipath(let subflow)? = connections.look(slot, { $0.session }) else { return }
    multipath.watch(subflow.look { $0.connection })
    quietUntil = min(quietUntil, multipath.nextDeadline(run.configuration) ?? .max)
  }

  /// Notes the next check of a connection, if it has begun to wait for octets. The larger one that it is a part of may wait, too.
  @inline(__always)
  mutating func watch(_ slot: Int, _ look: NextLook?) {
    if multipath.hasConnections { watchMultipath(slot) }
    guard let look else { return }
    waiting.add(slot, deadline: look.deadline, isSoon: look.isSoon)
    quietUntil = min(quietUntil, look.deadline)
  }

  /// A function of its own, for few segments: the compiler copies the connection for a call that does not change it.
  @inline(never)
  func isReopened(_ slot: Int, _ segment: TCPSegment) -> Bool {
    connections.look(slot) {
      $0.isReopened(by: segment, clock: run.clock, silence: run.configuration.reopenSilence)
    }
  }

  /// Hand-overs until tables are asked for their memory again. In between, they grow by a few rows.
  static var handOversBetweenShares: Int { 16 }

  /// Octets of memory of the tables that the report is made from.
  var tableMemory: Int { apis.memory + tables.memory }

  /// Leaves connections the memory that other tables do not take.
  @inline(__always)
  mutating func shareMemory() {
    handOvers = 0
    run.budget.share(
      tables: tableMemory,
      others: run.shared.names.memory + run.secrets.memory + quic.memory + processes.memory + multipath.memory)
    guard run.budget.tablesAreFull else { return }
    apis.close()
    tables.close()
  }

  /// Evicts the connections idle longest until the others keep to the limit of memory.
  @inline(never)
  mutating func evictToLimit() throws(Sink.Failure) {
    run.contents.countDecoders()
    run.contents.countObserved()
    while connectionOctets > run.budget.connectionRoom {
      if let slot = connections.idlestClosed ?? connections.idlestOpen {
        run.anomalies.note(.connectionMemoryFull, connection: connections.number(of: slot))
        finish(slot, .evicted)
      } else if multipath.finishOldest(&run, { finalConnections.append($0) }) {
        run.anomalies.note(.connectionMemoryFull)
      } else if let row = quic.finishOldest(&run) {
        run.anomalies.note(.connectionMemoryFull, connection: row.number)
        finalConnections.append(row)
      } else {
        break
      }
      run.contents.countDecoders()
      // Rows retain their texts until they are handed over.
      try handOver()
      run.contents.countObserved()
      run.budget.connectionGaveWay(to: connectionOctets)
    }
  }

  mutating func receiveReassembled(_ segment: TCPSegment, at time: Int64) {
    let datagram = decoder.reassembled
    datagram.withOctets { receive(segment, $0, at: time, source: nil) }
    // Other fragments brought most of it, with headers of their own.
    run.packetDirection = .unknown
  }

  mutating func finish(_ slot: Int, _ end: ConnectionEnd) {
    var connection = connections.remove(slot)
    var row = connection.finish(end, run: &run)
    row.process = connection.settleProcess(client: row.client, &run.shared.processes, &run.texts)
    multipath.end(row, connection.session, end, &run) { finalConnections.append($0) }
    quietUntil = min(quietUntil, multipath.nextDeadline(run.configuration) ?? .max)
  }

  /// Makes ended messages final until few enough rows are left, those of the connections seen least recently first. Later charges go to
  /// their connections.
  @inline(never)
  mutating func retireIdlest() {
    let limit = run.configuration.openMessageLimit
    for var slot in [connections.idlestClosed, connections.idlestOpen] {
      while let current = slot, run.rows.openMessages > limit / 8 * 7 {
        connections.change(current) { $0.retireRows(&run) }
        slot = connections.next(after: current)
      }
    }
    if run.rows.openMessages > limit / 8 * 7 { quic.retireEnded(&run) }
    if run.rows.openMessages > limit / 8 * 7 { multipath.retireEnded(&run) }
    // Messages in progress cannot end this way. A new search is useful only when there are an eighth more.
    retirementMark = max(limit, run.rows.openMessages / 8 * 9)
    // So many final rows make other tables much larger.
    handOvers = Self.handOversBetweenShares
  }

  /// Finishes the connections that time out by `time`, and gives up overdue waits of others, in the order of their deadlines.
  ///
  /// Neither the order nor the result depends on when this is called. Whether time passes in one step or several, with packets or without,
  /// the rows and their numbers are the same.
  @inline(__always)
  mutating func expireConnections(at time: Int64) {
    if time > quietUntil { takeDue(at: time) }
  }

  @inline(never)
  private mutating func takeDue(at time: Int64) {
    let (now, clock) = (run.anomalies.now, run.clock)
    while true {
      let expiry = nextToExpire
      if let deadline = multipath.nextDeadline(run.configuration), deadline < time,
        deadline <= min(waiting.first?.deadline ?? .max, expiry?.deadline ?? .max)
      {
        multipath.takeDue(&run) { finalConnections.append($0) }
      } else if let look = waiting.first, look.deadline < time, look.deadline <= expiry?.deadline ?? .max {
        waiting.removeFirst()
        if recorder == nil {
          lookAgain(Int(look.slot), after: look.deadline)
        } else {
          record(Int(look.slot), at: look.deadline, end: nil)
        }
      } else if let expiry, expiry.deadline < time {
        run.anomalies.now = expiry.deadline
        if recorder == nil {
          finish(expiry.slot, expiry.end)
        } else {
          record(expiry.slot, at: expiry.deadline, end: expiry.end)
        }
      } else {
        break
      }
    }
    quic.giveUpWaiting(before: time, &run)
    while let row = quic.finishSilent(before: time, &run) { finalConnections.append(row) }
    (run.anomalies.now, run.clock) = (now, clock)
    // A connection seen from now on has its whole time-out left.
    let shortest = min(run.configuration.idleTimeout, run.configuration.closedTimeout)
    quietUntil = min(nextDeadline ?? .max, run.clock.addingSaturated(shortest))
  }

  /// Does what is due for a connection at a deadline while the analysis is recorded, so that the time is recorded, too. It finishes the
  /// connection or looks at it again.
  ///
  /// If this makes numbers, the connection depends on other parts: their numbers may come in between, and they are unknown here.
  @inline(never)
  mutating func record(_ slot: Int, at deadline: Int64, end: ConnectionEnd?) {
    guard let recorder else { return }
    let numbers = (run.numbers.messages, run.numbers.exchanges, run.numbers.connections)
    let endpoints = connections.contains(slot) ? connections.look(slot) { $0.endpoints } : nil
    recorder.elapse(to: deadline)
    if let end { finish(slot, end) } else { lookAgain(slot, after: deadline) }
    recordRows(recorder)
    if let endpoints, numbers != (run.numbers.messages, run.numbers.exchanges, run.numbers.connections) {
      recorder.depend(on: ConnectionKey(endpoints[0], endpoints[1]))
    }
  }

  /// Gives up the waits of a connection that are overdue at its deadline.
  private mutating func lookAgain(_ slot: Int, after deadline: Int64) {
    guard connections.isToBeLookedAt(slot, after: deadline) else { return }
    run.anomalies.now = deadline
    run.clock = deadline
    let look = connections.change(slot) { $0.passTime(&run) }
    watch(slot, look)
    if run.secrets.hasNewWaiter { noteWaiter(slot) }
    if !secretWaiters.isEmpty, !connections.look(slot, { $0.session?.waitsForSecrets ?? false }) {
      secretWaiters.removeAll { $0 == slot }
    }
  }

  /// The next connection to time out, and the capture time when it does.
  var nextToExpire: (slot: Int, end: ConnectionEnd, deadline: Int64)? {
    let open = connections.idlestOpen.map { (slot: $0, end: ConnectionEnd.idle, deadline: idleDeadline($0)) }
    let closed = connections.idlestClosed.map { (slot: $0, end: ConnectionEnd.fin, deadline: closedDeadline($0)) }
    guard let open, let closed else { return open ?? closed }
    return closed.deadline < open.deadline ? closed : open
  }

  private func idleDeadline(_ slot: Int) -> Int64 {
    connections.lastSeen(slot).addingSaturated(run.configuration.idleTimeout)
  }

  private func closedDeadline(_ slot: Int) -> Int64 {
    connections.lastSeen(slot).addingSaturated(run.configuration.closedTimeout)
  }
}
