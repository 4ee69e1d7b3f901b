import Packets
import SystemPackage

/// A table whose rows are numbered, that takes no more rows after an error or after it was finished.
package struct OrderedTable: ~Copyable {
  private var rows: OrderedRows
  /// Whether rows are still taken.
  package private(set) var isOpen = true

  package init(_ rows: consuming OrderedRows) { self.rows = rows }

  /// Adds the row of `number`; after the first error rows are left out.
  package mutating func add(_ number: Int, _ row: RawSpan) throws(ReportError) {
    guard isOpen else { return }
    do throws(ReportError) { try rows.add(number, row) } catch {
      isOpen = false
      throw error
    }
  }

  /// Writes what waits and closes the file.
  package mutating func finish() throws(ReportError) {
    guard isOpen else { return }
    isOpen = false
    try rows.finish()
  }
}

/// A numbered table of a run that goes on: rows are appended as they come, and put in order at the end.
///
/// Whatever happens to the run, the file has whole rows, in the order in which they became final.
package struct RowJournal {
  private let name: String
  private let header: [UInt8]
  private let prefix: [UInt8]
  private let folder: OutputFolder
  private var file: OutputFile

  /// Starts the file.
  ///
  /// - Parameters:
  ///   - name: The file's name.
  ///   - folder: Where it goes.
  ///   - header: What the file begins with; no row does.
  ///   - prefix: What stands in each row before its number.
  /// - Throws: when the file cannot be created or written.
  package init(
    _ name: String, in folder: OutputFolder, header: [UInt8] = [], prefix: [UInt8] = []
  ) throws(ReportError) {
    self.name = name
    self.header = header
    self.prefix = prefix
    self.folder = folder
    file = try folder.file(name)
    try file.append(header)
    try file.flush()
  }

  /// Appends a row.
  package func append(_ row: RawSpan) throws(ReportError) { try file.append(row) }

  /// Hands what has been appended to the operating system.
  package func flush() throws(ReportError) { try file.flush() }

  /// Starts the file anew, if somebody has moved it away; otherwise goes on in it.
  package mutating func reopen() throws(ReportError) {
    try file.flush()
    guard !folder.has(file, as: name) else { return }
    try file.close()
    self = try RowJournal(name, in: folder, header: header, prefix: prefix)
  }

  /// Puts the rows in the order of their numbers and closes the file.
  package func finish() throws(ReportError) {
    try file.finishAppending()
    let lines = RowLines(file, prefix: prefix)
    try folder.replace(name) { ordered throws(ReportError) in
      try ordered.append(header)
      var rows = OrderedRows(file: ordered, folder: folder)
      try lines.forEachNumbered { number, line throws(ReportError) in try rows.add(number, line) }
      try rows.writeAll()
    }
  }
}

/// The rows of a file of our own, which has no line break inside a row: the escaping sees to that.
private struct RowLines {
  private static let bufferLength = 256 << 10
  private let file: OutputFile
  private let prefix: [UInt8]

  init(_ file: OutputFile, prefix: [UInt8]) {
    self.file = file
    self.prefix = prefix
  }

  /// Hands over each row that starts with a number, with its line end; a row that was not written to its end is left
  /// out.
  func forEachNumbered(_ body: (Int, RawSpan) throws(ReportError) -> Void) throws(ReportError) {
    var buffer = [UInt8](repeating: 0, count: Self.bufferLength)
    var count = 0
    var offset = 0
    while true {
      let read: Int
      do throws(Errno) { read = try file.descriptor.read(into: &buffer, from: count, at: offset) } catch {
        throw ReportError(.read, file.path, error)
      }
      guard read > 0 else { return }
      offset += read
      count += read
      var start = 0
      while let end = buffer[start..<count].firstIndex(of: UInt8(ascii: "\n")) {
        let line = buffer[start...end]
        if let number = number(line) {
          try buffer.withOctets { all throws(ReportError) in try body(number, all.extracting(start..<end + 1)) }
        }
        start = end + 1
      }
      // The rest of a row moves to the front; a row longer than the buffer makes it longer.
      buffer.replaceSubrange(0..<count - start, with: Array(buffer[start..<count]))
      count -= start
      if count == buffer.count { buffer += Array(repeating: 0, count: buffer.count) }
    }
  }

  private func number(_ line: ArraySlice<UInt8>) -> Int? {
    guard line.starts(with: prefix) else { return nil }
    let digits = line.dropFirst(prefix.count).prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    return Int(String(decoding: digits, as: UTF8.self))
  }
}
