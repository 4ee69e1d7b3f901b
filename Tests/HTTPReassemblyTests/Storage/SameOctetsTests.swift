import Testing

@testable import HTTPReassembly

/// Octets are compared many at a time: each of them has to count, whatever the length.
@Suite struct SameOctetsTests {
  @Test(arguments: 0...100)
  func eachOctetCounts(_ count: Int) {
    let before = 3
    let octets = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
    let other = Array(repeating: 0xff, count: before) + octets + [0xff]
    func isSame(_ octets: [UInt8]) -> Bool {
      octets.withOctets { octets in
        other.withOctets { octets.hasSameOctets(at: 0, as: $0, at: before, count: octets.byteCount) }
      }
    }
    #expect(isSame(octets))
    for index in octets.indices {
      var changed = octets
      changed[index] ^= 0x80
      #expect(!isSame(changed), "octet \(index)")
    }
  }
}
