import Packets
import Shared
import TestSupport
import Testing

@testable import ContentCodings

/// What is said of contents that came without a coding is near what zlib makes of them.
@Suite struct GzipEstimateTests {
  /// Documents like those of APIs: words, numbers, and names that repeat.
  private static func document(_ count: Int, _ random: inout SeededRandom) -> [UInt8] {
    let letters = Array("etaoinshrdlu")
    let words = (0..<300).map { _ in
      String((0..<Int.random(in: 2...9, using: &random)).map { _ in letters[Int.random(in: 0..<12, using: &random)] })
    }
    var text = "["
    while text.utf8.count < count {
      let some = (0..<3).map { _ in words[Int.random(in: 0..<300, using: &random)] }
      let number = Int.random(in: 0..<1_000_000, using: &random)
      text += "{\"id\":\(number),\"name\":\"\(some[0])\",\"title\":\"\(some[1]) \(some[2])\"},"
    }
    return Array(text.utf8.prefix(count))
  }

  @Test func isNearZlib() {
    var random = SeededRandom(seed: 41)
    let estimate = GzipEstimate()
    let zlib = GzipLength()
    for count in [1, 20, 100, 500, 1_000, 4_000, 10_000, 32_768, 50, 5_000] {
      let document = Self.document(count, &random)
      let estimated = document.withOctets { estimate.compressedLength(of: $0) }
      document.withOctets { zlib.feed($0) }
      let exact = zlib.finish()
      #expect(abs(estimated - exact) <= max(exact / 12, 8), "\(count) octets: \(estimated), by zlib \(exact)")
      // The same again: nothing stays of one content for the next.
      #expect(document.withOctets { estimate.compressedLength(of: $0) } == estimated)
    }
  }

  @Test func whatCannotBeCompressedStaysAsLong() {
    var random = SeededRandom(seed: 42)
    let estimate = GzipEstimate()
    for count in [1, 100, 32_768] {
      let noise = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
      let estimated = noise.withOctets { estimate.compressedLength(of: $0) }
      #expect(estimated >= count && estimated <= count + 64, "\(count): \(estimated)")
    }
  }
}
