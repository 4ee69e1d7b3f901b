import HTTPReassembly

/// `anomalies`: one row an anomaly that was seen, in the order of `Anomaly`. `first_time` is in nanoseconds since
/// the Unix epoch.
enum AnomalyRow {
  /// The table's name.
  static let name = "anomalies"
  /// The columns; new ones only at the end.
  static let columns: [Column] = [
    .text("name"), .integer("count"), .integer("first_time"), .integer("first_connection").orUnknown,
    .text("example").orUnknown,
  ]

  /// Appends the cells of an anomaly. The example is anything from the wire, so redaction leaves it out.
  static func append<Row: RowWriter & ~Copyable>(_ anomaly: Anomaly, _ count: AnomalyCount, to row: inout Row) {
    row.name(anomaly.rawValue)
    row.integer(count.count)
    row.time(count.firstTime)
    row.integerUnlessZero(count.firstConnection)
    if row.redaction == nil { row.text(count.example) } else { row.empty() }
  }

  /// Writes every row; `write` is called after each.
  static func forEach<Row: RowWriter & ~Copyable>(
    of log: AnomalyLog, _ row: inout Row, _ write: (inout Row) throws(ReportError) -> Void
  ) throws(ReportError) {
    for (anomaly, count) in log.all {
      row.begin()
      append(anomaly, count, to: &row)
      row.end()
      try write(&row)
    }
  }
}
