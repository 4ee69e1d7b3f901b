import Capture
import Foundation
import HTTPReassembly
import TestSupport
import Testing

/// Secrets that come after the records that they open, as of a program that is still running.
@Suite struct LateSecretsTests {
  /// A capture with its key log, read once.
  private struct Recording {
    var packets: [(packet: Packet, octets: [UInt8])] = []
    var secrets: [UInt8]

    init(_ name: String) throws {
      let folder = Locations.captures + "/tls/"
      secrets = [UInt8](try #require(FileManager.default.contents(atPath: folder + name + ".keys")))
      var reader = try CaptureReader(path: folder + name + ".pcap.gz")
      while try reader.advance() {
        reader.withPacket { packet, octets in
          var copy: [UInt8] = []
          octets.append(0..<octets.byteCount, to: &copy)
          packets.append((packet, copy))
        }
      }
    }
  }

  /// What came out of a run.
  private struct Found {
    var messages: [String]
    var ledger: Ledger
    var connections: [Connection]
    var mostHeld: Int
    var broken: [Int]
  }

  /// Runs a capture; `learn` says how much of the key log, in octets, is known after a packet.
  private static func run(
    _ recording: Recording, _ configuration: Configuration = patient, waits: Bool = true, known: (Int) -> Int
  ) -> Found {
    var pipeline = Pipeline(configuration: configuration, sink: CollectingSink())
    pipeline.mayLearnSecrets = waits
    var learnt = 0
    var most = 0
    func learn(to end: Int) {
      let end = min(max(end, learnt), recording.secrets.count)
      guard end > learnt else { return }
      Array(recording.secrets[learnt..<end]).withOctets { pipeline.learn(secrets: $0) }
      learnt = end
    }
    learn(to: known(-1))
    for (index, entry) in recording.packets.enumerated() {
      entry.octets.withOctets { pipeline.process(entry.packet, $0) }
      most = max(most, pipeline.connectionOctets)
      learn(to: known(index))
    }
    learn(to: known(recording.packets.count))
    pipeline.endOfSecrets()
    pipeline.finishConnections()
    let messages = pipeline.sink.messages
    let broken = pipeline.sink.connections.filter { connection in
      let own = messages.filter { $0.connection == connection.number }
      let parts = connection.setup + connection.teardown + connection.unattributed + connection.control
      return own.reduce(0) { $0 + $1.ipLength } + parts + connection.handshake
        != connection.ipLength.client + connection.ipLength.server
    }
    return Found(
      messages: messages.map {
        "\($0.connection) \($0.kind) \($0.method) \($0.host) \($0.path) \($0.octets) \($0.message.tls) \($0.exactness) \($0.pairing)"
      }.sorted(),
      ledger: pipeline.ledger, connections: pipeline.sink.connections.sorted { $0.number < $1.number }, mostHeld: most,
      broken: broken.map(\.number))
  }

  private static var patient: Configuration {
    var configuration = Configuration()
    configuration.secretPatience = 3_600_000_000_000
    configuration.idleTimeout = 3_600_000_000_000
    return configuration
  }

  /// Whenever they come, in any pieces: the same messages with the same octets.
  @Test(arguments: ["suites", "proxies"])
  func wheneverSecretsCome(_ name: String) throws {
    let recording = try Recording(name)
    let (packets, octets) = (recording.packets.count, recording.secrets.count)
    let before = Self.run(recording, waits: false) { _ in octets }
    #expect(before.messages.count > 15)
    var random = SeededRandom(seed: 19)
    var schedules: [(Int) -> Int] = [{ $0 == packets ? octets : 0 }, { $0 > packets / 2 ? octets : 0 }]
    for _ in 0..<RandomCases.count(4) {
      // A log that grows with the capture, always behind it, and is read at any places of its lines.
      let delay = Int.random(in: 1...packets / 2, using: &random)
      schedules.append { max($0 - delay, 0) * octets / packets * ($0 == packets ? 1000 : 1) }
    }
    for (number, schedule) in schedules.enumerated() {
      let found = Self.run(recording, known: schedule)
      #expect(found.messages == before.messages, "\(number)")
      #expect(found.broken == [] && found.ledger.difference == 0, "\(number)")
      #expect(found.ledger.tlsRecord == before.ledger.tlsRecord, "\(number)")
      #expect(found.ledger.tlsHandshake == before.ledger.tlsHandshake, "\(number)")
    }
  }

  /// What does not come is waited for no longer than the limits say, and then counted as if nobody had waited.
  @Test func whatNeverComesIsCountedAsNotOpened() throws {
    let recording = try Recording("suites")
    let closed = Self.run(recording, waits: false) { _ in 0 }
    var impatient = Configuration()
    impatient.secretPatience = 1
    var short = Self.patient
    short.secretHeldOctetLimit = 2000
    var little = Self.patient
    little.secretHeldOctetTotalLimit = 3000
    for configuration in [Self.patient, impatient, short, little] {
      let found = Self.run(recording, configuration) { _ in 0 }
      #expect(found.messages.isEmpty && found.broken == [])
      #expect(found.ledger == closed.ledger)
      #expect(found.connections.map(\.handshake) == closed.connections.map(\.handshake))
      #expect(found.connections.map(\.unattributed) == closed.connections.map(\.unattributed))
    }
    let held = Self.run(recording, Self.patient) { _ in 0 }.mostHeld
    #expect(Self.run(recording, little) { _ in 0 }.mostHeld < held / 2)
  }

  /// After the patience is over, secrets open no more than they did without waiting.
  @Test func whatComesTooLateOpensNothing() throws {
    let recording = try Recording("suites")
    let (packets, octets) = (recording.packets.count, recording.secrets.count)
    var impatient = Configuration()
    impatient.secretPatience = 100_000_000
    let found = Self.run(recording, impatient) { $0 == packets ? octets : 0 }
    let last = found.connections.map(\.number).max() ?? 0
    #expect(found.broken == [] && found.ledger.difference == 0)
    #expect(found.messages.allSatisfy { $0.hasPrefix("\(last) ") })
  }
}
