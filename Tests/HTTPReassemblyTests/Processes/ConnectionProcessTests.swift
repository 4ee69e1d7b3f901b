import Packets
import TestSupport
import Testing

@testable import HTTPReassembly

/// Which process rows have, and that totals by process are those of the messages.
@Suite struct ConnectionProcessTests {
  private static let numbers: [UInt16: String] = [1: "curl", 2: "nginx", 3: "wget"]

  /// Two exchanges on a connection; `origin` says what the capture says of each packet, by its number and whether the client sent it.
  private func run(
    grouping: Configuration.Grouping = Configuration.Grouping(),
    _ origin: (Int, Bool) -> PacketOrigin
  ) -> Pipeline<CollectingSink> {
    var dialogue = Dialogue.opened()
    for _ in 0..<2 {
      dialogue.send(.client, HTTP.get("/a"))
      dialogue.send(.server, HTTP.ok("hello"))
    }
    dialogue.close()
    var configuration = Configuration()
    configuration.grouping = grouping
    var pipeline = Pipeline(configuration: configuration, sink: CollectingSink())
    for (number, name) in Self.numbers {
      pipeline.learn(process: number, identifier: UInt32(number) * 100, name: Array(name.utf8))
    }
    var client: [UInt8]?
    for (number, packet) in dialogue.packets().enumerated() {
      let address = Array(packet.octets[12..<16])
      client = client ?? address
      var facts = packet.facts
      facts.origin = origin(number, address == client)
      packet.octets.withOctets { pipeline.process(facts, $0) }
    }
    pipeline.finishConnections()
    return pipeline
  }

  private func origin(_ process: UInt16, _ flags: PacketOrigin.Flags = [], for other: UInt16 = 0) -> PacketOrigin {
    var origin = PacketOrigin()
    origin.process = process
    origin.effectiveProcess = other
    origin.flags = flags
    return origin
  }

  private func names(_ pipeline: borrowing Pipeline<CollectingSink>) -> [String] {
    pipeline.sink.messages.sorted { $0.number < $1.number }.map { name($0.process) }
  }

  private func name(_ process: ProcessIdentity?) -> String {
    process.map { String(decoding: $0.name, as: UTF8.self) } ?? ""
  }

  @Test func nobodySaysAnything() {
    let pipeline = run { _, _ in PacketOrigin(interface: 3) }
    #expect(names(pipeline) == ["", "", "", ""] && name(pipeline.sink.processes[0]) == "")
  }

  @Test func oneProcess() {
    let pipeline = run { _, _ in origin(1) }
    #expect(names(pipeline) == ["curl", "curl", "curl", "curl"])
    #expect(name(pipeline.sink.processes[0]) == "curl")
    #expect(pipeline.sink.exchanges.map { name($0.process) } == ["curl", "curl"])
    #expect(!pipeline.sink.connections[0].flags.contains(.severalProcesses))
  }

  /// On loopback each packet is named for its sender when it leaves, and for its receiver when it comes.
  @Test func bothEndsOfOneMachine() {
    let pipeline = run { number, isClients in
      number % 2 == 0 ? origin(isClients ? 1 : 2, .outbound) : origin(isClients ? 2 : 1, .inbound)
    }
    #expect(names(pipeline) == ["curl", "curl", "curl", "curl"])
    #expect(name(pipeline.sink.processes[0]) == "curl")
    #expect(!pipeline.sink.connections[0].flags.contains(.severalProcesses))
  }

  /// Only the server's machine captures.
  @Test func theServersProcess() {
    let pipeline = run { _, isClients in origin(2, isClients ? .inbound : .outbound) }
    #expect(names(pipeline) == ["nginx", "nginx", "nginx", "nginx"])
  }

  /// The first exchange is one's, the second another's: a socket is handed on. Each message has its own.
  @Test func aSocketHandedOn() {
    let pipeline = run { number, _ in origin(number < 5 ? 1 : 3) }
    #expect(names(pipeline) == ["curl", "curl", "wget", "wget"])
    #expect(name(pipeline.sink.processes[0]) == "wget")
    #expect(pipeline.sink.connections[0].flags.contains(.severalProcesses))
  }

  /// The process is named only after the messages began: their rows have it when they are final.
  @Test func namedLate() {
    let pipeline = run { number, _ in number < 7 ? PacketOrigin() : origin(1) }
    #expect(names(pipeline).allSatisfy { $0 == "curl" })
  }

  @Test func theEffectiveProcess() {
    let pipeline = run { _, _ in origin(2, for: 1) }
    let process = pipeline.sink.messages[0].process
    #expect(process?.name == Array("nginx".utf8) && process?.app == Array("curl".utf8) && process?.identifier == 200)
  }

  /// Numbers that the capture has not explained say nothing.
  @Test func unexplainedNumbers() {
    let pipeline = run { _, _ in origin(77) }
    #expect(names(pipeline) == ["", "", "", ""])
  }

  @Test func totalsByProcess() {
    let grouping = Configuration.Grouping(path: true, method: false, process: true)
    let pipeline = run(grouping: grouping) { number, _ in origin(number < 5 ? 1 : 3) }
    let totals = pipeline.totals
    #expect(totals.apis.map { totals.texts.string($0.process) } == ["curl", "wget"])
    #expect(totals.apis.map(\.requests) == [1, 1] && totals.apis.map(\.responses) == [1, 1])
    let sum = totals.apis.reduce(0) { $0 + $1.request.ipLength + $1.response.ipLength }
    #expect(sum == pipeline.sink.messages.reduce(0) { $0 + $1.ipLength })
    #expect(totals.apis.allSatisfy { $0.wait.percentile(50) != nil })
  }

  /// A packet that the system dropped is nobody's traffic, and the ledger balances.
  @Test func droppedPackets() {
    let whole = run { _, _ in PacketOrigin() }
    let some = run { number, _ in number == 3 ? origin(0, .dropped) : PacketOrigin() }
    #expect(some.ledger.total == some.ledger.original && some.ledger.original == whole.ledger.original)
    #expect(some.ledger.synthetic > 40 && whole.ledger.synthetic == 0)
    #expect(some.totals.anomalies.all.contains { $0.0 == .packetDroppedBySystem && $0.1.count == 1 })
    #expect(some.ledger[.link] == some.ledger.synthetic && whole.ledger[.link] == 0)
  }

  // MARK: The running system

  private let curl = ProcessIdentity(source: .live, identifier: 12, name: Array("curl".utf8))

  private func live(toldBefore: Bool, time: Int64?) -> Pipeline<CollectingSink> {
    var dialogue = Dialogue.opened()
    dialogue.send(.client, HTTP.get("/a"))
    dialogue.send(.server, HTTP.ok("hello"))
    let packets = dialogue.packets()
    func end(_ offset: Int) -> Endpoint {
      packets[0].octets.withOctets {
        Endpoint(
          address: IPAddress(v4: $0.bigEndian32(12 + offset * 4)), port: $0.bigEndian16(20 + offset * 2))
      }
    }
    var pipeline = Pipeline(sink: CollectingSink())
    if toldBefore { pipeline.learn(process: curl, of: end(0), to: end(1), openedAt: time) }
    for packet in packets { packet.octets.withOctets { pipeline.process(packet.facts, $0) } }
    if !toldBefore { pipeline.learn(process: curl, of: end(0), to: end(1), openedAt: time) }
    pipeline.finishConnections()
    return pipeline
  }

  @Test(arguments: [true, false])
  func theSystemNamesConnections(toldBefore: Bool) {
    let opened = Dialogue.opened().packets()[0].timestamp
    for time in [nil, opened, opened + 4_000_000_000] {
      #expect(names(live(toldBefore: toldBefore, time: time)) == ["curl", "curl"])
    }
    // An earlier or later connection between the same ends.
    for time in [opened - 6_000_000_000, opened + 6_000_000_000] {
      #expect(names(live(toldBefore: toldBefore, time: time)) == ["", ""])
    }
  }

  /// A connection of QUIC from 192.0.2.1:40000 to 192.0.2.2:443: an Initial packet that cannot be opened.
  private func quic(toldBefore: Bool, _ ends: [(process: ProcessIdentity, isClient: Bool)], late: Int64 = 0)
    -> [String]
  {
    let initial: [UInt8] = [0xc0, 0, 0, 0, 1, 8, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 30] + [UInt8](repeating: 9, count: 30)
    let packet = TestPacket(
      timestamp: 10_000_000_000, octets: Wire.ipv4(17, Wire.udp(initial, to: 443)), originalLength: 75,
      linkType: .raw)
    var pipeline = Pipeline(sink: CollectingSink())
    func tell() {
      let octets = packet.octets
      let client = Endpoint(address: IPAddress(v4: octets.withOctets { $0.bigEndian32(12) }), port: 40_000)
      let server = Endpoint(address: IPAddress(v4: octets.withOctets { $0.bigEndian32(16) }), port: 443)
      for (process, isClient) in ends {
        pipeline.learn(
          process: process, of: isClient ? client : server, to: isClient ? server : client,
          openedAt: packet.timestamp + late, isQUIC: true)
      }
    }
    if toldBefore { tell() }
    packet.octets.withOctets { pipeline.process(packet.facts, $0) }
    if !toldBefore { tell() }
    pipeline.finishConnections()
    return pipeline.sink.processes.map { name($0) }
  }

  @Test(arguments: [true, false])
  func theSystemNamesConnectionsOfQUIC(toldBefore: Bool) {
    let server = ProcessIdentity(source: .live, identifier: 8, name: Array("nginx".utf8))
    for (ends, expected) in [
      ([(curl, true)], "curl"), ([(server, false)], "nginx"), ([(server, false), (curl, true)], "curl"),
    ] {
      #expect(quic(toldBefore: toldBefore, ends) == [expected])
    }
    // Another connection between the same ends.
    #expect(quic(toldBefore: toldBefore, [(curl, true)], late: 6_000_000_000) == [""])
  }

  @Test func whatIsExpectedIsBounded() {
    var expected = ExpectedProcesses()
    func key(_ number: Int) -> ConnectionKey {
      ConnectionKey(
        Endpoint(address: IPAddress(v4: UInt32(number)), port: 1), Endpoint(address: IPAddress(v4: 1), port: 80))
    }
    let local = Endpoint(address: IPAddress(v4: 1), port: 80)
    for number in 2..<ExpectedProcesses.limit + 12 { expected.add(curl, key(number), local, at: nil) }
    #expect(expected.take(key(2), at: 0).isEmpty && expected.take(key(11), at: 0).isEmpty)
    #expect(expected.take(key(12), at: 0).count == 1 && expected.take(key(12), at: 0).isEmpty)
  }
}
