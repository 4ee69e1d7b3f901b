import Foundation
import TableReading

/// Reads a monitor's table from JSON: each object is a row, and its members are the columns. A member of an object inside of a row is a column,
/// too, whose name has the names on the way to it: `response.bytes`. Arrays inside of a row are left out.
///
/// The file is read twice: a column may begin in any row.
struct JSONTableLog {
  /// The place of the rows in the file.
  enum Rows: Equatable {
    /// One object a line.
    case lines
    /// The elements of an array.
    case elements(JSONElements.Place)
  }

  let log: JSONLog
  let rows: Rows

  /// Columns that a table may have.
  static let columnLimit = 1_000
  /// Octets that the names of all columns may have.
  static let nameLimit = 1 << 20

  func read() throws(LogError) -> AppLog {
    let (file, options) = (log.file.path, log.options)
    let columns = try columns()
    let positions = try positions(of: columns)
    let wanted = Set(positions.found.map(\.index)).sorted()
    let decoder = JSONCells.decoder(wanted.map { columns[$0] })

    var table = MonitorTable(columns: positions, options: options)
    var bad = BadRows()
    var count = 0
    try forEachRow { number, octets throws(LogError) in
      count += 1
      guard count <= options.rowLimit else {
        throw LogError(file: file, "has more than \(options.rowLimit) rows; split it")
      }
      do throws(RowProblem) {
        guard rows != .lines || octets.count <= CurlLog.longestLine else {
          throw RowProblem("has more than \(CurlLog.longestLine) bytes")
        }
        let row: JSONCells
        do { row = try decoder.decode(JSONCells.self, from: Data(octets)) } catch {
          throw RowProblem(JSONLog.words(error, in: "the row"))
        }
        try table.add(number) { found throws(RowProblem) in
          let cell = try wanted.firstIndex(of: found.index).map { slot throws(RowProblem) in try row.cells[slot].get() }
          if found.column == .path, cell == .absent { throw RowProblem(.path, expected: "a path", found: .absent) }
          return cell ?? .absent
        }
      } catch {
        bad.note("\(noun) \(number)", error)
      }
      try table.keep(of: file)
    }
    try bad.check(file: file, rows: count)
    var found = table.finished()
    found.hasLines = rows == .lines
    return found
  }

  /// The table for people if its columns are not known; else nil.
  func unknownTable() throws(LogError) -> LogTable? {
    let columns = try columns()
    let names = columns.map(\.name)
    if (try? ColumnPositions(header: names, columns: log.options.columns)) != nil { return nil }
    let decoder = JSONCells.decoder(columns)
    var samples: [[LogCell]] = []
    try forEachRow { _, octets throws(LogError) in
      guard samples.count < LogTable.sampleRows else { return }
      guard let row = try? decoder.decode(JSONCells.self, from: Data(octets)) else { return }
      samples.append(row.cells.map { (try? $0.get()) ?? .absent })
    }
    return LogTable(name: nil, columns: names, rows: samples)
  }

  private var noun: String { rows == .lines ? "line" : "row" }

  private func positions(of columns: [JSONColumn]) throws(LogError) -> ColumnPositions {
    do throws(RowProblem) {
      return try ColumnPositions(header: columns.map(\.name), columns: log.options.columns)
    } catch {
      throw LogError(file: log.file.path, "as a table of JSON objects: \(error.description)")
    }
  }

  /// The columns of all rows, in the order in which they come.
  private func columns() throws(LogError) -> [JSONColumn] {
    let decoder = JSONDecoder()
    var columns: [JSONColumn] = []
    var seen: Set<JSONColumn> = []
    var length = 0
    try forEachRow { _, octets throws(LogError) in
      // The second reading says which rows are no objects.
      guard let members = try? decoder.decode(JSONMembers.self, from: Data(octets)) else { return }
      for column in members.columns where seen.insert(column).inserted {
        columns.append(column)
        length += column.name.utf8.count
      }
      guard columns.count <= Self.columnLimit, length <= Self.nameLimit else {
        throw LogError(
          file: log.file.path,
          "has more than \(Self.columnLimit) members with names of their own in its objects, or names of more than "
            + "\(Self.nameLimit) bytes")
      }
      if let key = JSONMembers.key { decoder.userInfo[key] = seen }
    }
    return columns
  }

  private func forEachRow(_ body: (Int, [UInt8]) throws(LogError) -> Void) throws(LogError) {
    switch rows {
    case .elements(let place): try log.forEachElement(place, body)
    case .lines:
      var number = 0
      try log.file.forEachLine(longest: CurlLog.longestLine) { line throws(LogError) in
        number += 1
        if line.contains(where: { $0 != 0x20 && $0 != 0x0d && $0 != 0x09 }) { try body(number, line) }
      }
    }
  }
}

extension JSONTableLog {
  /// Whether a file has one object a line, and is neither a HAR nor another log that is one object.
  static func begins(_ file: TableFile, _ columns: LogColumns) throws(LogError) -> Bool {
    let start = Data(try file.start(CurlLog.longestLine)).drop { $0 == 0x0a || $0 == 0x0d || $0 == 0x20 }
    let line = start.prefix { $0 != 0x0a }
    guard line.count < CurlLog.longestLine, let members = try? JSONDecoder().decode(JSONMembers.self, from: line),
      members.names.isDisjoint(with: ["log", "constants", "transactionMetrics"])
    else { return false }
    if start.dropFirst(line.count).contains(UInt8(ascii: "{")) { return true }
    return (try? ColumnPositions(header: members.columns.map(\.name), columns: columns)) != nil
  }
}

/// A column of a table of JSON: the names of members on the way to a value.
struct JSONColumn: Hashable, Sendable {
  let path: [String]
  var name: String { path.joined(separator: ".") }
}

private struct MemberKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

/// The columns of a row that are not known yet.
private struct JSONMembers: Decodable {
  /// Where the decoder has the columns that are known.
  static let key = CodingUserInfoKey(rawValue: "columns")
  /// Objects in each other: no monitor's table has more.
  private static let deepest = 8

  /// The columns, in no order of their own.
  private(set) var columns: [JSONColumn] = []
  /// The names of the row's own members.
  private(set) var names: Set<String> = []

  init(from decoder: any Decoder) throws {
    let known = Self.key.flatMap { decoder.userInfo[$0] as? Set<JSONColumn> } ?? []
    let row = try decoder.container(keyedBy: MemberKey.self)
    names = Set(row.allKeys.map(\.stringValue))
    collect(row, [], known)
  }

  private mutating func collect(
    _ object: KeyedDecodingContainer<MemberKey>, _ path: [String], _ known: Set<JSONColumn>
  ) {
    for key in object.allKeys {
      let column = JSONColumn(path: path + [key.stringValue])
      if known.contains(column) { continue }
      if let inside = try? object.nestedContainer(keyedBy: MemberKey.self, forKey: key) {
        if column.path.count < Self.deepest { collect(inside, column.path, known) }
      } else if (try? object.nestedUnkeyedContainer(forKey: key)) == nil {
        columns.append(column)
      }
    }
  }
}

/// The cells of a row in the columns that are wanted.
private struct JSONCells: Decodable {
  private static let key = CodingUserInfoKey(rawValue: "wanted")

  /// A cell for each wanted column, or the reason why the value is none.
  let cells: [Result<LogCell, RowProblem>]

  /// A decoder for the wanted columns.
  static func decoder(_ columns: [JSONColumn]) -> JSONDecoder {
    let decoder = JSONDecoder()
    if let key { decoder.userInfo[key] = columns }
    return decoder
  }

  init(from decoder: any Decoder) throws {
    let row = try decoder.container(keyedBy: MemberKey.self)
    let columns = Self.key.flatMap { decoder.userInfo[$0] as? [JSONColumn] } ?? []
    cells = columns.map { Self.cell($0, in: row) }
  }

  private static func cell(
    _ column: JSONColumn, in row: KeyedDecodingContainer<MemberKey>
  ) -> Result<LogCell, RowProblem> {
    var object = row
    for name in column.path.dropLast() {
      let key = MemberKey(stringValue: name)
      guard let inside = try? object.nestedContainer(keyedBy: MemberKey.self, forKey: key) else {
        return .success(.absent)
      }
      object = inside
    }
    guard let key = column.path.last.map(MemberKey.init(stringValue:)), (try? object.decodeNil(forKey: key)) == false
    else { return .success(.absent) }
    if let text = try? object.decode(String.self, forKey: key) { return .success(text.isEmpty ? .absent : .text(text)) }
    if let number = try? object.decode(Int64.self, forKey: key) { return .success(.integer(number)) }
    if let number = try? object.decode(Double.self, forKey: key) { return .success(.real(number)) }
    if let flag = try? object.decode(Bool.self, forKey: key) { return .success(.text(flag ? "true" : "false")) }
    return .failure(
      RowProblem("\(column.name.shortened()): expected one value, found an array, an object, or a number too large"))
  }
}
