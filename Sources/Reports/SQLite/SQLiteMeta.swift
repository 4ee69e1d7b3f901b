import GRDB

/// What the database says of itself: the table `meta`, a name and a value a row, and the table `captures`.
///
/// Nothing in it depends on when or where the analysis ran, so that the same capture gives the same content.
enum SQLiteMeta {
  /// Writes what is known from the start.
  static func write(_ context: ReportContext, in database: Database) throws {
    let keys = ["host"] + (context.grouping.path ? ["path"] : []) + (context.grouping.method ? ["method"] : [])
    let values = [
      ("tool", "sniffer"), ("tool_version", context.toolVersion), ("schema_version", "\(SQLiteSchema.version)"),
      ("grouping", keys.joined(separator: ",")), ("redacted", context.redaction == nil ? "0" : "1"),
      ("complete", "0"),
    ]
    for (name, value) in values {
      try database.execute(sql: "INSERT INTO meta (name, value) VALUES (?, ?)", arguments: [name, value])
    }
    // A file may be named after a person.
    guard context.redaction == nil else { return }
    for capture in context.captures {
      try database.execute(sql: "INSERT INTO captures (name) VALUES (?)", arguments: [name(of: capture)])
    }
  }

  /// Says that the run came to its end, and the totals are those of all of it.
  static func complete(in database: Database) throws {
    try database.execute(sql: "UPDATE meta SET value = '1' WHERE name = 'complete'")
  }

  /// A capture's name without its folder: the report says what was analysed, not where it lay.
  private static func name(of capture: String) -> String {
    let last = capture.utf8.split(separator: UInt8(ascii: "/")).last ?? capture.utf8[...]
    return TextEscaping.string(Array(last))
  }
}
