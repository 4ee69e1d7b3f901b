import HTTPReassembly

/// `anomalies.csv`: one row an anomaly that was seen, in the order of `Anomaly`. `first_time` is in nanoseconds since
/// the Unix epoch.
enum AnomaliesCSV {
  /// The file's name.
  static let fileName = "anomalies.csv"
  /// The columns; new ones only at the end.
  static let columns = ["name", "count", "first_time", "first_connection", "example"]

  /// Appends the cells of an anomaly. The example is anything from the wire, so redaction leaves it out.
  static func append(_ anomaly: Anomaly, _ count: AnomalyCount, to row: inout CSVRow) {
    row.name(anomaly.rawValue)
    row.integer(count.count)
    row.time(count.firstTime)
    row.integerUnlessZero(count.firstConnection)
    if row.redaction == nil { row.text(count.example) } else { row.empty() }
  }

  /// Appends every row to a file.
  static func append(_ log: AnomalyLog, to file: OutputFile, _ row: inout CSVRow) throws(ReportError) {
    for (anomaly, count) in log.all {
      row.begin()
      append(anomaly, count, to: &row)
      row.end()
      try file.append(row.octets)
    }
  }
}
