import Foundation
import GRDB
import HTTPReassembly
import Testing

@testable import Reports
@testable import Tabular

/// The database as it is while it is written, and what is in it.
@Suite struct SQLiteReportTests {
  private let folder = TemporaryFolder()
  private var texts = TextPool()

  private var context: ReportContext {
    ReportContext(grouping: .init(path: true, method: false), toolVersion: "1.2.3", captures: ["a/b.pcap", "-"])
  }

  private func message(_ number: Int, flags: MessageFlags = []) -> Message {
    var message = Message()
    message.number = number
    message.client = client
    message.server = server
    message.firstTime = .max
    message.flags = flags
    return message
  }

  private func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
    var configuration = GRDB.Configuration()
    configuration.readonly = true
    return try DatabaseQueue(path: folder.path + "/report.sqlite", configuration: configuration).inDatabase(body)
  }

  private func count(_ table: String) throws -> Int {
    try read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? -1 }
  }

  @Test func unknownIsNullAndNoFlagsAreAText() throws {
    let report = try SQLiteReport(folder: folder.path, context)
    try report.message(message(1), texts: texts)
    try report.message(message(2, flags: [.incomplete, .evicted]), texts: texts)
    try report.finish(emptyTotals())
    let rows = try read { try GRDB.Row.fetchAll($0, sql: "SELECT * FROM messages ORDER BY message") }
    #expect(rows.map { $0["flags"] as String? } == ["", "incomplete evicted"])
    let unknown = MessageRow.columns.filter { rows[0][$0.name] as DatabaseValue == .null }.map(\.name)
    // HTTP/1's fields are as long as they are spelt, which is always known.
    let optional = MessageRow.columns.filter { $0.isOptional && !$0.name.hasPrefix("expanded_") }
    #expect(unknown == optional.map(\.name))
    #expect(rows[0]["first_time"] as Int64 == .max)
    #expect(rows[1]["server"] as String == "[2001:db8::1]:443")
  }

  @Test func saysWhatItIs() throws {
    try SQLiteReport(folder: folder.path, context).finish(emptyTotals())
    let meta = try read { try GRDB.Row.fetchAll($0, sql: "SELECT name, value FROM meta") }
    let values = Dictionary(uniqueKeysWithValues: meta.map { ($0[0] as String, $0[1] as String) })
    #expect(
      values == [
        "tool": "sniffer", "tool_version": "1.2.3", "schema_version": "2", "grouping": "host,path", "redacted": "0",
        "complete": "1", "template": "", "options": "", "filter": "",
      ])
    #expect(try read { try String.fetchAll($0, sql: "SELECT name FROM captures") } == ["b.pcap", "-"])
    #expect(try read { try Int.fetchOne($0, sql: "PRAGMA user_version") } == SQLiteSchema.version)
  }

  /// Rows of more than one transaction, the highest numbers first.
  @Test func manyRows() throws {
    let report = try SQLiteReport(folder: folder.path, context)
    for number in (1...5001).reversed() { try report.message(message(number), texts: texts) }
    #expect(try count("messages") == 4000)
    try report.finish(emptyTotals())
    #expect(try count("messages") == 5001)
    #expect(folder.names == ["report.sqlite"])
  }

  @Test func flushReplacesTotalsAndOpenMessages() throws {
    let report = try SQLiteReport(folder: folder.path, context, isLive: true)
    var pool = texts
    var totals = emptyTotals()
    totals.apis = [api("/a", up: 10, down: 20, in: &pool), api("/b", up: 1, down: 2, in: &pool)]
    totals.texts = pool
    for round in 1...3 {
      try report.message(message(round), texts: texts)
      try report.flush(totals) { body in body(message(10), texts) }
      #expect(try count("messages") == round)
      #expect(try count("open_messages") == 1)
      #expect(try count("apis") == 2)
      #expect(try count("all_messages") == round + 1)
    }
    #expect(try read { try Int.fetchOne($0, sql: "SELECT ip_bytes FROM api_hosts") } == 33)
    #expect(try read { try Int.fetchOne($0, sql: "SELECT request_bytes FROM api_hosts") } == 11)
    try report.finish(totals)
    #expect(try count("open_messages") == 0)
  }

  /// A reader in the middle of a transaction sees the database as it was, and does not stop the run.
  @Test func aReaderDoesNotStopTheRun() throws {
    let report = try SQLiteReport(folder: folder.path, context, isLive: true)
    try report.message(message(1), texts: texts)
    try report.flush(emptyTotals()) { _ in }
    try read { database in
      try database.execute(sql: "BEGIN; SELECT * FROM messages")
      try report.message(message(2), texts: texts)
      try report.flush(emptyTotals()) { _ in }
      #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM messages") == 1)
      try database.execute(sql: "COMMIT")
      #expect(try Int.fetchOne(database, sql: "SELECT count(*) FROM messages") == 2)
    }
    try report.finish(emptyTotals())
    #expect(folder.names == ["report.sqlite"])
  }

  /// A number that comes twice is an error, said once; nothing is written after it, and what was there stays.
  @Test func errorIsSaidOnceAndAtTheEnd() throws {
    let report = try SQLiteReport(folder: folder.path, context, isLive: true)
    try report.message(message(1), texts: texts)
    try report.flush(emptyTotals()) { _ in }
    try report.message(message(1), texts: texts)
    #expect(throws: ReportError.self) { try report.flush(emptyTotals()) { _ in } }
    try report.message(message(2), texts: texts)
    try report.flush(emptyTotals()) { _ in }
    let error = #expect(throws: ReportError.self) { try report.finish(emptyTotals()) }
    #expect(error?.description.contains("UNIQUE constraint failed: messages.message") == true)
    #expect(try count("messages") == 1)
  }

  @Test func movedAwayIsStartedAnew() throws {
    let report = try SQLiteReport(folder: folder.path, context, isLive: true)
    try report.message(message(1), texts: texts)
    try report.reopen()
    #expect(folder.names.contains("report.sqlite-wal"))
    try FileManager.default.moveItem(atPath: folder.path + "/report.sqlite", toPath: folder.path + "/kept.sqlite")
    try report.reopen()
    try report.message(message(2), texts: texts)
    try report.finish(emptyTotals())
    #expect(folder.names == ["kept.sqlite", "report.sqlite"])
    #expect(try read { try Int.fetchAll($0, sql: "SELECT message FROM messages") } == [2])
    try FileManager.default.removeItem(atPath: folder.path + "/report.sqlite")
    try FileManager.default.moveItem(atPath: folder.path + "/kept.sqlite", toPath: folder.path + "/report.sqlite")
    #expect(try read { try Int.fetchAll($0, sql: "SELECT message FROM messages") } == [1])
    #expect(try read { try String.fetchOne($0, sql: "PRAGMA integrity_check") } == "ok")
  }
}
