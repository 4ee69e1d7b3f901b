import HTTPReassembly

extension Analysis {
  /// What comes out differently when each connection rests after each of its packets, if it can: nothing must.
  ///
  /// So every test holds that what a connection keeps at rest is all that it needs.
  func differenceAtRest(_ packets: [TestPacket], _ configuration: Configuration) -> [String] {
    // With less memory taken, others are given up.
    guard anomalies[.connectionMemoryFull] == 0 else { return [] }
    var configuration = configuration
    configuration.wholeOpenConnectionLimit = 0
    configuration.wholeClosedConnectionLimit = 0
    var pipeline = Pipeline(configuration: configuration, sink: CollectingSink())
    for packet in packets { packet.octets.withOctets { pipeline.process(packet.facts, $0) } }
    pipeline.finishConnections()
    let totals = pipeline.totals
    var differences: [String] = []
    func compare<Row>(_ name: String, _ rows: [Row], _ resting: [Row]) {
      for (row, other) in zip(rows, resting) where "\(row)" != "\(other)" {
        return differences.append("at rest, a \(name) is \(other), not \(row)")
      }
      if rows.count != resting.count { differences.append("at rest, there are \(resting.count) \(name)s") }
    }
    compare("message", messages, pipeline.sink.messages.sorted { $0.number < $1.number })
    compare("exchange", exchanges, pipeline.sink.exchanges.sorted { $0.number < $1.number })
    compare("connection", connections, pipeline.sink.connections.sorted { $0.number < $1.number })
    if "\(ledger)" != "\(totals.ledger)" { differences.append("at rest, the ledger is \(totals.ledger)") }
    for anomaly in Anomaly.allCases where anomalies[anomaly] != totals.anomalies[anomaly] {
      differences.append("at rest, \(anomaly) is noted \(totals.anomalies[anomaly]) times")
    }
    if pipeline.connectionOctets != totals.texts.memory { differences.append("at rest, memory is counted wrongly") }
    return differences
  }
}
