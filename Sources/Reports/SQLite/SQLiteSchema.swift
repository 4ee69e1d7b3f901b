import GRDB
import HTTPReassembly
import Shared
import Tabular

/// The tables, indexes and views of the database.
enum SQLiteSchema {
  /// The version of the schema (`user_version`). It grows when a table, column or view changes its meaning or goes away;
  /// additions do not change it.
  static let version = 2
  /// The mark of such files among databases (`application_id`): "Snif" in ASCII.
  static let applicationID = 0x536e_6966

  /// The table of the messages that are not final yet.
  static let openMessages = "open_messages"

  /// Makes everything but the indexes in an empty database.
  static func create(in database: Database) throws {
    try database.execute(sql: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
    let suffix = try isStrictKnown(database) ? " STRICT" : ""
    for statement in tables { try database.execute(sql: statement + suffix) }
    for statement in views { try database.execute(sql: statement) }
  }

  /// Makes the indexes: in a live run before the rows, else after them, which is faster.
  static func createIndexes(in database: Database) throws {
    for index in indexes { try database.execute(sql: "CREATE INDEX IF NOT EXISTS \(index)") }
  }

  /// SQLite has STRICT tables since 3.37.
  private static func isStrictKnown(_ database: Database) throws -> Bool {
    let version = try String.fetchOne(database, sql: "SELECT sqlite_version()") ?? ""
    let parts = version.split(separator: ".").compactMap { Int($0) }
    return parts.count >= 2 && (parts[0], parts[1]) >= (3, 37)
  }

  private static var tables: [String] {
    [
      "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
      "CREATE TABLE captures (capture INTEGER PRIMARY KEY, name TEXT NOT NULL)",
      table(ConnectionRow.name, ConnectionRow.columns.withEndpointParts, key: "connection"),
      table(
        ExchangeRow.name, ExchangeRow.columns, key: "exchange",
        references: ["connection": "connections", "request": "messages", "response": "messages"]),
      table(
        MessageRow.name, MessageRow.columns.withEndpointParts, key: "message",
        references: ["exchange": "exchanges", "connection": "connections"]),
      // It has no references, because an open message's exchange and connection are not final either.
      table(openMessages, MessageRow.columns.withEndpointParts, key: "message"),
    ]
      + DetailTable.allCases.map { table($0.rawValue, $0.columns, key: $0.columns[0].name, references: $0.references) }
      + TotalTable.allCases.map { total in
        // No key where paths may be hashed, and two APIs have one name. `method` and `process` are there in any case.
        let columns = total.columns(Configuration.Grouping(path: true, method: true, process: true))
        return table(total.rawValue, columns, key: [.ledger: "class", .anomalies: "name"][total])
      }
  }

  private static func table(
    _ name: String, _ columns: [TableColumn], key: String?, references: [String: String] = [:]
  ) -> String {
    let lines = columns.map { column in
      var line = "  \"\(column.name)\" \(type(of: column))"
      if column.name == key { line += " PRIMARY KEY" }
      if !column.isOptional { line += " NOT NULL" }
      // References are deferred: a row comes when it is final, and a connection is final after its messages.
      if let table = references[column.name] { line += " REFERENCES \(table) DEFERRABLE INITIALLY DEFERRED" }
      return line
    }
    return "CREATE TABLE \(name) (\n\(lines.joined(separator: ",\n"))\n)"
  }

  private static func type(of column: TableColumn) -> String {
    switch column.kind {
    case .integer, .time: "INTEGER"
    case .real: "REAL"
    case .text: "TEXT"
    }
  }

  private static let indexes = [
    "messages_by_api ON messages (host, path, first_time)",
    "messages_by_time ON messages (first_time)",
    "messages_by_exchange ON messages (exchange)",
    "messages_by_connection ON messages (connection)",
    "messages_by_template ON messages (host, api_path, first_time)",
    "exchanges_by_api ON exchanges (host, path, started)",
    "connections_by_process ON connections (process)",
    "exchanges_by_connection ON exchanges (connection)",
    "apis_by_name ON apis (host, path)",
    "hosts_by_name ON hosts (host)",
    "timeline_by_time ON timeline (start)",
    "contents_by_api ON contents (host, path)",
    "fields_by_api ON fields (host, path)",
    "fields_by_name ON fields (field)",
  ]

  private static let views = [
    """
    CREATE VIEW all_messages AS
    SELECT *, 0 AS open FROM messages UNION ALL SELECT *, 1 AS open FROM open_messages
    """,
    """
    CREATE VIEW api_messages AS
    SELECT *, host AS api_host,
      CASE WHEN (SELECT instr(',' || value || ',', ',method,') FROM meta WHERE name = 'grouping') > 0
        THEN method END AS api_method,
      CASE WHEN (SELECT instr(',' || value || ',', ',process,') FROM meta WHERE name = 'grouping') > 0
        THEN process END AS api_process
    FROM messages
    """,
    """
    CREATE VIEW processes AS
    SELECT process, app, process_source, count(DISTINCT pid) AS pids, count(*) AS connections,
      sum(messages) AS messages, sum(client_ip_bytes) AS client_ip_bytes, sum(server_ip_bytes) AS server_ip_bytes
    FROM connections GROUP BY process, app, process_source
    """,
    """
    CREATE VIEW app_log AS
    SELECT host, path, type, first_time AS occur_time, message_bytes AS length, start_line_bytes AS line_length,
      header_bytes AS header_length, body_bytes AS body_length
    FROM messages WHERE type IN ('request', 'response')
    """,
    """
    CREATE VIEW host_fields AS
    SELECT host, direction, field, sum(messages) AS messages, sum(bytes) AS bytes, sum(expanded_bytes) AS expanded_bytes,
      sum(repeated_bytes) AS repeated_bytes
    FROM fields GROUP BY host, direction, field
    """,
    """
    CREATE VIEW minutes AS
    SELECT start / 60000000000 * 60 AS minute, direction, sum(packets) AS packets, sum(bytes) AS bytes
    FROM timeline GROUP BY minute, direction
    """,
    """
    CREATE VIEW api_hosts AS
    SELECT host, sum(requests) AS requests, sum(responses) AS responses, sum(request_bytes) AS request_bytes,
      sum(response_bytes) AS response_bytes, sum(request_ip_bytes + response_ip_bytes) AS ip_bytes,
      sum(status_4xx) AS status_4xx, sum(status_5xx) AS status_5xx
    FROM apis GROUP BY host
    """,
  ]
}

/// The database's facts about itself: the table `meta`, a name and a value a row, and the table `captures`.
///
/// No fact depends on the time or place of the analysis, so that the same capture gives the same content.
enum SQLiteMeta {
  /// Writes the facts that are known from the start.
  static func write(_ context: ReportContext, in database: Database) throws {
    let values = context.facts + [("schema_version", "\(SQLiteSchema.version)"), ("complete", "0")]
    for (name, value) in values { try set(name, value, in: database) }
    // A file's name may contain a person's name.
    guard context.redaction == nil else { return }
    for capture in context.captures {
      try database.execute(sql: "INSERT INTO captures (name) VALUES (?)", arguments: [name(of: capture)])
    }
  }

  /// Writes the times of the first and the last packet, in nanoseconds since the Unix epoch; nothing without packets.
  static func write(span: ClosedRange<Int64>?, in database: Database) throws {
    guard let span else { return }
    try set("first_time", "\(span.lowerBound)", in: database)
    try set("last_time", "\(span.upperBound)", in: database)
  }

  private static func set(_ name: String, _ value: String, in database: Database) throws {
    try database.execute(
      sql: "INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)", arguments: [name, value])
  }

  /// Marks the run as complete, so that the totals are of all of it.
  static func complete(in database: Database) throws {
    try database.execute(sql: "UPDATE meta SET value = '1' WHERE name = 'complete'")
  }

  /// A capture's name without its folder: the report names the capture, not its place.
  private static func name(of capture: String) -> String {
    TextEscaping.string(Array(FileName.split(capture).name.utf8))
  }
}
