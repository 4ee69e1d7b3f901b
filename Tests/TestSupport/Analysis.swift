import HTTPReassembly

/// What a pipeline made of packets, and which of its promises it broke on the way.
package struct Analysis: Sendable {
  /// In the order of their numbers.
  package var messages: [SeenMessage]
  /// In the order of their numbers.
  package var exchanges: [SeenExchange]
  /// In the order of their numbers.
  package var connections: [Connection]
  /// As they came.
  package var details: [DetailRow]
  /// The prefix of each connection, by its number.
  package var prefixes: [Int: ConnectionPrefix]
  package var totals: Totals
  /// The most memory that connections were counted with after a packet, in octets.
  package var mostConnectionOctets: Int
  /// Broken invariants, in words; there must be none.
  package var violations: [String] = []

  /// Runs packets through a pipeline. The ledger is checked after each packet, everything else at the end.
  package init(
    _ packets: [TestPacket], configuration: Configuration = Configuration(),
    decoders: (any ContentDecoderSource)? = nil, observer: (any MessageObserver)? = nil, secrets: [UInt8] = []
  ) {
    var configuration = configuration
    configuration.tables = [.hosts, .timeline, .contents, .fields, .grpc]
    var pipeline = Pipeline(
      configuration: configuration, decoders: decoders, observer: observer, sink: CollectingSink())
    pipeline.learn(secrets)
    var firstImbalance: Int?
    var mostConnectionOctets = 0
    for (index, packet) in packets.enumerated() {
      packet.octets.withOctets { pipeline.process(packet.facts, $0) }
      mostConnectionOctets = max(mostConnectionOctets, pipeline.connectionOctets)
      if firstImbalance == nil, !pipeline.ledger.isBalancedSoFar { firstImbalance = index }
    }
    pipeline.finishConnections()
    messages = pipeline.sink.messages.sorted { $0.number < $1.number }
    exchanges = pipeline.sink.exchanges.sorted { $0.number < $1.number }
    connections = pipeline.sink.connections.sorted { $0.number < $1.number }
    details = pipeline.sink.details
    prefixes = pipeline.sink.prefixes
    totals = pipeline.totals
    self.mostConnectionOctets = mostConnectionOctets
    if let firstImbalance { violations.append("the ledger does not balance after packet \(firstImbalance)") }
    if pipeline.connectionOctets != totals.texts.memory {
      let octets = pipeline.connectionOctets - totals.texts.memory
      violations.append("\(octets) octets of memory are counted for no connection")
    }
    let taken = pipeline.takeTotals().apis
    if taken.map(\.name) != totals.apis.map(\.name) || taken.map(\.requests) != totals.apis.map(\.requests) {
      violations.append("the totals that the pipeline gives away are not those that it has")
    }
    violations += brokenInvariants()
    if decoders == nil, observer == nil, packets.count < Self.twiceLimit {
      violations += differenceReadCarefully(packets, configuration, secrets: secrets)
    }
  }

  /// Packets that are analyzed twice: more take long.
  private static let twiceLimit = 5000

  package var ledger: Ledger { totals.ledger }
  package var anomalies: AnomalyLog { totals.anomalies }
  package var requests: [SeenMessage] { messages.filter { $0.kind == .request } }
  /// Final and interim ones.
  package var responses: [SeenMessage] { messages.filter { $0.kind != .request } }

  /// The classes that have octets.
  package var classes: [OctetClass: Int] {
    Dictionary(uniqueKeysWithValues: OctetClass.allCases.map { ($0, ledger[$0]) }.filter { $0.1 != 0 })
  }
}

extension Pipeline {
  /// Learns the secrets of a whole key log.
  package mutating func learn(_ secrets: [UInt8]) {
    secrets.withOctets { learn(secrets: $0) }
    endOfSecrets()
  }
}

extension Ledger {
  /// Whether every octet is in a class or pending, and nothing is negative.
  package var isBalancedSoFar: Bool {
    total + pending == original && pending >= 0 && OctetClass.allCases.allSatisfy { self[$0] >= 0 }
  }
}

extension APITotals {
  fileprivate var name: [TextID] { [host, path, method] }
}
