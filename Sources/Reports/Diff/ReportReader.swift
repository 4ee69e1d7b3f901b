import Foundation
import TableReading

/// Reads the APIs of a report: a folder with `apis.csv` or `report.sqlite`, or one of these files.
package enum ReportReader {
  /// Reads a report.
  ///
  /// - Parameter path: The folder or the file. Of a folder that has both, the CSV file is read.
  /// - Returns: Its APIs.
  /// - Throws: when there is no report that this program reads.
  package static func read(_ path: String) throws(ReadingError) -> ReportedAPIs {
    var isFolder: ObjCBool = false
    let exists = unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
    guard exists else { throw ReadingError(file: path, "there is no such file or folder, or this user may not see it") }
    guard isFolder.boolValue else { return try file(path, name: path) }
    let folder = path.hasSuffix("/") ? path : path + "/"
    for name in [APIRow.name + ".csv", SQLiteReport.fileName]
    where FileManager.default.fileExists(atPath: folder + name) {
      return try file(folder + name, name: path)
    }
    throw ReadingError(
      file: path, "has neither apis.csv nor report.sqlite; is it a folder that --output wrote, as csv or sqlite?")
  }

  private static func file(_ path: String, name: String) throws(ReadingError) -> ReportedAPIs {
    let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let type = (try? FileManager.default.attributesOfItem(atPath: target))?[.type] as? FileAttributeType
    guard type == .typeRegular else { throw ReadingError(file: path, "is not a regular file") }
    guard let handle = FileHandle(forReadingAtPath: path) else {
      throw ReadingError(file: path, "cannot be opened; may this user read it?")
    }
    let head = Array((try? handle.read(upToCount: 16)) ?? Data())
    try? handle.close()
    if head.starts(with: Array("SQLite format 3\0".utf8)) {
      return try SQLiteReportReader(path: path, name: name).read()
    }
    let text = head.starts(with: [0xef, 0xbb, 0xbf]) ? head.dropFirst(3) : head[...]
    guard text.starts(with: Array("host".utf8)) else {
      throw ReadingError(
        file: path,
        "is no report; expected what sniffer wrote with --output: a folder, its apis.csv or its report.sqlite")
    }
    return try CSVReportReader(path: path, name: name).read()
  }
}
