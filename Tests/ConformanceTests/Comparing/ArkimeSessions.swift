import HTTPReassembly
import TestSupport

/// Arkime's expected sessions.
enum ArkimeSessions {
  /// Compares a session with the connection that it is about, the n-th between its endpoints.
  static func compare(_ row: CSVFile.Row, _ ordinal: Int, with run: CaptureRun) -> [Disagreement] {
    let connections = run.connections.filter {
      $0.client.oracleName == row["src"] && $0.server.oracleName == row["dst"]
    }
    var disagreements: [Disagreement] = []
    func expect(_ column: String, _ oracle: String, _ ours: String) {
      guard oracle != ours else { return }
      disagreements.append(
        Disagreement(
          table: "arkime", file: row["file"], source: row["src"], destination: row["dst"], ordinal: "\(ordinal)",
          column: column, oracle: oracle, ours: ours))
    }
    guard ordinal < connections.count else {
      expect("session", row["session"], "")
      return disagreements
    }
    let connection = connections[ordinal]
    if row["compare"].contains("payload") {
      expect("client_payload_bytes", row["client_payload_bytes"], "\(connection.payloadLength.client)")
      expect("server_payload_bytes", row["server_payload_bytes"], "\(connection.payloadLength.server)")
    } else {
      // Arkime left out what was sent again.
      let payload = connection.payloadLength.client + connection.payloadLength.server
      let oracle = row.integer("client_payload_bytes") + row.integer("server_payload_bytes")
      expect("unique payload", "\(oracle)", "\(payload - connection.retransmitted)")
    }
    return disagreements
  }
}
