import Foundation
import GRDB
import HTTPReassembly
import TestSupport
import Testing

@testable import Reports
@testable import Tabular

/// The tables of a run that goes on: a message is in one of two, and rows are whole.
@Suite struct LiveTableTests {
  private let folder = TemporaryFolder()
  private let texts = TextPool()

  private func message(_ number: Int) -> Message {
    var message = Message()
    message.number = number
    return message
  }

  private func numbers(_ name: String) -> [Int] {
    folder.text(name).split(whereSeparator: \.isNewline).compactMap {
      Int($0.drop { !$0.isNumber }.prefix { $0.isNumber })
    }
  }

  /// Messages that become final between two intervals, some of them shown as open by the first: more than any buffer holds.
  @Test(arguments: [ReportFormat.csv, .ndjson])
  func noMessageIsInBothTables(_ format: ReportFormat) throws {
    let context = ReportContext(grouping: .init(path: true, method: false), toolVersion: "1")
    let report = try format.report(folder: folder.path, context, isLive: true)
    var live: any Report = report
    let (table, openTable) = ("messages.\(format.rawValue)", "messages.open.\(format.rawValue)")
    try live.flush(emptyTotals()) { body in for number in 1...3000 { body(message(number), texts) } }
    let isOpen = numbers(openTable) == Array(1...3000)
    #expect(isOpen)
    for number in (2...3000).reversed() {
      try live.message(message(number), texts: texts)
      try live.message(message(number + 10_000), texts: texts)
      // At any moment: what is on disk is read here without a flush.
      if number.isMultiple(of: 500) {
        let isInOne = Set(numbers(table)).isDisjoint(with: numbers(openTable))
        #expect(isInOne)
      }
    }
    // Those that no other table shows need not wait.
    #expect(!numbers(table).isEmpty)
    try live.flush(emptyTotals()) { body in body(message(1), texts) }
    #expect(numbers(openTable) == [1])
    let (count, all) = (numbers(table).count, Set(numbers(table)))
    let isComplete = all == Set(2...3000).union(10_002...13_000)
    #expect(count == 5998 && isComplete)
    try live.message(message(1), texts: texts)
    #expect(!numbers(table).contains(1))
    try live.finish(emptyTotals())
    let isInOrder = numbers(table) == Array(1...3000) + Array(10_002...13_000)
    #expect(isInOrder)
    #expect(!folder.names.contains(openTable))
  }

  /// Tables that are moved away take with them what was held back.
  @Test func heldRowsGoWithTheOldTable() throws {
    let report = try CSVReport(folder: folder.path, grouping: .init(), isLive: true)
    try report.flush(emptyTotals()) { body in body(message(1), texts) }
    try report.message(message(1), texts: texts)
    try FileManager.default.moveItem(atPath: folder.path + "/messages.csv", toPath: folder.path + "/kept.csv")
    try report.reopen()
    try report.message(message(2), texts: texts)
    try report.finish(emptyTotals())
    #expect(numbers("kept.csv") == [1] && numbers("messages.csv") == [2])
  }

  /// However many rows become final, a reader sees them with the totals of that interval, and each once.
  @Test func oneTransactionAnInterval() throws {
    let context = ReportContext(grouping: .init(path: true, method: false), toolVersion: "1")
    let report = try SQLiteReport(folder: folder.path, context, isLive: true)
    try report.flush(emptyTotals()) { body in for number in 1...5000 { body(message(number), texts) } }
    for number in 1...5000 {
      try report.message(message(number), texts: texts)
      if number.isMultiple(of: 1000) { #expect(try counts() == [5000, 5000, 0]) }
    }
    try report.flush(emptyTotals()) { body in body(message(5001), texts) }
    #expect(try counts() == [5001, 5001, 5000])
    // A run that fails in an interval leaves the one before.
    for number in 6000...9000 { try report.message(message(number), texts: texts) }
    try report.message(message(6000), texts: texts)
    #expect(throws: ReportError.self) { try report.flush(emptyTotals()) { _ in } }
    #expect(throws: ReportError.self) { try report.finish(emptyTotals()) }
    #expect(try counts() == [5001, 5001, 5000])
  }

  /// Rows that `all_messages` has, how many different ones they are, and how many of them are final.
  private func counts() throws -> [Int] {
    var configuration = GRDB.Configuration()
    configuration.readonly = true
    let queue = try DatabaseQueue(path: folder.path + "/report.sqlite", configuration: configuration)
    return try queue.read { database in
      let sql = "SELECT count(*), count(DISTINCT message), sum(open = 0) FROM all_messages"
      let row = try Row.fetchOne(database, sql: sql)
      return (0..<3).map { row?[$0] ?? -1 }
    }
  }

  /// Parts end where lines do, and none goes on in another page unless its one line does.
  @Test func linesAreWrittenByPages() throws {
    var generator = SeededRandom(seed: 11)
    for longest in [1, 40, 300, 5000, 20_000] {
      for position in [0, 1, 4095, 4096, 70_001] {
        var lines: [UInt8] = []
        while lines.count < 60_000 {
          lines += Array(repeating: UInt8(ascii: "x"), count: .random(in: 0..<longest, using: &generator))
          lines.append(UInt8(ascii: "\n"))
        }
        var written: [UInt8] = []
        lines.withOctets { octets in
          LineWrites.forEach(octets, at: position) { part in
            let start = position + written.count
            part.append(0..<part.byteCount, to: &written)
            let lineCount = written.suffix(part.byteCount).count { $0 == UInt8(ascii: "\n") }
            #expect(part.byteCount > 0 && written.last == UInt8(ascii: "\n"))
            let isInOnePage = start / 4096 == (start + part.byteCount - 1) / 4096
            #expect(isInOnePage || lineCount == 1)
          }
        }
        #expect(written == lines)
      }
    }
  }
}
