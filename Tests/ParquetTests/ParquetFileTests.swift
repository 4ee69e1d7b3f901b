import Foundation
import Packets
import Tabular
import TestSupport
import Testing

@testable import Parquet

/// Whole files, read back by a reader of these tests.
@Suite struct ParquetFileTests {
  typealias Cell = ReadParquet.Cell
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("parquet-\(UUID().uuidString)")

  private static let columns = [
    ParquetColumn("number", .integer, isOptional: false), ParquetColumn("time", .time, isOptional: true),
    ParquetColumn("duration", .millionths, isOptional: true), ParquetColumn("text", .text, isOptional: true),
    ParquetColumn("name", .text, isOptional: false),
  ]

  /// Writes rows, and reads them back.
  private func written(_ rows: [[Cell]], _ columns: [ParquetColumn] = columns) throws -> ReadParquet {
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = try OutputFolder(folder.path).file("table.parquet")
    var parquet = try ParquetFile(file, columns)
    for row in rows {
      for (column, cell) in row.enumerated() {
        switch cell {
        case .null: parquet.appendNull(column)
        case .integer(let value): parquet.append(value, column)
        case .text(let octets): octets.withOctets { parquet.append($0, column) }
        }
      }
      try parquet.endRow()
    }
    try parquet.finish(creator: "sniffer version 0", facts: [("sniffer.table", "t"), ("empty", "")])
    try file.close()
    return ReadParquet([UInt8](try Data(contentsOf: folder.appendingPathComponent("table.parquet"))))
  }

  /// Writes rows, and expects them back with the statistics of each row group.
  @discardableResult
  private func expectBack(_ rows: [[Cell]], _ columns: [ParquetColumn] = columns) throws -> ReadParquet {
    let read = try written(rows, columns)
    #expect(read.metadata[3]?.integer == rows.count)
    for column in columns.indices { #expect(read.cells(column) == rows.map { $0[column] }, "\(columns[column].name)") }
    for chunk in read.groups.flatMap({ group in zip(group, columns).map { (chunk: $0, column: $1) } }) {
      expectStatistics(chunk.chunk, chunk.column)
    }
    return read
  }

  private func expectStatistics(_ chunk: ReadParquet.Chunk, _ column: ParquetColumn) {
    let statistics = chunk.statistics
    #expect(statistics?[3]?.integer == chunk.cells.count { $0 == .null })
    // The old fields, whose order nobody agreed on.
    #expect(statistics?[1] == nil && statistics?[2] == nil)
    let numbers = chunk.cells.compactMap { if case .integer(let value) = $0 { value } else { nil } }
    let texts = chunk.cells.compactMap { if case .text(let octets) = $0 { octets } else { nil } }
    func number(_ field: Int) -> Int64? {
      guard let octets = statistics?[field]?.octets else { return Int64?.none }
      if column.kind == .millionths { return ReadParquet.decimal(octets[...]) }
      return Int64(bitPattern: Decoding.bits(octets, from: 0, width: 64))
    }
    if column.kind != .text { return #expect(number(5) == numbers.max() && number(6) == numbers.min()) }
    let least = texts.min { $0.lexicographicallyPrecedes($1) }
    let greatest = texts.max { $0.lexicographicallyPrecedes($1) }
    guard let least, let greatest else { return #expect(statistics?[5] == nil && statistics?[6] == nil) }
    if least.count <= 64 {
      #expect(statistics?[6]?.octets == least && statistics?[8]?.flag == true)
    } else {
      #expect(least.starts(with: statistics?[6]?.octets ?? [0]) && statistics?[8]?.flag == false)
    }
    guard let bound = statistics?[5]?.octets else { return #expect(greatest.count > 64) }
    #expect(!bound.lexicographicallyPrecedes(greatest) && bound.count <= 64)
    #expect(statistics?[7]?.flag == (bound == greatest))
  }

  private func text(_ text: String) -> Cell { .text(Array(text.utf8)) }

  private func number(_ value: Int) -> Cell { .integer(Int64(value)) }

  @Test func anEmptyTable() throws {
    let read = try expectBack([])
    #expect(read.groups.isEmpty)
    #expect(read.metadata[1]?.integer == 2 && read.metadata[6]?.text == "sniffer version 0")
    let facts = read.metadata[5]?.list.map { [$0[1]?.text, $0[2]?.text] }
    #expect(facts == [["sniffer.table", "t"], ["empty", ""]])
    #expect(read.metadata[7]?.list == Array(repeating: .structure([1: .structure([:])]), count: 5))
  }

  /// The types by the numbers of `parquet.thrift`.
  @Test func theSchema() throws {
    let schema = try written([]).metadata[2]?.list ?? []
    #expect(schema.count == 6 && schema[0][5]?.integer == 5 && schema[0][1] == nil)
    #expect(schema.dropFirst().map { $0[4]?.text } == ["number", "time", "duration", "text", "name"])
    #expect(schema.dropFirst().map { $0[1]?.integer } == [2, 2, 7, 6, 6])
    #expect(schema.dropFirst().map { $0[3]?.integer } == [0, 1, 1, 1, 0])
    #expect(schema[2][10]?[8]?[1]?.flag == true && schema[2][10]?[8]?[2]?[3] == .structure([:]))
    #expect(schema[3][2]?.integer == 9 && schema[3][6]?.integer == 5)
    #expect(schema[3][10]?[5]?[1]?.integer == 6 && schema[3][10]?[5]?[2]?.integer == 19)
    #expect(schema[4][10]?[1] == .structure([:]) && schema[4][6]?.integer == 0)
  }

  /// Every pattern of nulls in eight rows of two columns.
  @Test func everyPatternOfNulls() throws {
    let columns = [ParquetColumn("a", .integer, isOptional: true), ParquetColumn("b", .text, isOptional: true)]
    for pattern in 0..<1 << 8 {
      let rows = (0..<8).map { row -> [Cell] in
        let isNull = pattern >> row & 1 == 1
        return [isNull ? .null : number(row), isNull ? text("") : .null]
      }
      try expectBack(rows, columns)
    }
  }

  @Test func extremes() throws {
    try expectBack([
      [.integer(.min), .integer(.max), .integer(.min), text(""), text("\u{7f}")],
      [.integer(.max), .integer(.min), .integer(.max), .null, text(String(repeating: "ü", count: 100))],
      [.integer(0), .null, .integer(-1), text(String(repeating: "~", count: 100_000)), text("x")],
    ])
  }

  /// Few values make a dictionary of each, and rows of any number of pages and row groups.
  @Test func dictionaries() throws {
    let rows = (0..<40_000).map { row -> [Cell] in
      let duration = row % 5 == 0 ? .null : number(row % 11)
      return [number(row % 7), number(row % 3), duration, text("t\(row % 9)"), text("n")]
    }
    let read = try expectBack(rows)
    for chunk in read.groups[0] { #expect(chunk.hasDictionary && chunk.encodings == [8, 8, 8]) }
    #expect(read.octets.count < 60_000)
  }

  /// A column whose values stop repeating goes on without its dictionary.
  @Test func dictionariesThatOverflow() throws {
    let rows = (0..<40_000).map { row -> [Cell] in
      let value = row < 17_000 ? row % 10 : row * 31
      let long = text("long long long \(value % 5)")
      return [number(value), number(value << 20), number(value * -3), text("text \(value)"), long]
    }
    let read = try expectBack(rows)
    #expect(read.groups.count == 1)
    #expect(read.groups[0][0].encodings == [8, 5, 5])
    #expect(read.groups[0][2].encodings == [8, 0, 0])
    // Texts have pages of their own length.
    #expect(read.groups[0][3].encodings.prefix(2) == [8, 0] && Set(read.groups[0][3].encodings) == [0, 8])
    #expect(Set(read.groups[0][4].encodings) == [8])
  }

  /// Values that never repeat have no dictionary from the start.
  @Test func valuesThatNeverRepeat() throws {
    let rows = (0..<100).map { row -> [Cell] in
      [number(row), .null, number(row), text("\(row)"), text("\(row)")]
    }
    let read = try expectBack(rows)
    for chunk in read.groups[0] { #expect(!chunk.hasDictionary) }
    #expect(read.groups[0].map(\.encodings) == [[5], [0], [0], [0], [0]])
  }

  @Test func severalRowGroups() throws {
    let columns = [ParquetColumn("a", .integer, isOptional: false), ParquetColumn("b", .text, isOptional: true)]
    let rows = (0..<140_000).map { row -> [Cell] in [number(row), row % 3 == 0 ? .null : text("v\(row % 100)")] }
    let read = try expectBack(rows, columns)
    #expect(read.groups.map { $0[0].cells.count } == [131_072, 8928])
    let groups = read.metadata[4]?.list ?? []
    #expect(groups.map { $0[3]?.integer } == [131_072, 8928])
    #expect(groups.map { $0[7]?.integer } == [0, 1])
    for (group, chunks) in zip(groups, read.groups) {
      #expect(group[6]?.integer == chunks.reduce(0) { $0 + ($1.description[7]?.integer ?? 0) })
      #expect(group[2]?.integer == chunks.reduce(0) { $0 + ($1.description[6]?.integer ?? 0) })
    }
  }

  /// What cannot be compressed ends row groups by its length.
  @Test func rowGroupsAreBounded() throws {
    var random = SeededRandom(seed: 6)
    let columns = [ParquetColumn("a", .text, isOptional: false)]
    let rows = (0..<1300).map { _ -> [Cell] in
      let octets = (0..<8192).map { _ in UInt8(random.next() & 0x7f) }
      return [.text(octets)]
    }
    let read = try expectBack(rows, columns)
    #expect(read.groups.count >= 2)
    for group in read.metadata[4]?.list ?? [] { #expect((group[6]?.integer ?? 0) < (9 << 20)) }
  }

  @Test func anyRows() throws {
    var random = SeededRandom(seed: 7)
    for _ in 0..<RandomCases.count(30) {
      let nulls = Double(random.number(0..<5)) / 4
      let variety = UInt64(random.number(1..<3000))
      func value() -> Int64 { Int64(random.next() % variety) * (random.chance(0.5) ? 1 : -1) }
      func octets() -> [UInt8] {
        var state = SeededRandom(seed: random.next() % variety)
        return (0..<state.number(0..<90)).map { _ in UInt8(state.next() & 0x7f) }
      }
      func orNull(_ cell: Cell) -> Cell { random.chance(nulls) ? .null : cell }
      let rows = (0..<random.number(0..<3000)).map { _ -> [Cell] in
        let numbers: [Cell] = [.integer(value()), orNull(.integer(value())), orNull(.integer(value()))]
        let texts: [Cell] = [orNull(.text(octets())), .text(octets())]
        return numbers + texts
      }
      try expectBack(rows)
    }
  }

  /// The same rows make the same octets.
  @Test func theSameOctets() throws {
    let rows = (0..<5000).map { row -> [Cell] in
      [number(row), .null, number(row % 3), text("\(row % 50)"), text("x")]
    }
    #expect(try written(rows).octets == written(rows).octets)
  }

  @Test func aMissingValueIsAnError() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = try OutputFolder(folder.path).file("table.parquet")
    var parquet = try ParquetFile(file, [ParquetColumn("must", .integer, isOptional: false)])
    parquet.appendNull(0)
    var failure: ReportError?
    do throws(ReportError) { try parquet.endRow() } catch { failure = error }
    #expect(failure?.reason == "A row has no value for the column must")
  }
}
