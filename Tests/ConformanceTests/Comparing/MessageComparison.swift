import HTTPReassembly
import TestSupport

/// Compares the messages of one capture with the oracle's `messages.csv`.
///
/// Rows are matched by direction: the n-th message from one endpoint to another.
struct MessageComparison {
  /// The oracle's rows; those of TLS that was opened are counted elsewhere.
  private(set) var rows: [(row: CSVFile.Row, disagreements: [Disagreement])] = []
  /// Messages that the oracle does not have.
  private(set) var additional: [Disagreement] = []

  private let file: String
  private let requestOrdinals: [Int: Int]

  /// Compares.
  init(file: String, oracle: [CSVFile.Row], run: CaptureRun) {
    self.file = file
    requestOrdinals = Self.requestOrdinals(run)
    // The oracle has no row for a response whose head is lost, and HTTP/2 has an oracle of its own.
    let messages = run.messages.filter {
      $0.message.stream == nil && ($0.isRequest || $0.message.status > 0 || $0.message.flags.contains(.version09))
    }
    var ours = Dictionary(grouping: messages) { [$0.source, $0.destination] }
    for (direction, oracleRows) in Dictionary(grouping: oracle, by: { [$0["src"], $0["dst"]] }) {
      let found = ours.removeValue(forKey: direction) ?? []
      for (ordinal, row) in oracleRows.enumerated() {
        rows.append((row, compare(row, ordinal < found.count ? found[ordinal] : nil, ordinal)))
      }
      for ordinal in oracleRows.count..<max(oracleRows.count, found.count) { add(found[ordinal], ordinal) }
    }
    for found in ours.values {
      for (ordinal, message) in found.enumerated() { add(message, ordinal) }
    }
  }

  /// Which request of its connection each exchange's is, from 0.
  private static func requestOrdinals(_ run: CaptureRun) -> [Int: Int] {
    var requests: [Int: Int] = [:]
    var ordinals: [Int: Int] = [:]
    for found in run.messages where found.isRequest {
      ordinals[found.message.exchange] = requests[found.message.connection, default: 0]
      requests[found.message.connection, default: 0] += 1
    }
    return ordinals
  }

  // MARK: One row

  private func compare(_ row: CSVFile.Row, _ found: FoundMessage?, _ ordinal: Int) -> [Disagreement] {
    guard let found, row["obtained"] != "ts-only" else {
      return [disagreement(row, ordinal, "row", row.summary, "")]
    }
    let isRequest = row["dir"] == "request"
    var disagreements: [Disagreement] = []
    func expect(_ column: String, _ oracle: String, _ ours: String) {
      if oracle != ours { disagreements.append(disagreement(row, ordinal, column, oracle, ours)) }
    }
    expect("dir", row["dir"], isRequest == found.isRequest ? row["dir"] : found.message.kind.name)
    for (column, ours) in found.message.oracleLengths {
      // There the oracle counts what was announced and never sent; it was not lost by the capture.
      if column == "missing_bytes", row["state"] == "body-truncated" { continue }
      expect(column, row[column], ours)
    }
    if isRequest {
      expect("method", row["method"], found.method)
      expect("uri", row.expectedTarget, found.target)
    } else {
      // HTTP/0.9 has no status.
      expect("status", row["status"], found.message.status == 0 ? "" : "\(found.message.status)")
      // After a hole the oracle goes on counting requests and responses, which is a guess, and says so.
      if !row["flags"].contains("after-resync") {
        expect("request_ordinal", row["request_ordinal"], requestOrdinals[found.message.exchange].map { "\($0)" } ?? "")
      }
    }
    if isRequest || !row["request_ordinal"].isEmpty {
      // The oracle has no names but those that messages carry.
      let isOurOwn = found.message.hostSource == .address || found.message.hostSource == .dns
      if !(isOurOwn && row.expectedHost.isEmpty) { expect("host", row.expectedHost, found.host) }
    }
    return disagreements
  }

  private func disagreement(
    _ row: CSVFile.Row, _ ordinal: Int, _ column: String, _ oracle: String, _ ours: String
  ) -> Disagreement {
    Disagreement(
      table: "messages", file: file, source: row["src"], destination: row["dst"], direction: row["dir"],
      ordinal: "\(ordinal)", column: column, oracle: oracle, ours: ours)
  }

  private mutating func add(_ found: FoundMessage, _ ordinal: Int) {
    let status = found.message.status == 0 ? "" : " \(found.message.status)"
    additional.append(
      Disagreement(
        table: "messages", file: file, source: found.source, destination: found.destination,
        direction: found.isRequest ? "request" : "response", ordinal: "\(ordinal)", column: "row", oracle: "",
        ours: "\(found.method) \(found.target)\(status)"))
  }
}

extension CSVFile.Row {
  /// Whether the message was inside TLS that the oracle opened with a key log.
  var wasInsideTLS: Bool { self["src"].hasPrefix("decrypted-") }

  /// What the message is, in short.
  fileprivate var summary: String {
    let status = self["status"].isEmpty ? "" : " " + self["status"]
    return "\(self["method"]) \(self["uri"])\(status)"
  }

  /// A CONNECT whose target is an authority (RFC 9112 §3.2.3).
  private var isAuthorityForm: Bool {
    self["method"] == "CONNECT" && self["uri"].contains(":") && !self["uri"].contains { $0 == "/" || $0 == " " }
  }

  /// The host, whose source is the target where that is an authority (RFC 9112 §3.3).
  fileprivate var expectedHost: String { (isAuthorityForm ? self["uri"] : self["host"]).lowercased() }

  /// Path and length of the query of the oracle's target.
  fileprivate var expectedTarget: String {
    let target = self["uri"]
    if isAuthorityForm { return "" }
    guard let mark = target.firstIndex(of: "?") else { return target }
    return "\(target[..<mark])?\(target[target.index(after: mark)...].utf8.count)"
  }
}

extension Message {
  /// The lengths by the oracle's columns.
  fileprivate var oracleLengths: [(column: String, value: String)] {
    [
      ("start_line_bytes", "\(octets.startLine)"), ("header_bytes", "\(octets.header)"),
      ("body_bytes", "\(octets.body)"), ("chunk_framing_bytes", "\(octets.framing)"),
      ("trailer_bytes", "\(octets.trailer)"), ("decoded_body_bytes", decodedBody.map { "\($0)" } ?? ""),
      // The oracle does not tell what no packet holds from what is beyond a snap length.
      ("missing_bytes", "\(missing + unseen)"),
    ]
  }
}
