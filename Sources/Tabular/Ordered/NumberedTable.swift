import Packets
import SystemPackage

/// A table in a file of its own whose rows have numbers, come in any order, and stand in the order of their numbers when
/// the file is finished.
///
/// The table of a finished run holds rows back until it is their turn. That of a run that goes on appends them as they
/// come, so that whatever happens to the run, the file has whole rows; they are put in order at the end.
package struct NumberedTable: ~Copyable {
  private let name: String
  private let header: [UInt8]
  private let prefix: [UInt8]
  private let folder: OutputFolder
  private let isLive: Bool
  private var file: OutputFile
  /// The rows of a run that does not go on; empty otherwise.
  private var rows: OrderedRows
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
  }

  /// Adds the row of `number`, which is from 1 on and comes once.
  ///
  /// - Throws: when it cannot be written, the first time only unless the run goes on.
  package mutating func add(_ number: Int, _ row: RawSpan) throws(ReportError) {
    guard isOpen else { return }
    if isLive { return try file.append(row) }
    do throws(ReportError) { try rows.add(number, row) } catch {
      isOpen = false
      throw error
    }
  }

  /// Hands what has been appended to the operating system.
  package func flush() throws(ReportError) { try file.flush() }

  /// Starts the file anew, if somebody has moved it away; otherwise goes on in it.
  package mutating func reopen() throws(ReportError) {
    try file.flush()
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
    let file = try folder.file(name)
    try file.append(header)
    if isLive { try file.flush() }
    return file
  }

  private func replaceInOrder() throws(ReportError) {
    try file.finishAppending()
    let lines = NumberedLines(file, prefix: prefix)
    try folder.replace(name) { ordered throws(ReportError) in
      try ordered.append(header)
      var rows = OrderedRows(file: ordered, folder: folder)
      try lines.forEach { number, line throws(ReportError) in try rows.add(number, line) }
      try rows.writeAll()
    }
  }
}

/// The rows of a file of our own, which has no line break inside a row: the escaping sees to that.
private struct NumberedLines {
  private static let bufferLength = 256 << 10
  private let file: OutputFile
  private let prefix: [UInt8]

  init(_ file: OutputFile, prefix: [UInt8]) {
    self.file = file
    self.prefix = prefix
  }

  /// Hands over each row that starts with a number, with its line end; a row that was not written to its end is left out.
  func forEach(_ body: (Int, RawSpan) throws(ReportError) -> Void) throws(ReportError) {
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
        if let number = number(buffer[start...end]) {
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
