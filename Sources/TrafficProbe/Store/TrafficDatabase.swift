import Foundation
import GRDB

/// The SQLite file: one table, `traffic`, with the columns of the log.
///
/// Opened when it is first written, and again when its file has gone away: SQLite would go on writing into a file that no
/// name leads to. Used from one queue only.
final class TrafficDatabase {
  private static let cacheSize = 128
  let url: URL
  let maximumRows: Int
  private var queue: DatabaseQueue?
  private var identity: Int?

  init(url: URL, maximumRows: Int) {
    self.url = url
    self.maximumRows = maximumRows
  }

  /// Writes all records in one transaction, and forgets the oldest rows beyond the maximum.
  /// - Throws: what SQLite says; then none of the records was written.
  func write(_ records: [TrafficRecord]) throws {
    do {
      let maximum = maximumRows
      try opened().write { database in
        let statement = try database.cachedStatement(sql: TrafficDatabase.insertion)
        for record in records { try statement.execute(arguments: TrafficDatabase.arguments(of: record)) }
        try database.execute(
          sql: "DELETE FROM traffic WHERE id <= (SELECT max(id) FROM traffic) - ?", arguments: [maximum])
      }
    } catch {
      // A handle that failed may never work again: the next write opens a new one.
      if !TrafficDatabase.isBusy(error) { queue = nil }
      throw error
    }
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
          SELECT host, path, sum(type = 'request') AS requests, sum(type = 'response') AS responses,
            sum(CASE type WHEN 'request' THEN length ELSE 0 END) AS sent,
            sum(CASE type WHEN 'response' THEN length ELSE 0 END) AS received
          FROM traffic GROUP BY host, path ORDER BY sent + received DESC, host, path
          """
      ).map {
        APITraffic(
          host: $0["host"], path: $0["path"], requests: $0["requests"], responses: $0["responses"],
          requestOctets: $0["sent"], responseOctets: $0["received"])
      }
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
    var configuration = Configuration()
    configuration.busyMode = .timeout(0.25)
    // KiB of pages in memory. Rows are added at the end of one table: more than these are not looked at again, and the app has
    // better use for the 2 MiB that SQLite would take.
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = -\(TrafficDatabase.cacheSize)") }
    let opened = try DatabaseQueue(path: url.path, configuration: configuration)
    try opened.write { try $0.execute(sql: TrafficDatabase.schema) }
    queue = opened
    identity = fileNumber
    return opened
  }

  private var fileNumber: Int? {
    (try? FileManager.default.attributesOfItem(atPath: url.path))?[.systemFileNumber] as? Int
  }
}
