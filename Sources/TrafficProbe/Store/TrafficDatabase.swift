import Foundation
import GRDB

/// The SQLite file: one table, `traffic`, with the columns of the log.
///
/// The first write opens it, and a write after its file was removed opens it again. Otherwise SQLite would continue to write into
/// a file without a name. It is used from one queue only.
final class TrafficDatabase {
  private static let cacheSize = 128
  let url: URL
  let maximumRows: Int
  /// Whether rows wait for an upload until a server accepted them.
  private let isUploaded: Bool
  private var queue: DatabaseQueue?
  private var identity: Int?
  /// The rows of the requests under way, by the number of their exchange in this run.
  private var pending: [Int: Int64] = [:]

  init(url: URL, maximumRows: Int, isUploaded: Bool = false) {
    self.url = url
    self.isUploaded = isUploaded
    self.maximumRows = maximumRows
  }

  /// Writes all records in one transaction, and deletes the oldest rows beyond the maximum.
  /// - Throws: The error of SQLite; then none of the records was written.
  func write(_ records: [TrafficRecord]) throws {
    do {
      let maximum = maximumRows
      let queue = try opened()
      let before = pending
      pending = try queue.write { database in
        var pending = before
        for record in records { try TrafficDatabase.write(record, to: database, &pending) }
        try database.execute(
          sql: "DELETE FROM traffic WHERE id <= (SELECT max(id) FROM traffic) - ?", arguments: [maximum])
        return pending
      }
    } catch {
      // A handle that failed may never work again: the next write opens a new one.
      if !TrafficDatabase.isBusy(error) { queue = nil }
      throw error
    }
  }

  /// Adds a row, or completes the row of a pending request. If that row was deleted meanwhile, adds it again.
  private static func write(_ record: TrafficRecord, to database: Database, _ pending: inout [Int: Int64]) throws {
    if record.kind == .request, !record.isPending, let row = pending.removeValue(forKey: record.exchange) {
      try database.cachedStatement(sql: completion).execute(arguments: arguments(of: record) + [row, record.exchange])
      if database.changesCount > 0 { return }
    }
    try database.cachedStatement(sql: insertion).execute(arguments: arguments(of: record))
    if record.isPending { pending[record.exchange] = database.lastInsertedRowID }
  }

  /// Calls `body` with each row's record, oldest first.
  func forEach(_ body: (TrafficRecord) throws -> Void) throws {
    try opened().read { database in
      let rows = try Row.fetchCursor(database, sql: "SELECT * FROM traffic ORDER BY id")
      while let row = try rows.next() { try body(TrafficDatabase.record(of: row)) }
    }
  }

  /// Sums by host and path, most octets first.
  func traffic() throws -> [APITraffic] {
    try opened().read { database in
      try Row.fetchAll(
        database,
        sql: """
          SELECT host, path, type, count(*) AS messages, sum(line_length) AS line, sum(header_length) AS header,
            sum(body_length) AS body, sum(ifnull(framing_length, 0)) AS framing,
            sum(line_length + header_length - ifnull(compressed_length, line_length + header_length)) AS saved, sum(error <> '') AS failures,
            sum(ifnull(status, 0) >= 400) AS refusals, sum(pending) AS pending
          FROM traffic GROUP BY host, path, type
          """
      ).reduce(into: TrafficSums()) { sums, row in
        sums.add(
          APITraffic.Messages(
            count: row["messages"], line: row["line"], header: row["header"], body: row["body"],
            framing: row["framing"], saved: row["saved"]),
          of: TrafficRecord.Kind(rawValue: row["type"]) ?? .request, host: row["host"], path: row["path"],
          failures: row["failures"], refusals: row["refusals"], pending: row["pending"])
      }.sorted
    }
  }

  /// A row of the table.
  struct WaitingRow {
    let row: Int64
    let record: TrafficRecord
  }

  /// The oldest rows that no server has accepted, at most `limit`. Requests that are under way in this run wait for their end.
  func waitingForUpload(limit: Int) throws -> [WaitingRow] {
    let queue = try opened()
    let underway = Set(pending.values)
    return try queue.read { database in
      let rows = try Row.fetchAll(
        database,
        sql: """
          SELECT traffic.* FROM upload_waiting JOIN traffic USING (id) ORDER BY upload_waiting.id LIMIT ?
          """, arguments: [limit + underway.count])
      return rows.map { WaitingRow(row: $0["id"], record: TrafficDatabase.record(of: $0)) }
        .filter { !underway.contains($0.row) }
        .prefix(limit).map { $0 }
    }
  }

  /// Forgets rows that a server has accepted; they stay in the log.
  func didUpload(_ rows: [Int64]) throws {
    try opened().write { database in
      let statement = try database.cachedStatement(sql: "DELETE FROM upload_waiting WHERE id = ?")
      for row in rows { try statement.execute(arguments: [row]) }
    }
  }

  /// Whether another connection holds the file: the records are worth another attempt.
  static func isBusy(_ error: any Error) -> Bool {
    guard let error = error as? DatabaseError else { return false }
    return error.resultCode == .SQLITE_BUSY || error.resultCode == .SQLITE_LOCKED
  }

  private func opened() throws -> DatabaseQueue {
    if let queue, let identity, fileNumber == identity { return queue }
    queue = nil
    // Another file has other rows.
    if fileNumber != identity { pending = [:] }
    var configuration = Configuration()
    configuration.busyMode = .timeout(0.25)
    // KiB of pages in memory. Rows are added at the end of one table, and earlier pages are not read again. The app has better
    // use for the 2 MiB that SQLite would take.
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = -\(TrafficDatabase.cacheSize)") }
    let opened = try DatabaseQueue(path: url.path, configuration: configuration)
    try opened.write { [isUploaded] in try TrafficDatabase.prepare($0, isUploaded: isUploaded) }
    queue = opened
    identity = fileNumber
    return opened
  }

  private var fileNumber: Int? {
    (try? FileManager.default.attributesOfItem(atPath: url.path))?[.systemFileNumber] as? Int
  }
}
