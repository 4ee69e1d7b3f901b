/// A numbered table of a run that goes on: rows are appended as they come, and put in order at the end.
///
/// Whatever happens to the run, the file has whole rows, in the order in which they became final.
struct CSVJournal {
  private let name: String
  private let columns: [String]
  private let folder: OutputFolder
  private var file: OutputFile

  init(_ name: String, _ columns: [String], in folder: OutputFolder, _ row: inout CSVRow) throws(ReportError) {
    self.name = name
    self.columns = columns
    self.folder = folder
    file = try folder.file(name)
    try row.header(columns, to: file)
    try file.flush()
  }

  /// Appends a row.
  func append(_ row: ArraySlice<UInt8>) throws(ReportError) { try file.append(row) }

  /// Hands what has been appended to the operating system.
  func flush() throws(ReportError) { try file.flush() }

  /// Starts the file anew, if somebody has moved it away; otherwise goes on in it.
  mutating func reopen(_ row: inout CSVRow) throws(ReportError) {
    try file.flush()
    guard !folder.has(file, as: name) else { return }
    try file.close()
    self = try CSVJournal(name, columns, in: folder, &row)
  }

  /// Puts the rows in the order of their numbers and closes the file.
  func finish(_ row: inout CSVRow) throws(ReportError) {
    try file.finishAppending()
    let lines = CSVLines(file)
    var header = row
    try folder.replace(name) { ordered throws(ReportError) in
      try header.header(columns, to: ordered)
      var rows = OrderedRows(file: ordered, folder: folder)
      try lines.forEachNumbered { number, line throws(ReportError) in try rows.add(number, line) }
      try rows.writeAll()
    }
    row = header
  }
}

/// The rows of a CSV file of our own, which has no line break inside a row: the escaping sees to that.
struct CSVLines {
  private static let bufferLength = 256 << 10
  private let file: OutputFile

  init(_ file: OutputFile) { self.file = file }

  /// Hands over each row that starts with a number, with its line end; a row that was not written to its end is left
  /// out.
  func forEachNumbered(_ body: (Int, ArraySlice<UInt8>) throws(ReportError) -> Void) throws(ReportError) {
    var buffer = [UInt8](repeating: 0, count: Self.bufferLength)
    var count = 0
    var offset = 0
    while true {
      let read: Int
      do throws(SystemError) { read = try file.descriptor.read(into: &buffer, from: count, at: offset) } catch {
        throw ReportError(.read, file.path, error)
      }
      guard read > 0 else { return }
      offset += read
      count += read
      var start = 0
      while let end = buffer[start..<count].firstIndex(of: UInt8(ascii: "\n")) {
        let line = buffer[start...end]
        if let number = Self.number(line) { try body(number, line) }
        start = end + 1
      }
      // The rest of a row moves to the front; a row longer than the buffer makes it longer.
      buffer.replaceSubrange(0..<count - start, with: Array(buffer[start..<count]))
      count -= start
      if count == buffer.count { buffer += Array(repeating: 0, count: buffer.count) }
    }
  }

  private static func number(_ line: ArraySlice<UInt8>) -> Int? {
    Int(String(decoding: line.prefix { $0 != UInt8(ascii: ",") }, as: UTF8.self))
  }
}
