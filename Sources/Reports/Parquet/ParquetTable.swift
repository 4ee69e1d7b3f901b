import Packets
import Parquet
import Tabular

/// A Parquet file whose rows have numbers and come in any order. The file has them in the order of their numbers.
///
/// A Parquet file has its columns one after another, and can be read only when its end is written. So the rows wait in a file
/// without a name, and the table is written from it at the end. In a live run the whole table is also written in between.
struct ParquetTable: RowTable, ~Copyable {
  /// The largest number of octets of rows for which each `flush` of a live run writes the table: a fraction of a second's work.
  /// Longer tables are written when the run ends, or on request (`reopen`).
  static let flushLimit = 16 << 20

  private let name: String
  private let columns: [ParquetColumn]
  private let folder: OutputFolder
  private let isLive: Bool
  /// The rows. In a run that is not live, they are in order after all of them were given to `ordered`.
  private var file: OutputFile
  private var ordered: OrderedRows
  /// Octets of the rows that are already in the table.
  private var written = 0
  /// Whether rows are still accepted: none after the end, and none after an error.
  private(set) var isOpen = true

  /// Makes a table whose file exists already (`createEmpty`).
  ///
  /// - Parameters:
  ///   - name: The table's name.
  ///   - columns: Its columns; the first one has the rows' numbers.
  ///   - folder: The folder of the table, and of the files without names.
  ///   - isLive: Whether the run is live, and its rows are read before it ends.
  /// - Throws: When a file cannot be made.
  init(
    _ name: String, _ columns: [TableColumn], in folder: OutputFolder, isLive: Bool
  ) throws(ReportError) {
    self.name = name
    self.columns = columns.ofParquet
    self.folder = folder
    self.isLive = isLive
    let file = try folder.temporaryFile()
    self.file = file
    ordered = OrderedRows(file: file, folder: folder)
  }

  /// Makes a file without rows, in place of a regular file of that name.
  static func createEmpty(
    _ name: String, _ columns: [ParquetColumn], in folder: OutputFolder, _ facts: ParquetFacts
  ) throws(ReportError) {
    let file = try folder.file(fileName(name))
    var parquet = try ParquetFile(file, columns)
    try parquet.finish(creator: facts.creator, facts: facts.all(of: name))
    try file.close()
  }

  /// The name of a table's file.
  static func fileName(_ table: String) -> String { table + ".parquet" }

  /// Adds the row of `number`, which is at least 1 and comes once.
  mutating func add(_ number: Int, _ row: RawSpan) throws(ReportError) {
    guard isOpen else { return }
    do throws(ReportError) {
      if isLive { try file.append(row) } else { try ordered.add(number, row) }
    } catch {
      isOpen = false
      throw error
    }
  }

  /// Brings the table of a live run up to date while it is short, if it is still in its place.
  mutating func flush(_ facts: ParquetFacts) throws(ReportError) {
    guard isOpen, isLive, file.length > written, file.length <= Self.flushLimit,
      folder.contains(Self.fileName(name))
    else { return }
    try write(facts)
  }

  /// Brings the table of a live run up to date, whatever its length. If it was moved away, it is started anew with the rows that
  /// were not in it.
  mutating func reopen(_ facts: ParquetFacts) throws(ReportError) {
    guard isOpen, isLive else { return }
    try leaveMovedRows()
    try write(facts)
  }

  /// Writes the table. Later rows are left out.
  mutating func finish(_ facts: ParquetFacts) throws(ReportError) {
    guard isOpen else { return }
    isOpen = false
    if isLive { try leaveMovedRows() } else { try ordered.writeAll() }
    try write(facts)
  }

  /// Forgets the rows of a table that was moved away.
  private mutating func leaveMovedRows() throws(ReportError) {
    guard written > 0, !folder.contains(Self.fileName(name)) else { return }
    try file.finishAppending()
    let rest = try folder.temporaryFile()
    try FileRecords(file, from: written).forEach { row throws(ReportError) in try rest.append(row) }
    file = rest
    written = 0
  }

  private mutating func write(_ facts: ParquetFacts) throws(ReportError) {
    try file.finishAppending()
    let rows = isLive ? try inOrder() : file
    let (columns, kinds, name) = (columns, columns.map(\.kind), name)
    try folder.replace(Self.fileName(name)) { target throws(ReportError) in
      var parquet = try ParquetFile(target, columns)
      try FileRecords(rows).forEach { row throws(ReportError) in try parquet.append(row, kinds: kinds) }
      try parquet.finish(creator: facts.creator, facts: facts.all(of: name))
    }
    written = file.length
  }

  /// The rows in the order of their numbers.
  private func inOrder() throws(ReportError) -> OutputFile {
    let sorted = try folder.temporaryFile()
    var ordered = OrderedRows(file: sorted, folder: folder)
    try FileRecords(file).forEach { row throws(ReportError) in
      // The number is after both lengths and the first cell's octet.
      try ordered.add(Int(truncatingIfNeeded: row.littleEndian64(FileRecords.prefixLength * 2 + 1)), row)
    }
    try ordered.writeAll()
    try sorted.finishAppending()
    return sorted
  }
}

/// The facts in a Parquet file about itself: the same as in `meta` of the database.
struct ParquetFacts {
  /// The version of the tables. It grows when a table or a column changes its meaning or goes away; additions do not change it.
  static let schemaVersion = 1

  private let context: ReportContext
  /// The times of the first and the last packet, in nanoseconds since the Unix epoch.
  var span: ClosedRange<Int64>?
  /// Whether the run came to its end.
  var isComplete = false

  init(_ context: ReportContext) { self.context = context }

  /// The program with its version, in the form that readers expect.
  var creator: String { "sniffer version \(context.toolVersion)" }

  /// Names and values.
  func all(of table: String) -> [(name: String, value: String)] {
    var facts =
      context.facts + [
        ("table", table), ("schema_version", "\(Self.schemaVersion)"), ("complete", isComplete ? "1" : "0"),
      ]
    if let span { facts += [("first_time", "\(span.lowerBound)"), ("last_time", "\(span.upperBound)")] }
    return facts.map { ("sniffer." + $0.name, $0.value) }
  }
}
