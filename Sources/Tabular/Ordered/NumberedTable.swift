import Packets
import SystemPackage

/// A file of numbered rows, which come in any order and end up in the order of their numbers.
///
/// In a finished run's table, rows wait for their turn. A live run's table appends them as they come, so that the file always has whole
/// rows, and sorts them at the end. Rows that another table shows meanwhile (`holdBack`) are appended when that table is replaced.
package struct NumberedTable: ~Copyable {
  private let name: String
  private let header: [UInt8]
  private let prefix: [UInt8]
  private let folder: OutputFolder
  private let isLive: Bool
  private var file: OutputFile
  /// The rows of a run that is not live; empty otherwise.
  private var rows: OrderedRows
  /// In a live run, the rows that are not in the file yet because another table shows them.
  private var held: HeldRows
  /// Whether rows are still accepted. It is false after the end, and after an error if the run is not live.
  package private(set) var isOpen = true

  /// Creates the file. A file of that name is replaced.
  ///
  /// - Parameters:
  ///   - name: The file's name.
  ///   - folder: The folder for the file and for temporary files.
  ///   - header: The start of the file; no row may start with it.
  ///   - prefix: The start of each row before its number.
  ///   - isLive: Whether the run is live, so that its rows are read before it ends.
  ///   - memoryLimit: Octets of rows that wait in memory, for `OrderedRows`.
  ///   - runLimit: Temporary files that are open at once, for `OrderedRows`.
  /// - Throws: if the file cannot be created or written.
  package init(
    _ name: String, in folder: OutputFolder, header: [UInt8] = [], prefix: [UInt8] = [], isLive: Bool = false,
    memoryLimit: Int = OrderedRows.memoryLimit, runLimit: Int = OrderedRows.runLimit
  ) throws(ReportError) {
    file = try Self.started(name, in: folder, header: header, isLive: isLive)
    self.name = name
    self.header = header
    self.prefix = prefix
    self.folder = folder
    self.isLive = isLive
    rows = OrderedRows(file: file, folder: folder, memoryLimit: memoryLimit, runLimit: runLimit)
    held = HeldRows(in: folder)
  }

  /// Creates the table of a finished run in an open file.
  init(_ file: OutputFile, in folder: OutputFolder) {
    name = ""
    header = []
    prefix = []
    self.folder = folder
    isLive = false
    self.file = file
    rows = OrderedRows(file: file, folder: folder)
    held = HeldRows(in: folder)
  }

  /// Adds the row of `number`, which is at least 1 and comes only once.
  ///
  /// - Throws: if the row cannot be written. Unless the run is live, only the first error is thrown.
  package mutating func add(_ number: Int, _ row: RawSpan) throws(ReportError) {
    guard isOpen else { return }
    if isLive { return try number > held.last ? file.append(row) : held.append(row) }
    do throws(ReportError) { try rows.add(number, row) } catch {
      isOpen = false
      throw error
    }
  }

  /// Writes out the appended rows and the held rows.
  package mutating func flush() throws(ReportError) {
    try held.release(to: file)
    try file.flush()
  }

  /// Holds back rows up to number `last`, which another table shows. They wait for the next `flush`, so that no row is in both tables.
  /// Later rows are only in this table, and are appended as they come.
  package mutating func holdBack(upTo last: Int) { held.last = last }

  /// Starts a new file if the old one was moved away; otherwise continues it.
  package mutating func reopen() throws(ReportError) {
    try flush()
    guard !folder.has(file, as: name) else { return }
    try file.close()
    file = try Self.started(name, in: folder, header: header, isLive: isLive)
  }

  /// Sorts all rows and closes the file. Later rows are left out.
  package mutating func finish() throws(ReportError) {
    guard isOpen else { return }
    isOpen = false
    if isLive { try replaceInOrder() } else { try rows.finish() }
  }

  private static func started(
    _ name: String, in folder: OutputFolder, header: [UInt8], isLive: Bool
  ) throws(ReportError) -> OutputFile {
    let file = try folder.file(name, hasLines: isLive)
    try file.append(header)
    if isLive { try file.flush() }
    return file
  }

  private mutating func replaceInOrder() throws(ReportError) {
    try held.release(to: file)
    try file.finishAppending()
    let lines = FileLines(file)
    let (folder, header, prefix) = (folder, header, prefix)
    try folder.replace(name) { ordered throws(ReportError) in
      try ordered.append(header)
      var rows = OrderedRows(file: ordered, folder: folder)
      try lines.forEach { line throws(ReportError) in
        if let number = Self.number(of: line, after: prefix) { try rows.add(number, line) }
      }
      try rows.writeAll()
    }
  }

  /// The number at the start of a row, after the common prefix; nil for the header.
  private static func number(of line: RawSpan, after prefix: [UInt8]) -> Int? {
    guard line.byteCount > prefix.count else { return nil }
    for index in prefix.indices where line.octet(index) != prefix[index] { return nil }
    var number: Int?
    for index in prefix.count..<line.byteCount {
      guard case let digit = line.octet(index), (0x30...0x39).contains(digit) else { break }
      let (tens, overflows) = (number ?? 0).multipliedReportingOverflow(by: 10)
      guard !overflows, case let (sum, isBeyond) = tens.addingReportingOverflow(Int(digit - 0x30)), !isBeyond else {
        return nil
      }
      number = sum
    }
    return number
  }
}
