import HTTPReassembly
import TestSupport

/// Compares the connections of one capture with the oracle's `streams.csv`, by pair of endpoints.
///
/// Payload is compared by direction. What the library counts by connection is compared with the sum of both directions;
/// what it counts by octet class, with the sum over the capture.
struct StreamComparison {
  /// What was found for each pair of endpoints, and for the capture.
  private(set) var rows: [[Disagreement]] = []

  private let file: String

  /// Compares.
  init(file: String, oracle: [CSVFile.Row], run: CaptureRun) {
    self.file = file
    var pairs: [Set<String>: Pair] = [:]
    var order: [Set<String>] = []
    func change(_ source: String, _ destination: String, _ body: (inout Pair) -> Void) {
      let key: Set = [source, destination]
      if pairs[key] == nil { order.append(key) }
      body(&pairs[key, default: Pair(endpoints: [source, destination])])
    }
    for row in oracle { change(row["src"], row["dst"]) { $0.add(row) } }
    // The oracle follows streams of TCP.
    for connection in run.connections where connection.applicationProtocol != .quic {
      change(connection.client.oracleName, connection.server.oracleName) { $0.add(connection) }
    }
    rows = order.compactMap { pairs[$0] }.map(compare)
    rows.append(compareClasses(oracle, run))
  }

  private func compare(_ pair: Pair) -> [Disagreement] {
    differences(pair.endpoints) { expect in
      expect(
        "payload_bytes of src", pair.oracle.payload[pair.endpoints[0], default: 0],
        pair.ours.payload[pair.endpoints[0], default: 0])
      expect(
        "payload_bytes of dst", pair.oracle.payload[pair.endpoints[1], default: 0],
        pair.ours.payload[pair.endpoints[1], default: 0])
      expect("streams", pair.oracle.streams, pair.ours.streams)
      expect("duplicate_bytes", pair.oracle.repeated, pair.ours.repeated)
      expect("gap_bytes", pair.oracle.missing, pair.ours.missing)
      expect("conflicting", pair.oracle.isConflicting ? 1 : 0, pair.ours.isConflicting ? 1 : 0)
    }
  }

  private func compareClasses(_ oracle: [CSVFile.Row], _ run: CaptureRun) -> [Disagreement] {
    let ledger = run.ledger
    // HTTP/2 has an oracle of its own. To this one it is a tunnel's after an upgrade, and else nothing that it knows.
    let messagesOfHTTP2 = run.messages.filter { $0.message.stream != nil }.reduce(0) { $0 + $1.message.octets.total }
    let http2 = messagesOfHTTP2 + ledger[.control]
    func sum(_ columns: String...) -> Int {
      oracle.reduce(0) { sum, row in sum + columns.reduce(0) { $0 + row.integer($1) } }
    }
    func sum(_ classes: OctetClass...) -> Int { classes.reduce(0) { $0 + ledger[$1] } }
    return differences(["", ""]) { expect in
      expect("http_bytes", sum("http_bytes"), sum(.startLine, .header, .body, .framing, .trailer) - messagesOfHTTP2)
      let isTunnel = sum("tunnel_bytes") > 0
      expect("tunnel_bytes", sum("tunnel_bytes"), sum(.tunnel) + (isTunnel ? http2 : 0))
      // What is in no message the oracle calls skipped or unparsed, whatever it is.
      expect(
        "skipped+unparsed_bytes", sum("skipped_bytes", "unparsed_bytes"),
        sum(.stray, .opaque, .tls, .outOfWindow) + (isTunnel ? 0 : http2))
    }
  }

  private func differences(
    _ endpoints: [String], _ body: ((_ column: String, _ oracle: Int, _ ours: Int) -> Void) -> Void
  ) -> [Disagreement] {
    var disagreements: [Disagreement] = []
    body { column, oracle, ours in
      guard oracle != ours else { return }
      disagreements.append(
        Disagreement(
          table: "streams", file: file, source: endpoints[0], destination: endpoints[1], column: column,
          oracle: "\(oracle)", ours: "\(ours)"))
    }
    return disagreements
  }
}

/// The figures of one pair of endpoints.
private struct Pair {
  struct Figures {
    /// By sender.
    var payload: [String: Int] = [:]
    var streams = 0
    var repeated = 0
    var missing = 0
    var isConflicting = false
  }

  let endpoints: [String]
  var oracle = Figures()
  var ours = Figures()

  init(endpoints: [String]) { self.endpoints = endpoints }

  mutating func add(_ row: CSVFile.Row) {
    oracle.payload[row["src"], default: 0] += row.integer("payload_bytes")
    // Both directions of a stream have a row.
    if row["src"] == endpoints[0] { oracle.streams += 1 }
    oracle.repeated += row.integer("duplicate_bytes")
    oracle.missing += row.integer("gap_bytes")
    oracle.isConflicting = oracle.isConflicting || row.integer("conflicting_bytes") > 0
  }

  mutating func add(_ connection: Connection) {
    ours.payload[connection.client.oracleName, default: 0] += connection.payloadLength.client
    ours.payload[connection.server.oracleName, default: 0] += connection.payloadLength.server
    ours.streams += 1
    ours.repeated += connection.retransmitted
    ours.missing += connection.missing + connection.unseen
    ours.isConflicting = ours.isConflicting || connection.flags.contains(.conflicting)
  }
}
