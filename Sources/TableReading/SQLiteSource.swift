import Foundation
import GRDB
import GRDBSQLite
import Packets
import Shared
import SystemPackage
import Tabular

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
    let original = OpenFile.target(of: path) ?? path
    // A rollback would follow the file names in the journal, wherever they point.
    guard !Self.isHot(journal: original + "-journal") else {
      let journal = FileName.split(original).name + "-journal"
      throw ReadingError(file: path, "a write was interrupted (\(journal) is there); open it once in its app")
    }
    let copy = Self.hasLog(path) ? try Self.copied(original, named: path) : nil
    defer { if let copy { try? FileManager.default.removeItem(at: copy) } }
    do {
      if let copy {
        queue = try DatabaseQueue(
          path: copy.appendingPathComponent("log").path, configuration: Self.configuration(false))
        // At the first read, SQLite opens the log, too.
        _ = try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM sqlite_schema") }
      } else {
        queue = try DatabaseQueue(
          path: Self.address(of: original) + "?immutable=1", configuration: Self.configuration(true))
      }
    } catch {
      throw SQLiteSource.error(error, file: path)
    }
  }

  deinit { try? queue.close() }

  /// The ends of the names of a database's files that are looked at: it may have a write-ahead log, or an interrupted write.
  package static let suffixes = ["", "-wal", "-journal"]

  /// Whether the database at `path` has a write-ahead log. If so, a copy of both is opened.
  package static func hasLog(_ path: String) -> Bool { size((OpenFile.target(of: path) ?? path) + "-wal") > 0 }

  /// A path as a URI, in which its octets need not be UTF-8. Every octet that could mean something there is escaped.
  package static func address(of path: String) -> String {
    let octets = FileName.octets(of: path).map { octet in
      switch octet {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
        UInt8(ascii: "_"):
        String(Unicode.Scalar(octet))
      default: (octet < 16 ? "%0" : "%") + String(octet, radix: 16)
      }
    }
    return (path.hasPrefix("/") ? "file://" : "file:./") + octets.joined()
  }

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

  private static func size(_ path: String) -> Int { OpenFile.status(at: path).map { Int($0.size) } ?? 0 }

  /// Whether the journal has a header. A finished transaction invalidates it.
  private static func isHot(journal path: String) -> Bool {
    guard size(path) > 0 else { return false }
    guard let journal = try? OpenFile.reading(path), let head = try? journal.next(8) else { return true }
    return head == [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
  }

  private static func copied(_ original: String, named path: String) throws(ReadingError) -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sniffer-log-\(UUID().uuidString)")
    do throws(Errno) {
      try OpenFile.makeFolder(folder.path)
      let copies = try OpenFile.folder(folder.path)
      for suffix in ["", "-wal"] {
        let file = try OpenFile.reading(original + suffix)
        let copy = try copies.createFile("log" + suffix)
        while case let octets = try file.next(1 << 20), !octets.isEmpty {
          try octets.withOctets { octets throws(Errno) in try copy.write(octets) }
        }
        try copy.close()
      }
    } catch {
      try? FileManager.default.removeItem(at: folder)
      throw ReadingError(file: path, "its write-ahead log cannot be copied to read it: \(error)")
    }
    return folder
  }
}
