import HTTPReassembly
import TestSupport
import Testing

@testable import Reports
@testable import Tabular

@Suite struct OctetBufferTests {
  private func array(_ buffer: borrowing OctetBuffer) -> [UInt8] {
    var copy: [UInt8] = []
    buffer.withOctets { $0.append(0..<$0.byteCount, to: &copy) }
    return copy
  }

  /// It is what an array is, however it has to grow.
  @Test func isAnArrayThatGrows() {
    var random = SeededRandom(seed: 9)
    for _ in 0..<RandomCases.count(50) {
      var buffer = OctetBuffer(capacity: 0)
      var expected: [UInt8] = []
      for _ in 0..<200 {
        let octets = (0..<Int.random(in: 0..<100, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
        }
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
          buffer.append(7)
          expected.append(7)
        case 1:
          let length = Int.random(in: 0...expected.count, using: &random)
          buffer.shorten(to: length)
          expected = Array(expected.prefix(length))
        case 2:
          unsafe buffer.write(atMost: 300) { target in
            for (index, octet) in octets.enumerated() { unsafe target[index] = octet }
            return octets.count
          }
          expected += octets
        default:
          octets.withOctets { buffer.append($0) }
          expected += octets
        }
        #expect(buffer.count == expected.count && buffer.isEmpty == expected.isEmpty)
      }
      #expect(array(buffer) == expected)
      buffer.removeAll()
      #expect(buffer.isEmpty && array(buffer).isEmpty)
    }
  }
}
