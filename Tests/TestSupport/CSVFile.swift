/// A CSV file as RFC 4180 defines it, read without any leniency: what a careless reader would let pass is an error.
package struct CSVFile: Sendable {
  /// How lines end. RFC 4180 knows CR LF only; `lineFeed` is for files of other programs.
  package enum LineEnd: Sendable {
    case carriageReturnLineFeed
    case lineFeed
  }

  /// One row after the header.
  package struct Row: Sendable {
    /// The cells, unquoted.
    package let cells: [String]
    fileprivate let positions: [String: Int]

    /// A cell by the name of its column; nil if there is no such column.
    package func cell(_ column: String) -> String? { positions[column].map { cells[$0] } }

    /// A cell by the name of its column; empty if there is no such column.
    package subscript(_ column: String) -> String { cell(column) ?? "" }

    /// An integer by the name of its column; an empty cell counts as 0.
    package func integer(_ column: String) -> Int { Int(self[column]) ?? 0 }
  }

  /// The names of the columns.
  package let header: [String]
  /// The rows after the header.
  package let rows: [Row]

  /// Reads a file with a header row.
  package init(_ octets: [UInt8], lineEnd: LineEnd = .carriageReturnLineFeed) throws(CSVError) {
    var parser = CSVParser(octets: octets, lineEnd: lineEnd)
    header = try parser.record() ?? []
    var positions: [String: Int] = [:]
    for (position, name) in header.enumerated() {
      guard positions.updateValue(position, forKey: name) == nil else {
        throw CSVError(line: 1, problem: "column \(name) twice")
      }
    }
    var rows: [Row] = []
    while let cells = try parser.record() {
      guard cells.count == header.count else {
        throw CSVError(line: parser.line, problem: "\(cells.count) cells under \(header.count) columns")
      }
      rows.append(Row(cells: cells, positions: positions))
    }
    self.rows = rows
  }
}

/// Why a file is not CSV.
package struct CSVError: Error, Sendable, CustomStringConvertible {
  /// The line, from 1.
  package let line: Int
  /// What is wrong there.
  package let problem: String

  package var description: String { "line \(line): \(problem)" }
}

/// Reads record after record.
private struct CSVParser {
  let octets: [UInt8]
  let lineEnd: CSVFile.LineEnd
  /// The line of the last record.
  var line = 0
  private var position = 0

  init(octets: [UInt8], lineEnd: CSVFile.LineEnd) {
    self.octets = octets
    self.lineEnd = lineEnd
  }

  /// The next record; nil at the end. Every record has to end with a line end, the last one too.
  mutating func record() throws(CSVError) -> [String]? {
    guard position < octets.count else { return nil }
    line += 1
    var cells: [String] = []
    while true {
      let cell = try octets[position] == UInt8(ascii: "\"") ? quoted() : plain()
      guard let text = String(validating: cell, as: UTF8.self) else { throw error("a cell is not UTF-8") }
      cells.append(text)
      guard octets[position...].first == UInt8(ascii: ",") else {
        try endLine()
        return cells
      }
      position += 1
      guard position < octets.count else { throw error("the file ends after a comma") }
    }
  }

  private mutating func plain() throws(CSVError) -> [UInt8] {
    let start = position
    while position < octets.count, octets[position] != UInt8(ascii: ","), octets[position] != 0x0d,
      octets[position] != 0x0a
    {
      guard octets[position] != UInt8(ascii: "\"") else { throw error("a quote in a cell without quotes") }
      guard octets[position] >= 0x20, octets[position] != 0x7f else { throw error("a control character") }
      position += 1
    }
    return Array(octets[start..<position])
  }

  private mutating func quoted() throws(CSVError) -> [UInt8] {
    var cell: [UInt8] = []
    position += 1
    while position < octets.count {
      if octets[position] == UInt8(ascii: "\"") {
        position += 1
        guard octets[position...].first == UInt8(ascii: "\"") else { return cell }
      }
      cell.append(octets[position])
      position += 1
    }
    throw error("a quote that does not end")
  }

  private mutating func endLine() throws(CSVError) {
    let end: [UInt8] = lineEnd == .lineFeed ? [0x0a] : [0x0d, 0x0a]
    guard octets[position...].starts(with: end) else { throw error("a cell or line that ends in the wrong way") }
    position += end.count
  }

  private func error(_ problem: String) -> CSVError { CSVError(line: line, problem: problem) }
}
