import Foundation
import TableReading

/// Reads a monitor's table from JSON: each object is a row, and its members are the columns. A member of an object inside of a row is a column,
/// too, whose name has the names on the way to it: `response.bytes`. Arrays inside of a row are left out.
///
/// The file is read twice: a column may begin in any row. The text may end inside of its last row: the app was killed.
struct JSONTableLog {
  /// The place of the rows in the file.
  enum Rows: Equatable {
    /// One object a line.
    case lines
    /// One object at the end of a line, behind text of a console. Other lines have none.
    case consoleLines
    /// The elements of an array, or values behind each other.
    case elements(JSONElements.Place)
  }

  let log: JSONLog
  let rows: Rows
  /// Whether the array has no end.
  var isCut = false

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
    let places = Dictionary(uniqueKeysWithValues: zip(wanted, wanted.indices))
    let telling = positions.ofMessages.compactMap { places[$0.index] }

    var table = MonitorTable(columns: positions, options: options)
    var bad = BadRows()
    var (count, others) = (0, 0)
    // The last row that is no JSON: at the end of the file it is cut off.
    var broken: (number: Int, problem: RowProblem)?
    let last = try forEachRow { number, octets throws(LogError) in
      if let row = broken { bad.note("\(noun) \(row.number)", row.problem) }
      broken = nil
      count += 1
      try options.admit(count, of: file)
      do throws(RowProblem) {
        guard !hasLines || octets.count <= CurlLog.longestLine else {
          throw RowProblem("has more than \(CurlLog.longestLine) bytes")
        }
        let row: JSONCells
        do { row = try decoder.decode(JSONCells.self, from: Data(octets)) } catch {
          let problem = RowProblem(JSONLog.words(error, in: "the row"))
          if hasLines, JSONLog.isNoJSON(error) { return broken = (number, problem) }
          throw problem
        }
        if let name = RepeatedMember.name(in: octets) {
          throw RowProblem("\(name.shortened()) is there twice, with different values")
        }
        // A log of events has others, too.
        if telling.allSatisfy({ if case .success(.absent) = row.cells[$0] { true } else { false } }) {
          return others += 1
        }
        try table.add(number) { found throws(RowProblem) in
          guard let place = places[found.index] else { return .absent }
          if found.column == .error, case .failure = row.cells[place] { return .text("an object") }
          let cell = try row.cells[place].get()
          if found.column == .path, cell == .absent { throw RowProblem(.path, expected: "a path", found: .absent) }
          return cell
        }
      } catch {
        bad.note("\(noun) \(number)", error)
      }
      try table.keep(of: file)
    }
    if let row = broken, row.number != last { bad.note("\(noun) \(row.number)", row.problem) }
    try bad.check(file: file, rows: count)
    var found = try table.finished(of: file)
    found.hasLines = hasLines
    guard !found.entries.isEmpty else {
      throw LogError(file: file, "has \(count) objects, none of them with a host, a path or a length")
    }
    if others > 0 { found.notices.append("objects without a host, a path and a length, left out: \(others)") }
    if rows == .consoleLines { found.notices.append("lines without an object of JSON are left out") }
    if isCut || broken != nil {
      found.notices.append("the log has no end: its app was killed, or still runs; a row that is not whole is left out")
    }
    return found
  }

  /// The table for people if its columns are not known; else nil.
  func unknownTable() throws(LogError) -> LogTable? {
    let columns = try columns()
    if (try? Self.positions(of: columns, log.options.columns)) != nil { return nil }
    let decoder = JSONCells.decoder(columns)
    var samples: [[LogCell]] = []
    try forEachRow { _, octets throws(LogError) in
      guard samples.count < LogTable.sampleRows else { return }
      guard let row = try? decoder.decode(JSONCells.self, from: Data(octets)) else { return }
      samples.append(row.cells.map { (try? $0.get()) ?? .absent })
    }
    return LogTable(name: nil, columns: columns.map(\.name), rows: samples)
  }

  /// Whether the columns are those of a table.
  var hasKnownColumns: Bool { (try? positions(of: columns())) != nil }

  private var hasLines: Bool { rows == .lines || rows == .consoleLines }
  private var noun: String { hasLines ? "line" : "row" }

  private func positions(of columns: [JSONColumn]) throws(LogError) -> ColumnPositions {
    do throws(RowProblem) { return try Self.positions(of: columns, log.options.columns) } catch {
      throw LogError(file: log.file.path, "as a table of JSON objects: \(error.description)")
    }
  }

  /// The positions of columns by their names. Where these tell too little, one object inside of each row may be the row proper, as in a
  /// logger's record: then its name is no part of theirs. The request and the response are no such objects.
  private static func positions(of columns: [JSONColumn], _ known: LogColumns) throws(RowProblem) -> ColumnPositions {
    do throws(RowProblem) { return try ColumnPositions(header: columns.map(\.name), columns: known) } catch {
      let objects = Set(columns.filter { $0.path.count > 1 }.map { $0.path[0] })
      let records = objects.filter { !LogColumn.sides.contains(LogColumn.folded($0)) }.compactMap { record in
        let names = columns.map { column in
          column.path.count > 1 && column.path[0] == record
            ? JSONColumn(path: Array(column.path.dropFirst())).name : column.name
        }
        return try? ColumnPositions(header: names, columns: known)
      }
      guard records.count == 1 else { throw error }
      return records[0]
    }
  }

  /// The columns of all rows, in the order in which they come.
  private func columns() throws(LogError) -> [JSONColumn] {
    let decoder = JSONDecoder()
    var columns: [JSONColumn] = []
    var seen: Set<JSONColumn> = []
    var length = 0
    try forEachRow { _, octets throws(LogError) in
      let members: JSONMembers
      do { members = try decoder.decode(JSONMembers.self, from: Data(octets)) } catch {
        // The second reading says which other rows are no objects.
        if columns.isEmpty, JSONLog.isNoJSON(error) { throw log.fault(error) }
        return
      }
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

  /// Hands over each row and its number. Returns the number of lines: the last one has no end, and may be empty.
  @discardableResult private func forEachRow(_ body: (Int, [UInt8]) throws(LogError) -> Void) throws(LogError) -> Int {
    var number = 0
    switch rows {
    case .elements(let place):
      // JSONEncoder writes a dictionary whose keys are of a type of their own as an array of keys and values in turn.
      var isDictionary = false
      try log.forEachElement(place) { position, element throws(LogError) in
        let isText = element.first == UInt8(ascii: "\"")
        if position == 1 { isDictionary = isText }
        if isDictionary, isText, !position.isMultiple(of: 2) { return }
        try body(isDictionary ? (position + 1) / 2 : position, element)
      }
    case .lines, .consoleLines:
      try log.file.forEachLine(longest: CurlLog.longestLine) { line throws(LogError) in
        number += 1
        if rows == .consoleLines {
          if let object = line.objectBehindText { try body(number, Array(object)) }
        } else if line.contains(where: { $0 != 0x20 && $0 != 0x0d && $0 != 0x09 }) {
          try body(number, line)
        }
      }
    }
    return number
  }
}

extension JSONTableLog {
  /// Whether a file has one object a line, and is neither a HAR nor another log that is one object.
  static func begins(_ line: FirstLine, _ columns: LogColumns) -> Bool {
    guard let members = try? JSONDecoder().decode(JSONMembers.self, from: line.octets),
      members.names.isDisjoint(with: ["log", "constants", "transactionMetrics"])
    else { return false }
    return line.hasObjectBehind || (try? positions(of: members.columns, columns)) != nil
  }

  /// Whether a line of a console ends with an object that may be a row.
  static func isConsoleLine(_ line: some Collection<UInt8>) -> Bool {
    guard let object = line.objectBehindText,
      let members = try? JSONDecoder().decode(JSONMembers.self, from: Data(object))
    else { return false }
    return !members.columns.isEmpty
  }
}

extension Collection<UInt8> {
  /// The end of a console's line behind its text: from the brace before the first quoted name on. Nil if no object begins there, or if
  /// nothing but brackets are before it.
  var objectBehindText: SubSequence? {
    let quote = UInt8(ascii: "\"")
    var brace: Index?
    var isBehindText = false
    for (index, octet) in zip(indices, self) {
      switch octet {
      case UInt8(ascii: "{"):
        if brace != nil { isBehindText = true }
        brace = index
      case 0x20, 0x09: break
      case quote where brace != nil: return isBehindText ? brace.map { self[$0...] } : nil
      default:
        if brace != nil || octet != UInt8(ascii: "["), octet != 0x1e { isBehindText = true }
        brace = nil
      }
    }
    return nil
  }
}

/// A column of a table of JSON: the names of members on the way to a value.
struct JSONColumn: Hashable, Sendable {
  let path: [String]
  var name: String { path.joined(separator: ".") }
}

/// The name of any member of an object.
struct MemberKey: CodingKey {
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
  /// The names of the row's own members that are objects or arrays, where no column is known yet.
  private(set) var names: Set<String> = []

  init(from decoder: any Decoder) throws {
    let known = Self.key.flatMap { decoder.userInfo[$0] as? Set<JSONColumn> } ?? []
    let row = try decoder.container(keyedBy: MemberKey.self)
    if known.isEmpty { names = Set(row.allKeys.filter { JSONMember(row, $0).isNested }.map(\.stringValue)) }
    collect(row, [], known)
  }

  private mutating func collect(
    _ object: KeyedDecodingContainer<MemberKey>, _ path: [String], _ known: Set<JSONColumn>
  ) {
    for key in object.allKeys {
      let column = JSONColumn(path: path + [key.stringValue])
      if known.contains(column) { continue }
      let value = JSONMember(object, key)
      // An error may be an object. Then it is a value, too.
      if !value.isNested || LogColumn.error.knownNames.contains(LogColumn.folded(column.name)) {
        columns.append(column)
      }
      if case .object(let inside) = value, column.path.count < Self.deepest { collect(inside, column.path, known) }
    }
  }
}

/// The kind of a member of an object.
private enum JSONMember {
  case object(KeyedDecodingContainer<MemberKey>)
  case array(isEmpty: Bool)
  case single

  init(_ object: KeyedDecodingContainer<MemberKey>, _ key: MemberKey) {
    if let inside = try? object.nestedContainer(keyedBy: MemberKey.self, forKey: key) {
      self = .object(inside)
    } else if let elements = try? object.nestedUnkeyedContainer(forKey: key) {
      self = .array(isEmpty: elements.isAtEnd)
    } else {
      self = .single
    }
  }

  var isNested: Bool { if case .single = self { false } else { true } }
  var isEmpty: Bool {
    switch self {
    case .object(let inside): inside.allKeys.isEmpty
    case .array(let isEmpty): isEmpty
    case .single: false
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
    if JSONMember(object, key).isEmpty { return .success(.absent) }
    return .failure(
      RowProblem("\(column.name.shortened()): expected one value, found an array, an object, or a number too large"))
  }
}
