import HTTPReassembly
import TestSupport

/// The rows of one Zeek log for one pair of endpoints, added up: Zeek makes several connections where segments come after
/// the end, and its test suite has the same connection in several logs.
struct ZeekConnections {
  /// The capture.
  let file: String
  private let rows: [CSVFile.Row]

  /// Puts together the rows that agree with the oracle.
  static func sums(of table: [CSVFile.Row]) -> [ZeekConnections] {
    var groups: [[String]: [CSVFile.Row]] = [:]
    var order: [[String]] = []
    for row in table {
      let key = [row["file"], row["baseline"], row["orig"], row["resp"]]
      if groups[key] == nil { order.append(key) }
      groups[key, default: []].append(row)
    }
    return order.compactMap { groups[$0] }.map { ZeekConnections(file: $0[0]["file"], rows: $0) }
  }

  private func sum(_ column: String) -> Int { rows.reduce(0) { $0 + $1.integer(column) } }

  /// Compares with the connections between the endpoints.
  func compare(with run: CaptureRun) -> [Disagreement] {
    let originator = rows[0]["orig"]
    let responder = rows[0]["resp"]
    let connections = run.connections.filter {
      [$0.client.oracleName, $0.server.oracleName].sorted() == [originator, responder].sorted()
    }
    func sumOfOurs(_ figures: (Connection) -> Directional<Int>, from sender: String) -> Int {
      connections.reduce(0) {
        $0 + ($1.client.oracleName == sender ? figures($1).client : figures($1).server)
      }
    }
    var disagreements: [Disagreement] = []
    func expect(_ column: String, _ oracle: Int, _ ours: Int) {
      guard oracle != ours else { return }
      disagreements.append(
        Disagreement(
          table: "zeek-conn", file: file, source: originator, destination: responder, column: column,
          oracle: "\(oracle)", ours: "\(ours)"))
    }
    expect("orig_pkts", sum("orig_pkts"), sumOfOurs(\.packets, from: originator))
    expect("orig_ip_bytes", sum("orig_ip_bytes"), sumOfOurs(\.ipLength, from: originator))
    expect("resp_pkts", sum("resp_pkts"), sumOfOurs(\.packets, from: responder))
    expect("resp_ip_bytes", sum("resp_ip_bytes"), sumOfOurs(\.ipLength, from: responder))
    // Without the handshake Zeek has no lengths of streams.
    if rows.contains(where: { $0["orig_bytes"] != "-" }) {
      let payload = sumOfOurs(\.payloadLength, from: originator) + sumOfOurs(\.payloadLength, from: responder)
      let unique = payload - connections.reduce(0) { $0 + $1.retransmitted }
      expect("orig_bytes+resp_bytes-missed_bytes", sum("orig_bytes") + sum("resp_bytes") - sum("missed_bytes"), unique)
    }
    return disagreements
  }
}
