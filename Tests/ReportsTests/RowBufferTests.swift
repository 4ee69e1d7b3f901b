import HTTPReassembly
import TestSupport
import Testing

@testable import Reports
@testable import Tabular

@Suite struct RowBufferTests {
  private func text(_ append: (inout RowBuffer) -> Void) -> String {
    var buffer = RowBuffer()
    append(&buffer)
    return String(decoding: buffer.octets, as: UTF8.self)
  }

  @Test(arguments: [0, 9, 10, 99, 100, 1_234_567_890, -1, -10, .max, .min])
  func integers(_ value: Int) {
    #expect(text { $0.append(value) } == String(value))
  }

  @Test(
    arguments: [
      (0, "0"), (1, "0.000001"), (10, "0.00001"), (250_000, "0.25"), (999_999, "0.999999"), (1_000_000, "1"),
      (1_000_001, "1.000001"), (12_500_000_000, "12500"), (-1_500_000, "-1.5"), (.max, "9223372036854.775807"),
    ] as [(Int64, String)])
  func milliseconds(_ nanoseconds: Int64, _ expected: String) {
    #expect(text { $0.appendMilliseconds(nanoseconds) } == expected)
  }

  @Test(
    arguments: [
      (0, "0"), (1, "0.001"), (10, "0.01"), (1000, "1"), (1001, "1.001"), (-1500, "-1.5"), (-1, "-0.001"),
      (.max, "9223372036854775.807"), (.min, "-9223372036854775.808"),
    ] as [(Int, String)])
  func thousandths(_ value: Int, _ expected: String) {
    #expect(text { $0.appendThousandths(value) } == expected)
  }

  /// Each time after each other one, as their seconds are kept.
  @Test func times() {
    let times: [Int64] = [
      0, 1, -1, 999_999_999, 1_000_000_000, 1_795_766_657_530_435_000, 1_795_766_657_000_000_001,
      999_999_999_999_999_999, 1_000_000_000_000_000_000, 1_000_000_000_100_000_000, -1_795_766_657_530_435_000, .max,
      .min,
    ]
    for first in times {
      for second in times {
        let pair = text {
          $0.append(time: first, then: UInt8(ascii: ","))
          $0.append(time: second, then: UInt8(ascii: ","))
        }
        #expect(pair == "\(first),\(second),")
      }
    }
  }

  @Test func endpointsReadAsTheirDescription() {
    var generator = SeededRandom(seed: 2)
    for _ in 0..<RandomCases.count(2000) {
      let address: IPAddress
      if Bool.random(using: &generator) {
        address = IPAddress(v4: .random(in: 0 ... .max, using: &generator))
      } else {
        // Groups that are often zero, and short.
        var halves: [UInt64] = [0, 0]
        for index in 0..<8 {
          let group = [0, 0, 0x1, 0xab, 0xc00, 0xffff].randomElement(using: &generator) ?? 0
          halves[index / 4] = halves[index / 4] << 16 | UInt64(group)
        }
        address = IPAddress(high: halves[0], low: halves[1])
      }
      let endpoint = Endpoint(address: address, port: .random(in: 0 ... .max, using: &generator))
      #expect(text { $0.append(endpoint) } == endpoint.description)
    }
  }
}
