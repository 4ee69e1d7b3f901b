import TestSupport
import Testing

@testable import Reports
@testable import Tabular

/// Rows come in any order and stand in order, however little memory there is.
@Suite struct OrderedRowsTests {
  private let folder = TemporaryFolder()

  private func row(_ number: Int, length: Int = 0) -> [UInt8] {
    Array("\(number)".utf8) + Array(repeating: UInt8(ascii: "."), count: length) + [UInt8(ascii: "\n")]
  }

  /// Writes the numbers in their order and returns those of the file in its order.
  private func written(_ numbers: [Int], memory: Int, runs: Int, length: (Int) -> Int = { $0 % 50 }) throws -> [Int] {
    let output = try OutputFolder(folder.path)
    var rows = OrderedRows(file: try output.file("rows"), folder: output, memoryLimit: memory, runLimit: runs)
    for number in numbers { try rows.add(number, row(number, length: length(number))) }
    try rows.finish()
    // Temporary files never have a name for longer than an instant.
    #expect(folder.names == ["rows"])
    let lines = folder.text("rows").split(separator: "\n")
    for line in lines {
      let number = Int(line.prefix { $0 != "." }) ?? 0
      #expect(line.utf8.count + 1 == row(number, length: length(number)).count)
    }
    return lines.map { Int($0.prefix { $0 != "." }) ?? 0 }
  }

  @Test(arguments: [(1 << 20, 32), (4000, 32), (1000, 4), (200, 2), (0, 2), (0, 64)])
  func anyOrder(memory: Int, runs: Int) throws {
    var generator = SeededRandom(seed: UInt64(memory + runs))
    for count in [0, 1, 2, 3, 17, memory < 1000 ? 150 : 800] {
      let numbers = Array(1...max(count, 1)).prefix(count)
      #expect(try written(Array(numbers), memory: memory, runs: runs) == Array(numbers))
      #expect(try written(numbers.reversed(), memory: memory, runs: runs) == Array(numbers))
      #expect(try written(numbers.shuffled(using: &generator), memory: memory, runs: runs) == Array(numbers))
    }
  }

  @Test func nearlyInOrder() throws {
    // As connections finish: each number a few places from its turn.
    var generator = SeededRandom(seed: 5)
    let numbers = (1...5000).map { (key: $0 + Int.random(in: 0...40, using: &generator), number: $0) }
      .sorted { $0.key < $1.key }.map(\.number)
    #expect(try written(numbers, memory: 600, runs: 8) == Array(1...5000))
  }

  @Test func numbersThatNeverCome() throws {
    var generator = SeededRandom(seed: 6)
    let numbers = (2...3000).filter { $0 % 7 != 0 && !(100...400).contains($0) }
    #expect(try written(numbers.shuffled(using: &generator), memory: 2000, runs: 4) == numbers)
    #expect(try written(numbers.shuffled(using: &generator), memory: 1 << 20, runs: 4) == numbers)
  }

  @Test func oneThatComesLastHoldsBackAllOthers() throws {
    #expect(try written(Array(2...3000) + [1], memory: 3000, runs: 4) == Array(1...3000))
  }

  /// What comes behind a missing row is written once more, and not again with each run: the file for it grows no further than
  /// what waits.
  @Test func rowsInOrderMakeOneRun() throws {
    let output = try OutputFolder(folder.path)
    var rows = OrderedRows(file: try output.file("rows"), folder: output, memoryLimit: 2000, runLimit: 2)
    var moved = 0
    for number in 2...5000 {
      // The order of disorder: each with its neighbour.
      let row = row(number ^ 1, length: 20)
      try rows.add(number ^ 1, row)
      moved += row.count
    }
    let (count, length) = (rows.runCount, rows.runLength)
    #expect(count == 1 && length > moved / 2 && length < moved * 2)
    try rows.add(1, row(1, length: 20))
    try rows.finish()
    #expect(folder.text("rows").split(separator: "\n").map { Int($0.prefix { $0 != "." }) } == Array(1...4999) + [5001])
  }

  @Test func rowsLongerThanEveryBuffer() throws {
    let length = { (number: Int) in number % 3 == 0 ? 300_000 : 70_000 }
    #expect(try written(Array((1...20).reversed()), memory: 500_000, runs: 3, length: length) == Array(1...20))
  }

  @Test func memoryOfRowsThatAreGoneIsFreed() {
    var waiting = WaitingRows()
    let file = try? OutputFolder(folder.path).file("rows")
    for number in 1...1000 {
      row(number, length: 100).withOctets { waiting.add(number, $0) }
      if number > 1, let file { try? waiting.writeFirst(to: file) }
    }
    let wasGarbage = waiting.isMostlyGarbage
    waiting.compact()
    let (memory, first) = (waiting.memory, waiting.first)
    #expect(wasGarbage && memory < 200 && first == 1000)
  }
}
