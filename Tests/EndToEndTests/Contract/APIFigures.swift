import TestSupport

/// The columns of apis.csv that are sums over messages, summed here.
struct APIFigures {
  let columns: [(name: String, value: Int)]

  init(_ messages: [CSVFile.Row]) {
    let requests = messages.filter { $0["type"] == "request" }
    let answers = messages.filter { $0["type"] != "request" }
    // Interim responses count into the bytes, but not into the responses.
    let responses = answers.filter { $0["type"] == "response" }
    var columns = [("requests", requests.count), ("responses", responses.count)]
    for (side, rows) in [("request", requests), ("response", answers)] {
      for part in ["start_line", "header", "body", "framing", "trailer"] {
        columns.append(("\(side)_\(part)_bytes", rows.sum("\(part)_bytes")))
      }
      columns.append(("\(side)_bytes", rows.sum("message_bytes")))
      columns.append(("\(side)_ip_bytes", rows.sum("ip_bytes")))
    }
    columns.append(("response_decoded_body_bytes", answers.sum("decoded_body_bytes")))
    columns.append(("missing_bytes", messages.sum("missing_bytes")))
    columns.append(("status_4xx", responses.count { $0["status"].hasPrefix("4") }))
    columns.append(("status_5xx", responses.count { $0["status"].hasPrefix("5") }))
    for (side, rows) in [("request", requests), ("response", answers)] {
      for part in ["tls", "control", "tunnel"] { columns.append(("\(side)_\(part)_bytes", rows.sum("\(part)_bytes"))) }
      columns.append(("\(side)_expanded_header_bytes", rows.sum("expanded_header_bytes")))
    }
    columns.append(("inferred_bytes", messages.filter { $0["pairing"] == "inferred" }.sum("message_bytes")))
    columns.append(("aborted", messages.count { $0["flags"].split(separator: " ").contains("incomplete") }))
    self.columns = columns.map { (name: $0.0, value: $0.1) }
  }
}
