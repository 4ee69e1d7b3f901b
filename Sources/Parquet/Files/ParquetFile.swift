import Packets
import Tabular

/// A Parquet file of one table, written row by row from its start to its end.
///
/// Rows form row groups. The cells of each column form pages, which are encoded and compressed when they are full. So a table of any length
/// takes only the memory for one row group's pages. The same rows make the same octets.
package struct ParquetFile: ~Copyable {
  /// The most rows of a row group.
  package static let groupRows = 131_072
  /// Octets of pages after which a row group ends.
  package static let groupOctets = 8 << 20

  private static let magic = Array("PAR1".utf8)

  private let file: OutputFile
  private let columns: [ParquetColumn]
  private let compressor = FrameCompressor()
  private var chunks: [ColumnChunk]
  private var pageRows = 0
  private var groupRowCount = 0
  private var rowCount = 0
  private var isTextPageFull = false
  /// The `RowGroup`s of the metadata, and their number.
  private var groups: [UInt8] = []
  private var groupCount = 0
  /// A required column that got no value in a row.
  private var lacking: Int?

  /// Begins an empty file.
  package init(_ file: OutputFile, _ columns: [ParquetColumn]) throws(ReportError) {
    self.file = file
    self.columns = columns
    chunks = columns.map { ColumnChunk($0) }
    try file.append(Self.magic)
  }

  /// Adds a null to a column.
  package mutating func appendNull(_ column: Int) {
    guard columns[column].isOptional else { return lacking = column }
    chunks[column].appendNull()
  }

  /// Adds a number to a column of whole numbers, times or millionths.
  package mutating func append(_ value: Int64, _ column: Int) { chunks[column].append(value) }

  /// Adds a UTF-8 text to a column of text.
  package mutating func append(_ text: RawSpan, _ column: Int) {
    chunks[column].append(text)
    if chunks[column].isPageFull { isTextPageFull = true }
  }

  /// Ends a row. Each column must have got one cell.
  ///
  /// - Throws: if the file cannot be written, or a required column lacks a value.
  package mutating func endRow() throws(ReportError) {
    if let lacking {
      throw ReportError(.write, file.path, reason: "A row has no value for the column \(columns[lacking].name)")
    }
    pageRows += 1
    groupRowCount += 1
    rowCount += 1
    if pageRows == ColumnChunk.pageRows || groupRowCount == Self.groupRows {
      try endPages { _ in true }
      pageRows = 0
    } else if isTextPageFull {
      try endPages { $0.isPageFull }
    } else {
      return
    }
    isTextPageFull = false
    if groupRowCount == Self.groupRows || chunks.reduce(0, { $0 + $1.length }) >= Self.groupOctets { try endGroup() }
  }

  private mutating func endPages(where isWanted: (ColumnChunk) -> Bool) throws(ReportError) {
    for index in chunks.indices where isWanted(chunks[index]) {
      guard chunks[index].endPage(compressor) else { throw compressionError }
    }
  }

  private var compressionError: ReportError {
    ReportError(.write, file.path, reason: "There is no memory to compress it")
  }

  private mutating func endGroup() throws(ReportError) {
    guard groupRowCount > 0 else { return }
    try endPages { _ in true }
    let start = file.length
    var descriptions: [UInt8] = []
    var (length, uncompressedLength) = (0, 0)
    for index in chunks.indices {
      guard let chunk = chunks[index].finished(at: start + length, compressor) else { throw compressionError }
      chunks[index] = ColumnChunk(columns[index])
      try file.append(chunk.dictionaryPage)
      try file.append(chunk.pages)
      descriptions += chunk.description
      length += chunk.length
      uncompressedLength += chunk.uncompressedLength
    }
    var thrift = CompactWriter()
    thrift.structure {
      $0.structures(1, count: columns.count, written: descriptions)
      $0.integer64(2, uncompressedLength)
      $0.integer64(3, groupRowCount)
      $0.integer64(5, start)
      $0.integer64(6, length)
      $0.integer16(7, Int16(truncatingIfNeeded: groupCount))
    }
    groups += thrift.octets
    groupCount += 1
    groupRowCount = 0
    pageRows = 0
  }

  /// Ends the file.
  ///
  /// - Parameters:
  ///   - creator: The program that wrote it, with its version.
  ///   - facts: Names and values about the table, for people and programs.
  /// - Throws: if the file cannot be written.
  package mutating func finish(creator: String, facts: [(name: String, value: String)]) throws(ReportError) {
    try endGroup()
    var thrift = CompactWriter()
    thrift.structure { file in
      file.integer32(1, 2)
      file.structures(2, count: columns.count + 1) { element, index in
        guard index > 0 else {
          element.text(4, "table")
          return element.integer32(5, Int32(columns.count))
        }
        columns[index - 1].describe(to: &element)
      }
      file.integer64(3, rowCount)
      file.structures(4, count: groupCount, written: groups)
      file.structures(5, count: facts.count) {
        $0.text(1, facts[$1].name)
        $0.text(2, facts[$1].value)
      }
      file.text(6, creator)
      // The order is the one that each type defines: texts by their octets, numbers by value with their sign.
      file.structures(7, count: columns.count) { order, _ in order.empty(1) }
    }
    try file.append(thrift.octets)
    var end: [UInt8] = []
    end.append(littleEndian: UInt64(thrift.octets.count), count: 4)
    try file.append(end + Self.magic)
  }
}
