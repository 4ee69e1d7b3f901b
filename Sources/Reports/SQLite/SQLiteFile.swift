import Foundation
import GRDB
import Shared
import TableReading
import Tabular

/// The database's file, and the connection to it.
///
/// SQLite opens files by their path, and makes two more beside it (`-wal`, `-shm`) with the same permissions. So the file is made
/// as every file of a report: empty, for its owner alone, and never through a symbolic link. Files with the names of the other
/// two are removed. After SQLite has opened the database, its path with all links followed has to lead to the new file.
///
/// SQLite itself follows no link to the other two, but would use files that were made in between. So they have to be this user's
/// own, too.
struct SQLiteFile {
  private let name: String
  private let folder: OutputFolder
  /// Stays open until the connection is closed: closing any descriptor of a file releases SQLite's locks on it.
  private let file: OutputFile
  private let queue: DatabaseQueue

  /// Makes the file and opens it, empty, in WAL mode.
  init(_ name: String, in folder: OutputFolder) throws(ReportError) {
    self.name = name
    self.folder = folder
    let file = try folder.file(name)
    self.file = file
    Self.removeSidecars(of: name, in: folder)
    var configuration = GRDB.Configuration()
    // A message is final before its connection. So references hold at the end only, and are not checked.
    configuration.foreignKeysEnabled = false
    // A reader may hold the file for a moment.
    configuration.busyMode = .timeout(5)
    // A transaction may stay open from one call to the next: see `append`.
    configuration.allowsUnsafeTransactions = true
    do {
      queue = try DatabaseQueue(path: SQLiteSource.address(of: file.path), configuration: configuration)
      let opened = try queue.inDatabase { database in
        try Data.fetchOne(
          database, sql: "SELECT CAST(file AS BLOB) FROM pragma_database_list WHERE name = 'main'")
      }
      guard let opened, file.descriptor.isAt(FileName.text(of: Array(opened))) else {
        throw ReportError(.create, file.path, reason: "It was replaced while it was opened")
      }
      try queue.inDatabase { database in
        // It is synchronous at checkpoints only: after a crash of the machine the last transactions may be lost, but the file is
        // whole.
        try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
        // The first read of the log opens the others.
        _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema")
      }
      for suffix in Self.suffixes where !folder.isOwnOrNone(name + suffix) {
        throw ReportError(.create, file.path + suffix, reason: "It was replaced while it was opened")
      }
    } catch {
      throw Self.error(.create, file.path, error)
    }
  }

  /// Whether the file is still in its place.
  var isInPlace: Bool { folder.has(file, as: name) }

  /// Runs one transaction, or continues the one that `append` left open, and ends it.
  func write(_ body: (Database) throws -> Void) throws(ReportError) {
    try change(body) { try $0.commit() }
  }

  /// Runs `body` as `write`, but leaves the transaction open: readers see it only after the next `write`. Pages beyond SQLite's
  /// cache go to the log.
  func append(_ body: (Database) throws -> Void) throws(ReportError) {
    try change(body) { _ in }
  }

  private func change(
    _ body: (Database) throws -> Void, then end: (Database) throws -> Void
  ) throws(ReportError) {
    do {
      try queue.writeWithoutTransaction { database in
        do {
          if !database.isInsideTransaction { try database.beginTransaction(.immediate) }
          try body(database)
          try end(database)
        } catch {
          if database.isInsideTransaction { try? database.rollback() }
          throw error
        }
      }
    } catch {
      throw Self.error(.write, file.path, error)
    }
  }

  /// Moves everything from the log into the one file, and closes it.
  ///
  /// The other files are then gone, unless a reader still has the database open.
  func close() throws(ReportError) {
    do {
      try queue.inDatabase { database in
        try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        // So the database can be read from read-only folders. A current reader prevents it, and does the rest when it closes.
        if isInPlace {
          // Changing the mode writes a rollback journal, which must be a new file.
          folder.remove(name + "-journal")
          try? database.execute(sql: "PRAGMA journal_mode = DELETE")
        }
      }
      try queue.close()
      if !isInPlace { Self.removeSidecars(of: name, in: folder) }
      try file.close()
    } catch {
      throw Self.error(.write, file.path, error)
    }
  }

  private static func removeSidecars(of name: String, in folder: OutputFolder) {
    for suffix in suffixes { folder.remove(name + suffix) }
  }

  /// SQLite's suffixes for the files beside it.
  private static let suffixes = ["-wal", "-shm", "-journal"]

  private static func error(_ operation: ReportError.Operation, _ path: String, _ error: any Error) -> ReportError {
    if let error = error as? ReportError { return error }
    guard let error = error as? DatabaseError else { return ReportError(operation, path, reason: "\(error)") }
    return ReportError(operation, path, reason: error.message ?? error.resultCode.description)
  }
}
