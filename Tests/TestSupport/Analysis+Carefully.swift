import HTTPReassembly

extension Analysis {
  /// What comes out differently when every head is read by the state machine, as it is when somebody looks on: nothing must.
  ///
  /// So every test holds that a head which is read at once says what the state machine says.
  func differenceReadCarefully(_ packets: [TestPacket], _ configuration: Configuration, secrets: [UInt8]) -> [String] {
    // What lines take is memory, too, and with more of it taken, others are given up.
    guard anomalies[.connectionMemoryFull] == 0 else { return [] }
    var pipeline = Pipeline(configuration: configuration, observer: CollectingObserver(), sink: CollectingSink())
    pipeline.learn(secrets)
    for packet in packets { packet.octets.withOctets { pipeline.process(packet.facts, $0) } }
    pipeline.finishConnections()
    let careful = pipeline.totals
    var differences: [String] = []
    func compare(_ name: String, _ rows: [String], _ carefully: [String]) {
      for (row, other) in zip(rows, carefully) where row != other {
        return differences.append("read carefully, a \(name) is \(other), not \(row)")
      }
      if rows.count != carefully.count { differences.append("read carefully, there are \(carefully.count) \(name)s") }
    }
    let sink = pipeline.sink
    compare("message", messages.map(\.description), sink.messages.sorted { $0.number < $1.number }.map(\.description))
    compare(
      "exchange", exchanges.map(\.description), sink.exchanges.sorted { $0.number < $1.number }.map(\.description))
    compare(
      "connection", connections.map { "\($0)" }, sink.connections.sorted { $0.number < $1.number }.map { "\($0)" })
    compare("field", totals.rowsOfFields, careful.rowsOfFields)
    compare("host", totals.rowsOfHosts, careful.rowsOfHosts)
    compare("interval", totals.timeline.map { "\($0)" }, careful.timeline.map { "\($0)" })
    if ledger != careful.ledger { differences.append("read carefully, the ledger is \(careful.ledger)") }
    for anomaly in Anomaly.allCases where anomalies[anomaly] != careful.anomalies[anomaly] {
      differences.append("read carefully, \(anomaly) is noted \(careful.anomalies[anomaly]) times")
    }
    return differences
  }
}

extension Totals {
  /// The table of fields, texts as they are and not as handles.
  fileprivate var rowsOfFields: [String] {
    fields.map { field in
      var row = field
      row.host = .none
      row.path = .none
      row.method = .none
      return
        "\(texts.string(field.host)) \(texts.string(field.path)) \(String(decoding: field.name, as: UTF8.self)) \(row)"
    }
  }

  /// The table of hosts, the same.
  fileprivate var rowsOfHosts: [String] {
    hosts.map { host in
      var row = host
      row.host = .none
      return "\(texts.string(host.host)) \(row)"
    }
  }
}
