import Foundation
import GRDB
import Testing

@testable import Estimates

@Suite("A monitor's table in SQLite")
struct SQLiteLogTests {
  static let columns = "host, path, type, occur_time, length, line_length, header_length, body_length"

  /// A database that the statements make, closed.
  private func database(_ folder: LogFolder, _ sql: String) throws -> String {
    let path = folder.path("log.sqlite")
    let queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    try queue.close()
    return path
  }

  private func refusal(_ sql: String, table: String? = nil) throws -> String {
    let folder = try LogFolder()
    let path = try database(folder, sql)
    var options = LogOptions()
    options.table = table
    do {
      _ = try LogReader(options: options).read(path)
      return ""
    } catch { return error.description.replacingOccurrences(of: path + ": ", with: "") }
  }

  @Test("the only table that has the columns is read, and nothing in its folder changes")
  func table() throws {
    let folder = try LogFolder()
    let path = try database(
      folder,
      """
      CREATE TABLE settings (key TEXT, value TEXT);
      CREATE TABLE "Traffic ""log"" " (id INTEGER PRIMARY KEY, \(Self.columns), status);
      INSERT INTO "Traffic ""log"" " VALUES
        (7, 'API.example.com', '/v1', 'request', 1772359200.25, 400, 20, 370, 10, NULL),
        (9, 'api.example.com', '', 'response', '2026-03-01 10:00:01', '300', 17, 283.0, -1, 200),
        (10, 'api.example.com', '/v1', 'response', 1772359202000, NULL, NULL, NULL, NULL, 404);
      """)
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    let log = try LogReader().read(path)
    #expect(log.dialect == .monitor)
    #expect(log.entries.map(\.row) == [7, 9, 10])
    #expect(log.entries.map(\.host) == Array(repeating: "api.example.com", count: 3))
    #expect(log.entries.map(\.path) == ["/v1", "/", "/v1"])
    #expect(log.entries.map(\.time) == [after(250), after(1_000), after(2_000)])
    #expect(log.entries.map(\.length) == [400, 300, nil])
    #expect(log.entries.map(\.headerLength) == [370, 283, nil])
    #expect(log.entries.map(\.bodyLength) == [10, nil, nil], "-1 is unknown")
    #expect(log.entries.map(\.status) == [0, 200, 404])
    #expect(folder.names == ["log.sqlite"])
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
  }

  @Test("rows that are still in the write-ahead log are read, and it is left alone")
  func writeAheadLog() throws {
    let folder = try LogFolder()
    let path = folder.path("log.sqlite")
    let pool = try DatabasePool(path: path)
    try pool.writeWithoutTransaction {
      try $0.execute(
        sql: "PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (\(Self.columns)); "
          + "INSERT INTO t VALUES ('h', '/', 'request', 1772359200, 1, 2, 3, 4)")
    }
    // As copied from a running app: without the shared memory, and read-only.
    let copies = try LogFolder()
    for suffix in ["", "-wal"] {
      let octets = try Data(contentsOf: URL(fileURLWithPath: path + suffix))
      let copy = try copies.write(octets, as: "log.sqlite" + suffix)
      try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: copy)
    }
    let wal = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
    #expect(!wal.isEmpty)
    for log in [path, copies.path("log.sqlite")] {
      #expect(try LogReader().read(log).entries.map(\.bodyLength) == [4])
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path + "-wal")) == wal)
    #expect(copies.names == ["log.sqlite", "log.sqlite-wal"])
    try pool.close()
    // Without a log that has content, a database in that mode is read in place.
    #expect(try LogReader().read(path).entries.map(\.bodyLength) == [4])
  }

  @Test("several tables or none are told apart by name")
  func choice() throws {
    let two = "CREATE TABLE a (\(Self.columns)); CREATE TABLE b (\(Self.columns)); CREATE TABLE c (x);"
    #expect(try refusal(two) == "several tables could be the log: a, b; choose one")
    #expect(try refusal(two, table: "d") == "has no table d; there are: a, b, c")
    #expect(try refusal(two, table: "B") == "table b has no rows")
    #expect(try refusal(two, table: "c").hasPrefix("table c: no column host, path, type, occur_time; there are: x"))
    #expect(try refusal("CREATE TABLE c (x)").hasPrefix("table c: no column host, path, type, occur_time"))
    #expect(
      try refusal("CREATE TABLE c (x); CREATE TABLE d (y)")
        == "no table has the columns host, path, type, occur_time and a length; there are: c, d; choose one")
    #expect(try refusal("CREATE VIEW v AS SELECT 1") == "has no table")
  }

  /// Such a column can be computed for hours, one row after the other.
  @Test("a table with generated columns is refused, and another one is found", arguments: ["VIRTUAL", "STORED"])
  func generatedColumns(_ kind: String) throws {
    let hostile = "CREATE TABLE t (\(Self.columns), x GENERATED ALWAYS AS (hex(host)) \(kind)); "
    let reason = "table t: it has generated columns; copy it without them"
    #expect(try refusal(hostile) == reason)
    #expect(try refusal(hostile + "CREATE TABLE u (\(Self.columns))") == "table u has no rows")
    #expect(try refusal(hostile + "CREATE TABLE u (\(Self.columns))", table: "t") == reason)
  }

  @Test(
    "values of a wrong type are named with their row",
    arguments: [
      (
        "'h', '/', 'request', 1772359200, x'31', 1, 1, 1",
        "column length: expected a whole number of bytes, found a blob"
      ),
      ("'h', '/', 'request', 1772359200, 1.5, 1, 1, 1", "column length: expected a whole number of bytes, found 1.5"),
      (
        "'h', '/', 'request', 1772359200, 9e999, 1, 1, 1", "column length: expected a whole number of bytes, found inf"
      ),
      (
        "'h', '/', 'request', 1772359200, 9223372036854775807, 1, 1, 1",
        "column length: expected at most 2^40 bytes, found 9223372036854775807"
      ),
      ("'h', '/', 1, 1772359200, 1, 1, 1, 1", "column type: expected request or response, found 1"),
      ("'h', NULL, 'request', 1772359200, 1, 1, 1, 1", "column path: expected a path, found nothing"),
      ("NULL, '/', 'request', 1772359200, 1, 1, 1, 1", "column host: expected a host name, found nothing"),
    ])
  func types(values: String, words: String) throws {
    #expect(
      try refusal("CREATE TABLE t (\(Self.columns)); INSERT INTO t VALUES (\(values))") == "table t, row 1, \(words)")
  }

  @Test("rows beyond the limit refuse the log")
  func limit() throws {
    let folder = try LogFolder()
    let path = try database(
      folder,
      """
      CREATE TABLE t (\(Self.columns), PRIMARY KEY (length)) WITHOUT ROWID;
      INSERT INTO t SELECT 'h', '/', 'request', 1772359200, column1, 1, 1, 1 FROM (VALUES (1), (2), (3), (4));
      """)
    var options = LogOptions()
    options.rowLimit = 4
    #expect(try LogReader(options: options).read(path).entries.map(\.row) == [1, 2, 3, 4])
    options.rowLimit = 3
    #expect(throws: LogError("\(path): has more than 3 rows in table t; split it")) {
      try LogReader(options: options).read(path)
    }
  }

  @Test("a file that is no database, damaged, encrypted or interrupted is refused")
  func damaged() throws {
    let folder = try LogFolder()
    let rows = (1...400).map { "('h', '/\($0)', 'request', 1772359200, 1, 2, 3, 4)" }.joined(separator: ", ")
    let path = try database(folder, "CREATE TABLE t (\(Self.columns)); INSERT INTO t VALUES \(rows)")
    let octets = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    #expect(octets.count > 4 * 4096)

    #expect(try LogFolder.refusal(Array(octets.prefix(2 * 4096))).hasPrefix("is a damaged SQLite database"))
    var zeroed = octets
    for position in 3 * 4096..<4 * 4096 { zeroed[position] = 0 }
    #expect(try LogFolder.refusal(zeroed).hasPrefix("is a damaged SQLite database"))
    var options = LogOptions()
    options.format = .sqlite
    // An encrypted database is noise from its first octet on.
    let noise = octets.enumerated().map { UInt8(truncatingIfNeeded: ($0.offset &* 2_654_435_761) >> 13) ^ $0.element }
    #expect(try LogFolder.refusal(noise, options) == "is not an SQLite database, or an encrypted one")
    #expect(try LogFolder.refusal(noise).contains("(an encrypted one looks like this too)"))

    let journal: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
    _ = try folder.write(journal + Array(repeating: 0, count: 504), as: "log.sqlite-journal")
    #expect(
      throws: LogError("\(path): a write was interrupted (log.sqlite-journal is there); open it once in its app")
    ) { try LogReader().read(path) }
    _ = try folder.write(Array(repeating: UInt8(0), count: 512), as: "log.sqlite-journal")
    #expect(try LogReader().read(path).entries.count == 400)
  }

  @Test("a name with every character that a URL minds is opened")
  func oddName() throws {
    let folder = try LogFolder()
    let path = try database(
      folder, "CREATE TABLE t (\(Self.columns)); INSERT INTO t VALUES ('h', '/', 'request', 1772359200, 1, 2, 3, 4)")
    let odd = folder.path("a ?mode=memory&x#y%41é'.db")
    try FileManager.default.moveItem(atPath: path, toPath: odd)
    #expect(try LogReader().read(odd).entries.count == 1)
  }
}
