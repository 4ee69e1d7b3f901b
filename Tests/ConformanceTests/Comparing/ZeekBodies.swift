import HTTPReassembly
import TestSupport

/// The rows of Zeek's `http.log`: its body lengths are without chunk framing and content codings.
enum ZeekBodies {
  /// Compares a row with the exchange that it is about, the n-th between its endpoints.
  static func compare(_ row: CSVFile.Row, with run: CaptureRun) -> [Disagreement] {
    let messages = run.messages.filter {
      let (client, server) = $0.isRequest ? ($0.source, $0.destination) : ($0.destination, $0.source)
      return client == row["orig"] && server == row["resp"]
    }
    var exchanges: [Int] = []
    for found in messages where !exchanges.contains(found.message.exchange) { exchanges.append(found.message.exchange) }
    let depth = row.integer("trans_depth") - 1
    let own = exchanges.indices.contains(depth) ? messages.filter { $0.message.exchange == exchanges[depth] } : []
    func length(_ kind: MessageKind) -> String {
      let known = own.filter { $0.message.kind == kind }.map(\.message.decodedBody)
      return known.contains(nil) ? "" : "\(known.compactMap(\.self).reduce(0, +))"
    }
    let request = own.first { $0.isRequest }
    let response = own.last { $0.message.kind == .response }
    var disagreements: [Disagreement] = []
    func expect(_ column: String, _ ours: String) {
      guard row[column] != ours else { return }
      disagreements.append(
        Disagreement(
          table: "zeek-http", file: row["file"], source: row["orig"], destination: row["resp"],
          ordinal: "\(depth)", column: column, oracle: row[column], ours: ours))
    }
    expect("method", request?.method ?? "-")
    expect("status_code", response.map { "\($0.message.status)" } ?? "-")
    expect("request_body_len", length(.request))
    expect("response_body_len", length(.response))
    return disagreements
  }
}
