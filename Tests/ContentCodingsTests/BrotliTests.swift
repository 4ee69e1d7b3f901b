import ContentCodings
import HTTPReassembly
import Testing

/// `br` beyond what holds for every coding.
@Suite struct BrotliTests {
  /// 16 MiB of zeros, whose window is as large.
  private let zeros = octets("9fffffff002400e2b14072efff01")

  @Test func largestWindowDecodes() {
    #expect(outcome(of: zeros, "br", configuration: Configuration(ratio: .max)) == .decoded(octets: 16 << 20))
  }

  @Test func largeWindowExtensionIsCorrupt() {
    // The header of a window of 2 to the 30th.
    #expect(outcome(of: [0x11, 0x1E, 0x03], "br") == .failed(.corrupt))
  }

  @Test func memoryIsLimitedAndReturned() {
    let source = SystemContentDecoders(configuration: Configuration(ratio: .max), windowMemoryLimit: 1 << 20)
    for _ in 0..<3 {
      #expect(decode(zeros, ["br"], from: source)?.outcome == .failed(.beyondLimit))
      #expect(decode([0x06], ["br"], from: source)?.outcome == .decoded(octets: 0))
    }
  }
}
