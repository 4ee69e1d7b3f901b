import Packets
import TestSupport
import Testing

@testable import HTTPReassembly

/// A mark says whether octets are the same, in whatever pieces they come.
@Suite struct OctetMarkTests {
  private static func octets(_ count: Int, _ random: inout SeededRandom) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }

  @Test func piecesHaveTheMarkOfTheWhole() {
    var random = SeededRandom(seed: 29)
    for count in 0...150 {
      let octets = Self.octets(count, &random)
      let whole = octets.withOctets { OctetMark.of($0) }
      for first in 0...count {
        for second in [first, min(first + 1, count), (first + count) / 2, count] {
          var mark = OctetMark()
          octets.withOctets {
            mark.take($0.extracting(0..<first))
            mark.take($0.extracting(first..<second))
            mark.take($0.extracting(second..<count))
          }
          #expect(mark.value == whole && mark.count == count, "\(count) octets, cut at \(first) and \(second)")
        }
      }
    }
  }

  @Test func othersHaveOtherMarks() {
    var random = SeededRandom(seed: 30)
    var marks: Set<UInt64> = []
    var count = 0
    for length in 0...140 {
      let octets = Self.octets(length, &random)
      marks.insert(octets.withOctets { OctetMark.of($0) })
      // Zeros at the end are octets, too.
      marks.insert((octets + [0]).withOctets { OctetMark.of($0) })
      count += 2
      for place in 0..<length {
        var changed = octets
        changed[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        marks.insert(changed.withOctets { OctetMark.of($0) })
        count += 1
      }
    }
    #expect(marks.count == count)
  }

  @Test func capitalLettersCountAsSmallOnes() {
    var random = SeededRandom(seed: 31)
    for count in 0...50 {
      let octets = (0..<count).map { _ in UInt8.random(in: 0x2d...0x7e, using: &random) }
      let small = octets.map(\.lowercased)
      let mark = octets.withOctets { OctetMark.ofSmallLetters($0) }
      #expect(mark == small.withOctets { OctetMark.ofSmallLetters($0) })
      #expect(mark == small.withOctets { OctetMark.of($0) })
    }
  }

  /// The last octets as a number are those that were read one by one.
  @Test func lastOctetsAreANumber() {
    var random = SeededRandom(seed: 32)
    for count in 0..<8 {
      for before in 0..<4 {
        let octets = Self.octets(before + count, &random)
        let expected = octets[before...].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        #expect(octets.withOctets { $0.littleEndian(from: before) } == expected)
      }
    }
  }
}
