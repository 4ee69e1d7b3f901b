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
    // Rows are compared as values: their words are made only of those that differ, because that takes far longer.
    func compare<Row: Equatable>(_ name: String, _ rows: [Row], _ carefully: [Row]) {
      for (row, other) in zip(rows, carefully) where row != other {
        return differences.append("read carefully, a \(name) is \(other), not \(row)")
      }
      if rows.count != carefully.count { differences.append("read carefully, there are \(carefully.count) \(name)s") }
    }
    let sink = pipeline.sink
    compare(
      "message", messages.map(\.withoutHandles),
      sink.messages.sorted { $0.number < $1.number }.map(\.withoutHandles))
    compare(
      "exchange", exchanges.map(\.withoutHandles),
      sink.exchanges.sorted { $0.number < $1.number }.map(\.withoutHandles))
    compare("connection", connections, sink.connections.sorted { $0.number < $1.number })
    compare("field", totals.rowsOfFields, careful.rowsOfFields)
    compare("host", totals.rowsOfHosts, careful.rowsOfHosts)
    compare("interval", totals.timeline, careful.timeline)
    if ledger != careful.ledger { differences.append("read carefully, the ledger is \(careful.ledger)") }
    for anomaly in Anomaly.allCases where anomalies[anomaly] != careful.anomalies[anomaly] {
      differences.append("read carefully, \(anomaly) is noted \(careful.anomalies[anomaly]) times")
    }
    return differences
  }
}

/// A row of a table, and its texts in the place of their handles.
private struct NamedRow<Row: Equatable>: Equatable {
  var texts: [String]
  var row: Row
}

extension Totals {
  fileprivate var rowsOfFields: [NamedRow<FieldTotals>] {
    fields.map { field in
      var row = field
      row.host = .none
      row.path = .none
      row.method = .none
      return NamedRow(texts: [texts.string(field.host), texts.string(field.path)], row: row)
    }
  }

  fileprivate var rowsOfHosts: [NamedRow<HostTotals>] {
    hosts.map { host in
      var row = host
      row.host = .none
      return NamedRow(texts: [texts.string(host.host)], row: row)
    }
  }
}
