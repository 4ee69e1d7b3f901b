import TestSupport
import Testing

@testable import Parquet

/// Each encoding is taken back by a reader that works bit by bit.
@Suite struct EncodingTests {
  /// The example of Parquet's specification: 0 to 7 with three bits each.
  @Test func packedBitsOfTheSpecification() {
    var octets: [UInt8] = []
    var bits = BitPacking()
    for value in 0..<8 { bits.append(UInt64(value), width: 3, to: &octets) }
    bits.finish(to: &octets)
    #expect(octets == [0b1000_1000, 0b1100_0110, 0b1111_1010])
  }

  @Test func packedBitsOfEveryWidth() {
    var random = SeededRandom(seed: 1)
    for width in 0...64 {
      let values = (0..<97).map { _ in width == 0 ? 0 : random.next() >> UInt64(64 - width) }
      var octets: [UInt8] = []
      var bits = BitPacking()
      for value in values { bits.append(value, width: width, to: &octets) }
      bits.finish(to: &octets)
      #expect(octets.count == (97 * width + 7) / 8)
      for (index, value) in values.enumerated() {
        #expect(Decoding.bits(octets, from: index * width, width: width) == value)
      }
      #expect(values.allSatisfy { BitPacking.width($0) <= width })
    }
  }

  /// The examples of the specification: a run of 100 zeros, and of 50 ones.
  @Test func runs() {
    var octets: [UInt8] = []
    RunLengths.append(Array(repeating: 0, count: 100) + Array(repeating: 1, count: 50), width: 1, to: &octets)
    #expect(octets == [200, 1, 0, 100, 1])
  }

  @Test func runsAndPackedBitsOfEveryKind() {
    var random = SeededRandom(seed: 2)
    for _ in 0..<RandomCases.count(400) {
      let width = random.number(1..<21)
      let length = random.number(0..<700)
      var values: [UInt32] = []
      while values.count < length {
        let value = UInt32(random.next() & (1 << UInt64(width) - 1))
        values += Array(repeating: value, count: random.chance(0.3) ? random.number(1..<60) : 1)
      }
      var octets: [UInt8] = []
      RunLengths.append(values, width: width, to: &octets)
      var position = 0
      #expect(Decoding.runLengths(octets, width: width, count: values.count, at: &position) == values)
      #expect(position == octets.count)
      let most = (values.count + 7) / 8 * width + values.count / 4 + 8
      #expect(octets.count <= most)
    }
  }

  @Test func differences() {
    var random = SeededRandom(seed: 3)
    let extremes: [Int64] = [.min, .max, 0, -1, .max, .min, 1]
    var cases: [[Int64]] = [[0], [.min], extremes, (0..<1000).map { Int64($0) }]
    for _ in 0..<RandomCases.count(200) {
      var value = Int64(bitPattern: random.next())
      let step = random.number(0..<62)
      cases.append(
        (0..<random.number(1..<400)).map { _ in
          value &+= Int64(bitPattern: random.next()) >> Int64(step)
          return random.chance(0.02) ? extremes[random.number(0..<extremes.count)] : value
        })
    }
    for values in cases {
      var octets: [UInt8] = []
      Deltas.append(values, to: &octets)
      var position = 0
      #expect(Decoding.deltas(octets, at: &position) == values)
      #expect(position == octets.count)
    }
    var octets: [UInt8] = []
    Deltas.append((0..<100_000).map { Int64($0) }, to: &octets)
    #expect(octets.count < 5000)
  }

  @Test func thrift() {
    var random = SeededRandom(seed: 4)
    var numbers: [Int] = [0, 1, -1, 63, 64, -64, -65, .max, .min]
    for _ in 0..<50 { numbers.append(Int(truncatingIfNeeded: random.next())) }
    let texts = (0..<20).map { String(repeating: "ü", count: $0 * 40) }
    var writer = CompactWriter()
    writer.structure { thrift in
      thrift.integer64(1, numbers[8])
      thrift.flag(2, true)
      thrift.flag(3, false)
      // Further than a step says.
      thrift.integer32(40, .min)
      thrift.integer16(41, -7)
      thrift.texts(42, texts)
      thrift.integers(43, numbers.map { Int32(truncatingIfNeeded: $0) })
      thrift.structures(44, count: numbers.count) { $0.integer64(1 + $1 % 3, numbers[$1]) }
      thrift.structure(45) {
        $0.empty(1)
        $0.text(2, "")
      }
      thrift.integer64(46, 5)
    }
    var position = 0
    let read = ThriftValue.read(writer.octets, at: &position)
    #expect(position == writer.octets.count)
    #expect(read[1] == .integer(.min) && read[2]?.flag == true && read[3]?.flag == false)
    #expect(read[40]?.integer == Int(Int32.min) && read[41]?.integer == -7 && read[46]?.integer == 5)
    #expect(read[42]?.list.map(\.text) == texts)
    #expect(read[43]?.list.map(\.integer) == numbers.map { Int(Int32(truncatingIfNeeded: $0)) })
    let listed = (read[44]?.list ?? []).enumerated().map { index, value in value[1 + index % 3]?.integer ?? 0 }
    #expect(listed == numbers)
    #expect(read[45]?[1] == .structure([:]) && read[45]?[2]?.octets == [])
  }

  @Test func boundsOfLongTexts() {
    var random = SeededRandom(seed: 5)
    let characters: [[UInt8]] = ["a", "~", "}", "\u{7f}", "é", "€", "😀", " "].map { (text: String) in Array(text.utf8) }
    var unbounded = 0
    for _ in 0..<RandomCases.count(3000) {
      let text = (0..<random.number(0..<120)).flatMap { _ in characters[random.number(0..<characters.count)] }
      let start = ColumnStatistics.start(text)
      #expect(start.count <= 64 && text.starts(with: start) && String(validating: start, as: UTF8.self) != nil)
      guard let bound = ColumnStatistics.upperBound(text) else {
        unbounded += 1
        continue
      }
      #expect(bound.count <= 64 && !bound.lexicographicallyPrecedes(text))
      #expect(String(validating: bound, as: UTF8.self) != nil)
      if text.count <= 64 { #expect(bound == text && start == text) }
    }
    #expect(unbounded < 100)
    #expect(ColumnStatistics.upperBound(Array(repeating: 0x7e, count: 65)) == nil)
    #expect(ColumnStatistics.upperBound(Array(repeating: 0x61, count: 65))?.count == 64)
  }
}
