import Testing

@testable import Capture

@Suite struct PcapngTimestampTests {
  private func nanoseconds(_ ticks: UInt64, _ resolution: UInt8, offset: Int64 = 0) -> Int64 {
    PcapngTimestampResolution(resolution, offsetSeconds: offset).nanoseconds(ticks)
  }

  @Test func powersOfTen() {
    #expect(nanoseconds(1_700_000_000_123_456, 6) == 1_700_000_000_123_456_000)
    #expect(nanoseconds(1_700_000_000, 0) == 1_700_000_000_000_000_000)
    #expect(nanoseconds(1_700_000_000_123, 3) == 1_700_000_000_123_000_000)
    #expect(nanoseconds(1_700_000_000_123_456_789, 9) == 1_700_000_000_123_456_789)
    // Finer than nanoseconds: rounded down.
    #expect(nanoseconds(1_999, 12) == 1)
    #expect(nanoseconds(.max, 10) == 1_844_674_407_370_955_161)
    #expect(nanoseconds(.max, 28) == 1)
    #expect(nanoseconds(.max, 29) == 0)
    #expect(nanoseconds(.max, 127) == 0)
  }

  @Test func powersOfTwo() {
    #expect(nanoseconds(3, 0x80) == 3_000_000_000)
    #expect(nanoseconds(3, 0x81) == 1_500_000_000)
    // 2^-20 s, as some capture hardware counts.
    #expect(nanoseconds(1 << 20 | 1, 0x94) == 1_000_000_953)
    // 2^-32 s, the fraction of NTP.
    #expect(nanoseconds(1_700_000_000 << 32 | 0x8000_0000, 0xa0) == 1_700_000_000_500_000_000)
    #expect(nanoseconds(.max, 0xc0) == 999_999_999)
    #expect(nanoseconds(.max, 0xff) == 0)
  }

  @Test func offsetsAreAddedAndTheSumIsHeldTo64Bits() {
    #expect(nanoseconds(5_000_000, 6, offset: 1_700_000_000) == 1_700_000_005_000_000_000)
    #expect(nanoseconds(5_000_000, 6, offset: -6) == -1_000_000_000)
    #expect(nanoseconds(.max, 0) == .max)
    #expect(nanoseconds(.max, 6) == .max)
    #expect(nanoseconds(0, 6, offset: .max) == .max)
    #expect(nanoseconds(0, 6, offset: .min) == .min)
    // Beyond 64 bits on the way, but not in the end.
    #expect(nanoseconds(10_000_000_000, 0, offset: -9_999_999_999) == 1_000_000_000)
  }
}
