import GRDB

/// The rows of the table, both ways.
extension TrafficDatabase {
  static let schema = """
    CREATE TABLE IF NOT EXISTS traffic (
      id INTEGER PRIMARY KEY, host TEXT NOT NULL, path TEXT NOT NULL, type TEXT NOT NULL, occur_time REAL NOT NULL,
      length INTEGER NOT NULL, line_length INTEGER NOT NULL, header_length INTEGER NOT NULL,
      body_length INTEGER NOT NULL, method TEXT NOT NULL, status INTEGER, query_length INTEGER, framing_length INTEGER,
      hop INTEGER NOT NULL, exchange INTEGER NOT NULL, source TEXT NOT NULL, unknown TEXT NOT NULL, error TEXT NOT NULL)
    """

  static let insertion = """
    INSERT INTO traffic (\(LogColumns.names.joined(separator: ", ")))
    VALUES (\(LogColumns.names.map { _ in "?" }.joined(separator: ", ")))
    """

  static func arguments(of record: TrafficRecord) -> StatementArguments {
    [
      record.host, record.path, record.kind.rawValue, record.occurTime, record.length, record.lineLength,
      record.headerLength, record.bodyLength, record.method, record.status, record.queryLength, record.framingLength,
      record.hop, record.exchange, record.source.rawValue, record.unknown, record.error,
    ]
  }

  static func record(of row: Row) -> TrafficRecord {
    TrafficRecord(
      host: row["host"], path: row["path"], kind: TrafficRecord.Kind(rawValue: row["type"]) ?? .request,
      occurTime: row["occur_time"], lineLength: row["line_length"], headerLength: row["header_length"],
      bodyLength: row["body_length"], framingLength: row["framing_length"], method: row["method"],
      status: row["status"], queryLength: row["query_length"], hop: row["hop"], exchange: row["exchange"],
      source: TrafficRecord.Source(rawValue: row["source"]) ?? .estimate, unknown: row["unknown"], error: row["error"])
  }
}
