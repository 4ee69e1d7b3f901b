import Packets
import SystemPackage

/// A table in a file of its own whose rows have numbers, come in any order, and stand in the order of their numbers when
/// the file is finished.
///
/// The table of a finished run holds rows back until it is their turn. That of a run that goes on appends them as they
/// come, so that whatever happens to the run, the file has whole rows; they are put in order at the end. Rows that another
/// table shows meanwhile (`holdBack`) are appended when that table is replaced.
package struct NumberedTable: ~Copyable {
  private let name: String
  private let header: [UInt8]
  private let prefix: [UInt8]
  private let folder: OutputFolder
  private let isLive: Bool
  private var file: OutputFile
  /// The rows of a run that does not go on; empty otherwise.
  private var rows: OrderedRows
  /// Of a run that goes on, the rows that are not in the file yet, because another table shows them.
  private var held: HeldRows
  /// Whether rows are still accepted: none are after the end, and none after an error unless the run goes on.
  package private(set) var isOpen = true

  /// Creates the file; a file of that name is replaced.
  ///
  /// - Parameters:
  ///   - name: The file's name.
  ///   - folder: The folder for it and for its temporary files.
  ///   - header: What the file begins with; no row does.
  ///   - prefix: What stands in each row before its number.
  ///   - isLive: Whether the run goes on, and its rows are looked for before it ends.
  ///   - memoryLimit: Octets of rows that wait in memory, in `OrderedRows`.
  ///   - runLimit: Temporary files that are open at once, in `OrderedRows`.
  /// - Throws: when the file cannot be created or written.
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

  /// The table of a finished run in a file that is open already.
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

  /// Adds the row of `number`, which is from 1 on and comes once.
  ///
  /// - Throws: when it cannot be written, the first time only unless the run goes on.
  package mutating func add(_ number: Int, _ row: RawSpan) throws(ReportError) {
    guard isOpen else { return }
    if isLive { return try number > held.last ? file.append(row) : held.append(row) }
    do throws(ReportError) { try rows.add(number, row) } catch {
      isOpen = false
      throw error
    }
  }

  /// Hands what has been appended to the operating system, with the rows that were held back.
  package mutating func flush() throws(ReportError) {
    try held.release(to: file)
    try file.flush()
  }

  /// Another table shows rows of the numbers up to `last` from now on: when they come, they are held back until the next
  /// `flush`, so that no row is in both tables. Later ones are in this table alone, and are appended as they come.
  package mutating func holdBack(upTo last: Int) { held.last = last }

  /// Starts the file anew, if somebody has moved it away; otherwise goes on in it.
  package mutating func reopen() throws(ReportError) {
    try flush()
    guard !folder.has(file, as: name) else { return }
    try file.close()
    file = try Self.started(name, in: folder, header: header, isLive: isLive)
  }

  /// Puts all rows in order and closes the file. Later rows are left out.
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

  /// The number that a row starts with, after the same prefix as all; nil for the header.
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
