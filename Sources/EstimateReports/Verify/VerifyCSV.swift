import Estimates
import HTTPReassembly
import Reports
import Tabular

/// `verify.csv`: one row for each row of an app's log, and for each message on the wire that has none. Lengths are octets, times
/// nanoseconds since the Unix epoch, differences app minus wire.
public enum VerifyCSV {
  /// The file's name.
  public static let fileName = "verify.csv"
  /// The columns; new ones only at the end.
  static let columns = [
    "log_row", "message", "exchange", "status", "type", "method", "host", "path", "http_status", "app_time",
    "wire_time",
    "time_difference_ms", "app_line_bytes", "wire_start_line_bytes", "line_difference", "app_header_bytes",
    "wire_header_bytes", "header_difference", "app_body_bytes", "wire_body_bytes", "body_difference", "app_bytes",
    "wire_message_bytes", "difference", "unexplained_bytes", "causes", "wire_ip_bytes", "exactness", "flags",
    "app_dns_ms", "wire_dns_ms", "app_connect_ms", "wire_connect_ms", "app_tls_ms", "wire_tls_ms", "app_send_ms",
    "wire_send_ms", "app_wait_ms", "wire_wait_ms", "app_receive_ms", "wire_receive_ms", "pairing",
  ]

  /// Writes the file into `folder`, which is created if need be.
  ///
  /// - Parameters:
  ///   - verification: The source of the rows.
  ///   - folder: The folder of the file.
  ///   - redaction: The parts of names to leave out; nil keeps all.
  ///   - allowance: The limits of the rows.
  /// - Returns: The number of rows that were left out, because they exceed `allowance`.
  /// - Throws: When the folder or the file cannot be created or written.
  @discardableResult
  public static func write(
    _ verification: Verification, folder: String, redaction: Redaction? = nil, allowance: RowAllowance = RowAllowance()
  ) throws(ReportError) -> Int {
    let file = try OutputFolder(folder).file(fileName)
    var row = CSVRow(redaction: redaction)
    try file.append(CSVRow.header(columns))
    var leftOut = 0
    for verified in verification.rows {
      row.begin()
      append(verified, verification.clock, to: &row)
      row.end()
      let octets = row.octets
      if allowance.take(octets.count) { try file.append(octets) } else { leftOut += 1 }
    }
    try file.close()
    return leftOut
  }

  private static func append(_ verified: VerifiedRow, _ clock: ClockFit?, to row: inout CSVRow) {
    let message = verified.message?.row
    let entry = verified.entry
    row.integer(entry?.row)
    row.integer(message?.number)
    row.integerUnlessZero(message?.exchange ?? 0)
    row.name(verified.status.rawValue)
    let kind = message?.kind ?? entry?.kind ?? .request
    row.name(kind.name)
    row.text(Array((verified.message?.method ?? entry?.method ?? "").utf8))
    row.host(Array(verified.host.utf8), isRepeated: kind == .interim)
    row.path(Array(verified.path.utf8), isRepeated: kind == .interim)
    row.integerUnlessZero(message?.status ?? entry?.status ?? 0)
    row.integer(entry?.time.map { Int($0) })
    row.integer(message.map { Int($0.firstTime) })
    row.milliseconds(timeDifference(verified, clock))
    for part in [verified.line, verified.header, verified.body, verified.total] {
      row.integer(part.app)
      row.integer(part.wire)
      row.integer(part.difference)
    }
    row.integer(verified.unexplained)
    row.text(Array(verified.causes.map { "\($0.name)=\($0.octets)" }.joined(separator: "; ").utf8))
    row.integer(message?.ipLength)
    row.name(message?.exactness.name ?? "")
    row.flags(message?.flags.rawValue ?? 0, names: MessageFlags.names)
    let (app, wire) = (verified.phases?.app, verified.phases?.wire)
    for phase in [
      app?.dns, wire?.dns, app?.connect, wire?.connect, app?.tls, wire?.tls, app?.send, wire?.send, app?.wait,
      wire?.wait, app?.receive, wire?.receive,
    ] {
      row.milliseconds(phase)
    }
    row.name(message?.pairing.name ?? "")
  }

  /// The log's time on the capture's clock, minus the time of the message's first octet.
  private static func timeDifference(_ verified: VerifiedRow, _ clock: ClockFit?) -> Int64? {
    guard let time = verified.entry?.time, let first = verified.message?.row.firstTime else { return nil }
    let (difference, overflows) = (clock?.captureTime(time) ?? time).subtractingReportingOverflow(first)
    return overflows ? nil : difference
  }
}
