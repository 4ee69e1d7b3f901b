import Foundation
import GRDB
import GRDBSQLite

/// An SQLite database of another program, opened so that neither it nor its folder changes.
///
/// It is opened as immutable: without locks or a shared-memory file. SQLite then ignores a write-ahead log, which may hold the newest rows.
/// If there is one, database and log are copied into a private folder, and the copy is opened. The folder is removed at once, and the files
/// vanish when they are closed.
package final class SQLiteSource {
  /// The database.
  package let queue: DatabaseQueue

  /// Opens the database at `path`. Throws a `ReadingError` if it is no database, or in the middle of a transaction.
  package init(path: String) throws(ReadingError) {
    let original = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    // A rollback would follow the file names in the journal, wherever they point.
    guard !Self.isHot(journal: original.path + "-journal") else {
      throw ReadingError(
        file: path, "a write was interrupted (\(original.lastPathComponent)-journal is there); open it once in its app")
    }
    let copy = Self.hasLog(original) ? try Self.copied(original, named: path) : nil
    defer { if let copy { try? FileManager.default.removeItem(at: copy) } }
    do {
      if let copy {
        queue = try DatabaseQueue(
          path: copy.appendingPathComponent("log").path, configuration: Self.configuration(false))
        // At the first read, SQLite opens the log, too.
        _ = try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_schema") }
      } else {
        guard let name = original.path.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) else {
          throw ReadingError(file: path, "has a name that is not UTF-8")
        }
        queue = try DatabaseQueue(path: "file:\(name)?immutable=1", configuration: Self.configuration(true))
      }
    } catch {
      throw SQLiteSource.error(error, file: path)
    }
  }

  deinit { try? queue.close() }

  /// Whether the database at `path` has a write-ahead log. If so, a copy of both is opened.
  package static func hasLog(_ path: String) -> Bool { hasLog(URL(fileURLWithPath: path).resolvingSymlinksInPath()) }

  private static func hasLog(_ original: URL) -> Bool { size(original.path + "-wal") > 0 }

  /// One line for an error of SQLite or GRDB.
  package static func error(_ error: any Error, file: String) -> ReadingError {
    switch error {
    case let error as ReadingError: return error
    case let error as DatabaseError:
      switch error.resultCode.primaryResultCode {
      case .SQLITE_NOTADB: return ReadingError(file: file, "is not an SQLite database, or an encrypted one")
      case .SQLITE_CORRUPT:
        return ReadingError(file: file, "is a damaged SQLite database: \(error.message ?? "malformed")")
      case .SQLITE_CANTOPEN: return ReadingError(file: file, "SQLite cannot open it: is it readable, and its folder?")
      default: return ReadingError(file: file, "SQLite: \(error.message ?? "error \(error.resultCode.rawValue)")")
      }
    default: return ReadingError(file: file, "cannot be read: \(error)")
    }
  }

  /// Octets of one value of a log or a report.
  package static let longestValue = 1 << 20

  private static func configuration(_ isReadOnly: Bool) -> Configuration {
    var configuration = Configuration()
    configuration.readonly = isReadOnly
    configuration.label = "log"
    configuration.prepareDatabase { database in
      // A longer text or blob is an error before any of it is read.
      _ = unsafe sqlite3_limit(database.sqliteConnection, SQLITE_LIMIT_LENGTH, Int32(longestValue))
      // The schema may be hostile: no functions with side effects, and cells are checked before use.
      try database.execute(sql: "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0")
    }
    return configuration
  }

  private static func size(_ path: String) -> Int {
    (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int ?? 0
  }

  /// Whether the journal has a header. A finished transaction invalidates it.
  private static func isHot(journal path: String) -> Bool {
    guard let handle = FileHandle(forReadingAtPath: path) else { return size(path) > 0 }
    return (try? handle.read(upToCount: 8)) == Data([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7])
  }

  private static func copied(_ original: URL, named path: String) throws(ReadingError) -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sniffer-log-\(UUID().uuidString)")
    do {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
      for suffix in ["", "-wal"] {
        try FileManager.default.copyItem(
          atPath: original.path + suffix, toPath: folder.appendingPathComponent("log\(suffix)").path)
        // A copy has the mode of its original, which may be read-only.
        try FileManager.default.setAttributes(
          [.posixPermissions: 0o600], ofItemAtPath: folder.appendingPathComponent("log\(suffix)").path)
      }
    } catch {
      try? FileManager.default.removeItem(at: folder)
      throw ReadingError(file: path, "its write-ahead log cannot be copied to read it: \(error.localizedDescription)")
    }
    return folder
  }
}
