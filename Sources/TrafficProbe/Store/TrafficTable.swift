import GRDB

/// Conversion of records to rows and back.
extension TrafficDatabase {
  static let schema = """
    CREATE TABLE IF NOT EXISTS traffic (
      id INTEGER PRIMARY KEY, host TEXT NOT NULL, path TEXT NOT NULL, type TEXT NOT NULL, occur_time REAL NOT NULL,
      length INTEGER NOT NULL, line_length INTEGER NOT NULL, header_length INTEGER NOT NULL,
      body_length INTEGER NOT NULL, method TEXT NOT NULL, status INTEGER, query_length INTEGER, framing_length INTEGER,
      hop INTEGER NOT NULL, exchange INTEGER NOT NULL, source TEXT NOT NULL, unknown TEXT NOT NULL, error TEXT NOT NULL,
      \(added.map { "\($0) \($1)" }.joined(separator: ", ")))
    """

  /// Columns that tables of earlier releases lack.
  static let added: KeyValuePairs = [
    "content_type": "TEXT NOT NULL DEFAULT ''", "end_time": "REAL", "duration_ms": "REAL", "dns_ms": "REAL",
    "connect_ms": "REAL", "tls_ms": "REAL", "send_ms": "REAL", "wait_ms": "REAL", "receive_ms": "REAL",
    "pending": "INTEGER NOT NULL DEFAULT 0", "compressed_length": "INTEGER",
  ]

  /// The rows that wait for an upload, once there is one. The triggers keep it so in every run from then on, also without an
  /// upload. The first time, all rows wait.
  private static let uploadSchema = """
    CREATE TABLE upload_waiting (id INTEGER PRIMARY KEY);
    INSERT INTO upload_waiting SELECT id FROM traffic;
    CREATE TRIGGER upload_waits AFTER INSERT ON traffic BEGIN
      INSERT OR IGNORE INTO upload_waiting VALUES (new.id);
    END;
    CREATE TRIGGER upload_is_gone AFTER DELETE ON traffic BEGIN
      DELETE FROM upload_waiting WHERE id = old.id;
    END;
    """

  /// Makes the table, or adds the missing columns to an older one.
  static func prepare(_ database: Database, isUploaded: Bool = false) throws {
    try database.execute(sql: schema)
    let there = Set(try database.columns(in: "traffic").map(\.name))
    for (name, definition) in added where !there.contains(name) {
      try database.execute(sql: "ALTER TABLE traffic ADD COLUMN \(name) \(definition)")
    }
    if isUploaded, try !database.tableExists("upload_waiting") { try database.execute(sql: uploadSchema) }
  }

  static let insertion = """
    INSERT INTO traffic (\(ProbeColumns.names.joined(separator: ", ")))
    VALUES (\(ProbeColumns.names.map { _ in "?" }.joined(separator: ", ")))
    """

  /// Replaces a pending request's row with its complete record.
  static let completion = """
    UPDATE traffic SET \(ProbeColumns.names.map { "\($0) = ?" }.joined(separator: ", ")) WHERE id = ? AND exchange = ? AND pending
    """

  static func arguments(of record: TrafficRecord) -> StatementArguments {
    [
      record.host, record.path, record.kind.rawValue, record.occurTime, record.length, record.lineLength,
      record.headerLength, record.bodyLength, record.method, record.status, record.queryLength, record.framingLength,
      record.hop, record.exchange, record.source.rawValue, record.unknown, record.error, record.contentType,
      record.endTime, record.duration, record.phases.dns, record.phases.connect, record.phases.tls, record.phases.send,
      record.phases.wait, record.phases.receive, record.isPending, record.compressedLength,
    ]
  }

  static func record(of row: Row) -> TrafficRecord {
    TrafficRecord(
      host: row["host"], path: row["path"], kind: TrafficRecord.Kind(rawValue: row["type"]) ?? .request,
      occurTime: row["occur_time"], lineLength: row["line_length"], headerLength: row["header_length"],
      bodyLength: row["body_length"], framingLength: row["framing_length"], method: row["method"],
      status: row["status"], queryLength: row["query_length"], hop: row["hop"], exchange: row["exchange"],
      source: TrafficRecord.Source(rawValue: row["source"]) ?? .estimate, unknown: row["unknown"], error: row["error"],
      contentType: row["content_type"], endTime: row["end_time"], duration: row["duration_ms"],
      phases: TrafficRecord.Phases(
        dns: row["dns_ms"], connect: row["connect_ms"], tls: row["tls_ms"], send: row["send_ms"], wait: row["wait_ms"],
        receive: row["receive_ms"]),
      compressedLength: row["compressed_length"], isPending: row["pending"])
  }
}
