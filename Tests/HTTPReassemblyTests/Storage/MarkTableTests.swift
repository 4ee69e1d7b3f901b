import TestSupport
import Testing

@testable import HTTPReassembly

/// A table of marks against a dictionary.
@Suite struct MarkTableTests {
  @Test func hasWhatADictionaryHas() {
    var random = SeededRandom(seed: 8)
    var table = MarkTable(empty: -1)
    var marks = MarkTable()
    var expected: [UInt64: Int] = [:]
    var inserted: [UInt64] = []
    for number in 0..<5000 {
      // Marks with equal low bits are in each other's way, and 0 is a mark, too.
      var mark = UInt64.random(in: .min ... .max, using: &random)
      if number % 3 == 0 { mark &= 0xff00_0000_0000_0000 }
      if number % 5 == 0, let known = inserted.randomElement(using: &random) { mark = known }
      #expect(table[mark] == expected[mark])
      #expect(marks.contains(mark) == (expected[mark] != nil))
      let isNew = expected.updateValue(number, forKey: mark) == nil
      inserted.append(mark)
      #expect(table.set(mark, number) == isNew)
      #expect(marks.insert(mark) == isNew)
      #expect(table.count == expected.count && marks.count == expected.count)
    }
    for (mark, value) in expected { #expect(table[mark] == value) }
    #expect(expected[0] != nil && table.memory == 2 * marks.memory)
  }
}
