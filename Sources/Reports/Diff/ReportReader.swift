import Shared
import SystemPackage
import TableReading
import Tabular

/// Reads the APIs of a report: a folder with `report.sqlite` or `apis.csv`, or one of these files.
///
/// It has two steps, and the process can be confined between them. The first copies and opens a database with a write-ahead log,
/// which needs a folder. The second opens everything else.
package struct ReportReader {
  private let path: String
  /// The name of the report.
  private let name: String
  private let source: SQLiteSource?

  /// Reads a report at once.
  package static func read(_ path: String) throws(ReadingError) -> ReportedAPIs { try ReportReader(path).read() }

  /// Looks for a report.
  ///
  /// - Parameter path: The folder or the file. If a folder has both, the database is read, because it has the facts about the
  ///   run.
  /// - Throws: When there is no report that this program reads.
  package init(_ path: String) throws(ReadingError) {
    let file = try Self.find(path)
    guard OpenFile.status(at: file)?.type == .regular else {
      throw ReadingError(file: file, "is not a regular file")
    }
    self.path = file
    name = path
    source = SQLiteSource.hasLog(file) ? try SQLiteReportReader.open(file) : nil
  }

  /// The file of a report.
  private static func find(_ path: String) throws(ReadingError) -> String {
    guard let status = OpenFile.status(at: path) else {
      throw ReadingError(file: path, "there is no such file or folder, or this user may not see it")
    }
    guard status.type == .directory else { return path }
    let folder = path.hasSuffix("/") ? path : path + "/"
    for name in [SQLiteReport.fileName, TotalTable.apis.rawValue + ".csv"]
    where OpenFile.status(at: folder + name) != nil {
      return folder + name
    }
    throw ReadingError(
      file: path, "has neither apis.csv nor report.sqlite; is it a folder that --output wrote, as csv or sqlite?")
  }

  /// Reads the report.
  ///
  /// - Throws: When it is not a report that this program reads.
  package func read() throws(ReadingError) -> ReportedAPIs {
    if let source { return try SQLiteReportReader(path: path, name: name).read(source) }
    guard let kind = try Self.kind(of: path) else {
      throw ReadingError(
        file: path,
        "is not a report; expected what sniffer wrote with --output: a folder, its apis.csv or its report.sqlite")
    }
    switch kind {
    case .database: return try SQLiteReportReader(path: path, name: name).read()
    case .table:
      let (hosts, anomalies) = (Self.readable(.hosts, beside: path), Self.readable(.anomalies, beside: path))
      return try CSVReportReader(path: path, name: name, hostsPath: hosts, anomaliesPath: anomalies).read()
    }
  }

  /// The tables that may be beside a table of APIs, and are read with it; none for a path of another name.
  package static func files(beside path: String) -> [String] {
    [TotalTable.hosts, .anomalies].compactMap { file($0, beside: path) }
  }

  private static func file(_ table: TotalTable, beside path: String) -> String? {
    guard path.hasSuffix(TotalTable.apis.rawValue + ".csv") else { return nil }
    return FileName.split(path).folder + table.rawValue + ".csv"
  }

  private static func readable(_ table: TotalTable, beside path: String) -> String? {
    file(table, beside: path).flatMap { (try? OpenFile.reading($0)) == nil ? nil : $0 }
  }

  /// The storage of a report.
  private enum Kind {
    case database
    case table
  }

  /// Whether a path leads to a regular file that is not a report, and so may be a capture.
  package static func isOtherFile(_ path: String) -> Bool {
    guard OpenFile.status(at: path)?.type == .regular else { return false }
    do throws(ReadingError) { return try kind(of: path) == nil } catch { return false }
  }

  /// The kind of a file by its first octets; nil for other files.
  private static func kind(of path: String) throws(ReadingError) -> Kind? {
    let file: OpenFile
    do throws(Errno) { file = try OpenFile.reading(path) } catch {
      throw ReadingError(file: path, "cannot be opened; may this user read it?")
    }
    let head = (try? file.next(16)) ?? []
    if head.starts(with: Array("SQLite format 3\0".utf8)) { return .database }
    let text = head.starts(with: [0xef, 0xbb, 0xbf]) ? head.dropFirst(3) : head[...]
    return text.starts(with: Array("host".utf8)) ? .table : nil
  }
}
