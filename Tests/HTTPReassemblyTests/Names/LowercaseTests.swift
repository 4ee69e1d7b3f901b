import TestSupport
import Testing

@testable import HTTPReassembly

/// Small letters of eight octets at once are those of each octet.
@Suite struct LowercaseTests {
  @Test func eightOctetsAreEachOfThem() {
    var random = SeededRandom(seed: 17)
    for octet in UInt8.min ... .max {
      for place in 0..<8 {
        var octets = (0..<8).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        octets[place] = octet
        let word = octets.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let expected = octets.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1.lowercased) }
        #expect(word.lowercasedOctets == expected, "\(octets)")
      }
    }
  }

  @Test func namesHaveOneNumberInAnySpelling() {
    var names = FieldNames()
    var numbers: Set<UInt16> = []
    for name in ["Host", "Content-Length", "X-Forwarded-For", "Sec-CH-UA-Platform", "ETag", "A_^~`|b"] {
      let number = Array(name.utf8).withOctets { names.number(of: $0) }
      numbers.insert(number)
      for spelling in [name.lowercased(), name.uppercased()] {
        #expect(Array(spelling.utf8).withOctets { names.number(of: $0) } == number, "\(spelling)")
      }
      #expect(names[number] == Array(name.lowercased().utf8))
    }
    #expect(numbers.count == 6 && !numbers.contains(FieldNames.none))
    // Octets that differ from letters by the same bit are no letters.
    #expect(Array("a_^~@|b".utf8).withOctets { names.number(of: $0) } == 7)
    #expect(Array("a_^~`|b".utf8).withOctets { names.number(of: $0) } == 6)
  }

  @Test func namesThatAreAlikeHaveNumbersOfTheirOwn() {
    var random = SeededRandom(seed: 42)
    var names = FieldNames()
    var numbers: [String: UInt16] = [:]
    for _ in 0..<4000 {
      // Half of them differ only in the middle.
      let middle = String(Int.random(in: 100...399, using: &random))
      let name = Bool.random(using: &random) ? "x-forwarded-\(middle)-identity" : "x" + middle
      let spelling = Bool.random(using: &random) ? name : name.uppercased()
      let number = Array(spelling.utf8).withOctets { names.number(of: $0) }
      #expect(numbers[name] == nil || numbers[name] == number)
      #expect(names[number] == Array(name.utf8))
      numbers[name] = number
    }
    #expect(Set(numbers.values).count == numbers.count && numbers.count > 500)
  }
}
