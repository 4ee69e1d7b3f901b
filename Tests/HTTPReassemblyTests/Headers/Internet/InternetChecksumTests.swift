import Packets
import TestSupport
import Testing

@testable import HTTPReassembly

/// The sum of any octets is the sum of their 16-bit words (RFC 1071).
@Suite struct InternetChecksumTests {
  @Test func isTheSumOfWords() {
    var random = SeededRandom(seed: 1071)
    for count in 0...150 {
      for start in 0...4 {
        var octets = (0..<start + count + 3).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        // Sums with many carries, too.
        if count % 3 == 0 { octets = octets.map { $0 | 0xfc } }
        let other = UInt16.random(in: .min ... .max, using: &random)
        var sum = Int(other)
        for offset in 0..<count { sum += Int(octets[start + offset]) << (offset % 2 == 0 ? 8 : 0) }
        while sum > 0xffff { sum = sum >> 16 + sum & 0xffff }
        for difference in [0, 1] as [UInt32] {
          var checksum = InternetChecksum()
          checksum.add(UInt32(other))
          octets.withOctets { checksum.add($0, start..<start + count) }
          checksum.add(UInt32(0xffff - sum) ^ difference)
          // A sum of nothing but zeros is no sum with a checksum.
          #expect(checksum.isCorrect == (difference == 0), "\(count) octets from \(start)")
        }
      }
    }
  }
}
