// Facts that come beside packets: processes, marks in time, and names of addresses.

import Packets

extension Pipeline {
  /// Reads the capture's facts about the current packet.
  @inline(never)
  mutating func readOrigin(_ origin: PacketOrigin) {
    mention = processes.mention(of: origin, &run.texts)
    if origin.flags.contains(.comment), origin.comment == 0 { run.anomalies.note(.packetCommentNotRead) }
  }

  /// Learns the process at the local end of a connection, as the running system knows it.
  ///
  /// - Parameters:
  ///   - process: The process.
  ///   - local: The process's end of the connection.
  ///   - remote: The other end.
  ///   - time: When the connection opened, in nanoseconds since the Unix epoch; nil if it was already open. It excludes other connections
  ///     between the same ends.
  ///   - isQUIC: Whether the connection is QUIC; otherwise it is TCP.
  public mutating func learn(
    process: ProcessIdentity, of local: Endpoint, to remote: Endpoint, openedAt time: Int64? = nil, isQUIC: Bool = false
  ) {
    let key = ConnectionKey(local, remote)
    if isQUIC {
      guard let opened = quic.opened(key), time.map({ ExpectedProcesses.isSame(opened, $0) }) ?? true else {
        return expectedOfQUIC.add(process, key, local, at: time)
      }
      return noteOfQUIC(process, local, key)
    }
    if let slot = connections.slot(for: key) {
      let opened = connections.look(slot) { $0.record.opened }
      if let time, !ExpectedProcesses.isSame(opened, time) { return expected.add(process, key, local, at: time) }
      note(process, local, slot)
    } else {
      expected.add(process, key, local, at: time)
    }
  }

  mutating func note(_ process: ProcessIdentity, _ local: Endpoint, _ slot: Int) {
    let text = run.texts.intern(process)
    let mention = ProcessMention(process: text, party: .sender)
    connections.change(slot) { $0.note(mention, ofEnd: local, &run.shared.processes, &run.texts) }
    run.texts.release(text)
  }

  private mutating func noteOfQUIC(_ process: ProcessIdentity, _ local: Endpoint, _ key: ConnectionKey) {
    let text = run.texts.intern(process)
    quic.note(ProcessMention(process: text, party: .sender), ofEnd: local, key, &run.texts)
    run.texts.release(text)
  }

  /// Takes processes that the system named before the connection's first packet came.
  @inline(never)
  mutating func takeExpected(_ key: ConnectionKey, _ slot: Int, at time: Int64) {
    for (process, local) in expected.take(key, at: time) { note(process, local, slot) }
  }

  /// Learns the process of a number in packets' origins, as from a capture file's process blocks.
  public mutating func learn(process number: UInt16, identifier: UInt32, name: [UInt8]) {
    processes.learn(process: number, identifier: identifier, name: name)
    shareMemory()
  }

  /// Learns the comment of a number in packets' origins. Programs that know a packet's process write it there.
  public mutating func learn(comment number: UInt16, octets: [UInt8]) {
    processes.learn(comment: number, octets, &run.texts)
    shareMemory()
  }

  /// Learns the app of an Android user identifier.
  public mutating func learn(androidUser user: Int32, package: [UInt8], app: [UInt8]) {
    processes.learn(androidUser: user, package: package, app: app, &run.texts)
    shareMemory()
  }

  /// Begins a step at a mark, or after the latest packet if the mark is earlier. `Configuration.tables` must have the timeline.
  public mutating func add(_ mark: TimeMark) { tables.timeline.add(mark, after: span?.upperBound) }

  // MARK: Names

  /// Learns the name of an address, as from a capture file's name records.
  public mutating func learn(name: [UInt8], for address: IPAddress) {
    run.shared.names.learn(name, for: address, lookup: nil)
  }

  /// Takes a datagram. QUIC may claim it, or it may name addresses.
  mutating func receive(_ datagram: UDPDatagram, _ octets: RawSpan, at time: Int64) {
    run.ledger.pending += datagram.length
    if DNSLookups.concerns(datagram) {
      run.ledger.settle(datagram.length, as: .udp)
      return learnNames(datagram, octets, at: time)
    }
    let memory = quic.memory
    let isTaken = quic.take(datagram, octets, at: time, mention, &run) { finalConnections.append($0) }
    guard isTaken else { return run.ledger.settle(datagram.length, as: .udp) }
    noteQUIC(datagram, at: time, memory)
  }

  /// Takes a datagram of the connection of QUIC in a slot.
  @inline(__always)
  mutating func receiveNext(_ slot: Int, _ datagram: UDPDatagram, _ octets: RawSpan, at time: Int64) {
    run.ledger.pending += datagram.length
    let memory = quic.memory
    quic.takeNext(slot, datagram, octets, at: time, mention, &run)
    noteQUIC(datagram, at: time, memory)
  }

  /// Notes what a datagram of QUIC has changed. `memory` is what its connections took before.
  @inline(__always)
  private mutating func noteQUIC(_ datagram: UDPDatagram, at time: Int64, _ memory: Int) {
    if !expectedOfQUIC.isEmpty {
      let key = ConnectionKey(datagram.source, datagram.destination)
      for (process, local) in expectedOfQUIC.take(key, at: time) { noteOfQUIC(process, local, key) }
    }
    quietUntil = min(quietUntil, quic.nextDeadline ?? .max)
    if quic.memory != memory { shareMemory() }
  }

  mutating func receiveReassembled(_ datagram: UDPDatagram, at time: Int64) {
    let octets = decoder.reassembled
    octets.withOctets { receive(datagram, $0, at: time) }
    run.packetDirection = .unknown
  }

  private mutating func learnNames(_ datagram: UDPDatagram, _ octets: RawSpan, at time: Int64) {
    lookups.read(
      octets.extracting(datagram.payload(in: octets)), datagram, at: time, names: &run.shared.names,
      anomalies: &run.anomalies)
  }
}
