import GRDB
import Tabular

/// The database's file, and the connection to it.
///
/// SQLite opens files by their path, and makes two more beside it (`-wal`, `-shm`) with the same permissions. So the
/// file is made as every file of a report is, empty, for its owner alone and never through a symbolic link; what
/// has the names of the other two is removed; and once SQLite has opened it, the path that it went by after it
/// followed every link has to be that of the file that was made. SQLite itself follows no link to the other two, but would
/// take files that came there in between: they have to be this user's own, too.
struct SQLiteFile {
  private let name: String
  private let folder: OutputFolder
  /// Stays open until the connection is closed: closing any descriptor of a file gives up SQLite's locks on it.
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
    // A message is final before its connection is, so that references hold at the end only, and are not watched.
    configuration.foreignKeysEnabled = false
    // A reader may hold the file for a moment.
    configuration.busyMode = .timeout(5)
    // A transaction may stay open from one call to the next: see `append`.
    configuration.allowsUnsafeTransactions = true
    do {
      // A relative path may look like a URI, which SQLite would take apart.
      let path = file.path.hasPrefix("/") ? file.path : "./" + file.path
      queue = try DatabaseQueue(path: path, configuration: configuration)
      let opened = try queue.inDatabase { database in
        try String.fetchOne(database, sql: "SELECT file FROM pragma_database_list WHERE name = 'main'")
      }
      guard let opened, file.descriptor.isAt(opened) else {
        throw ReportError(.create, file.path, reason: "It was replaced while it was opened")
      }
      try queue.inDatabase { database in
        // Synchronous at checkpoints only: after a crash of the machine the last transactions may be gone, and the
        // file is whole.
        try database.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
        // The others are opened with the first look at the log.
        _ = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_schema")
      }
      for suffix in Self.suffixes where !folder.isOwnOrNone(name + suffix) {
        throw ReportError(.create, file.path + suffix, reason: "It was replaced while it was opened")
      }
    } catch {
      throw Self.error(.create, file.path, error)
    }
  }

  /// Whether it is still where it was made.
  var isInPlace: Bool { folder.has(file, as: name) }

  /// Runs one transaction, or goes on with the one that `append` left open, and ends it.
  func write(_ body: (Database) throws -> Void) throws(ReportError) {
    try change(body) { try $0.commit() }
  }

  /// The same, and leaves the transaction open: readers see nothing of it until the next `write`. What does not fit into
  /// SQLite's cache meanwhile goes to the log.
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
  /// The others are gone then, unless a reader still has the database open.
  func close() throws(ReportError) {
    do {
      try queue.inDatabase { database in
        try database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        // So that it can be read where nothing can be written. A reader that is there right now prevents it, and
        // what is left for it to do then is done when it closes.
        if isInPlace {
          // Changing the mode writes a rollback journal, which is to be a file of its own.
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

  /// What SQLite adds to the name for the files beside it.
  private static let suffixes = ["-wal", "-shm", "-journal"]

  private static func error(_ operation: ReportError.Operation, _ path: String, _ error: any Error) -> ReportError {
    if let error = error as? ReportError { return error }
    guard let error = error as? DatabaseError else { return ReportError(operation, path, reason: "\(error)") }
    return ReportError(operation, path, reason: error.message ?? error.resultCode.description)
  }
}
