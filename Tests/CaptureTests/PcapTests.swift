import Capture
import HTTPReassembly
import Testing

@Suite struct PcapTests {
  @Test(arguments: Order.allCases, [0xa1b2_c3d4, 0xa1b2_3c4d, 0xa1b2_cd34] as [UInt32])
  func readsEveryVariant(order: Order, magic: UInt32) throws {
    var pcap = PcapBuilder(order, magic: magic)
    pcap.record(pattern(60), seconds: 1_700_000_000, fraction: 123_456)
    pcap.record([], seconds: 4_294_967_295, fraction: 1)
    pcap.record(pattern(1, seed: 1), seconds: 0, fraction: 0, original: 9000)
    let reading = try Reading(pcap.octets)
    let nanoseconds: Int64 = magic == 0xa1b2_3c4d ? 1 : 1000
    #expect(reading.error == nil)
    #expect(
      reading.packets == [
        ReadPacket(
          timestamp: 1_700_000_000_000_000_000 + 123_456 * nanoseconds, originalLength: 60, octets: pattern(60)),
        ReadPacket(timestamp: 4_294_967_295_000_000_000 + nanoseconds, originalLength: 0, octets: []),
        ReadPacket(timestamp: 0, originalLength: 9000, octets: pattern(1, seed: 1)),
      ])
    #expect(reading.dropped == nil)
    #expect(reading.octetsRead == pcap.octets.count)
    #expect(reading.size == pcap.octets.count)
    let modified = magic == 0xa1b2_cd34 ? "modified " : ""
    let resolution = magic == 0xa1b2_3c4d ? "nanoseconds" : "microseconds"
    #expect(reading.format == "\(modified)pcap (\(resolution), \(order)-endian)")
  }

  /// Buffers that hold less than a record, exactly one, and one and a bit: refills, moves and growth must not show.
  @Test(arguments: [1, 24, 40, 41, 63, 64, 65, 100, 1000])
  func bufferCapacityDoesNotShow(capacity: Int) throws {
    var pcap = PcapBuilder()
    for seed in 0..<50 { pcap.record(pattern(seed * 13 % 97, seed: seed), seconds: UInt32(seed)) }
    let small = try Reading(pcap.octets, bufferCapacity: capacity)
    #expect(small.error == nil)
    #expect(small.packets == (try Reading(pcap.octets)).packets)
    #expect(small.packets.count == 50)
  }

  @Test func readsAPacketLargerThanTheBuffer() throws {
    let large = [UInt8](repeating: 7, count: 3 << 20) + pattern(1000)
    var pcap = PcapBuilder()
    pcap.record(pattern(60))
    pcap.record(large)
    pcap.record(pattern(60, seed: 2))
    let reading = try Reading(pcap.octets)
    #expect(reading.error == nil)
    #expect(reading.packets.map(\.octets) == [pattern(60), large, pattern(60, seed: 2)])
  }

  @Test(arguments: Order.allCases)
  func linkTypeIsInTheLowBits(order: Order) throws {
    // Bit 26 says that the top four bits count the frame check sequence in 16-bit words.
    for (network, linkType, fcs) in [(0x2400_0001, 1, 4), (0x2000_0071, 113, 0), (0x0bff_0065, 101, 0)] {
      var pcap = PcapBuilder(order, network: UInt32(network))
      pcap.record(pattern(64))
      let packet = try #require(try Reading(pcap.octets).packets.first)
      #expect(packet.linkType.rawValue == UInt32(linkType))
      #expect(packet.frameCheckSequenceLength == fcs)
    }
  }

  @Test func capturedBeyondOriginalIsTheOriginalLength() throws {
    var pcap = PcapBuilder()
    pcap.record(pattern(60), original: 46)
    pcap.record(pattern(10))
    let reading = try Reading(pcap.octets)
    #expect(reading.error == nil)
    #expect(reading.packets.map(\.originalLength) == [60, 10])
  }

  @Test func oldVersionsHaveTheirLengthsTheOtherWayRound() throws {
    for version in [(2, 2), (2, 3), (543, 0)] as [(UInt16, UInt16)] {
      var pcap = PcapBuilder(version: version)
      pcap.record(pattern(10), captured: 500, original: 10)
      let reading = try Reading(pcap.octets)
      #expect(reading.packets.map(\.originalLength) == [500])
      #expect(reading.packets.map(\.octets) == [pattern(10)])
    }
    var pcap = PcapBuilder(version: (2, 3))
    pcap.record(pattern(10), captured: 10, original: 500)
    #expect(try Reading(pcap.octets).packets.map(\.originalLength) == [500])
  }

  @Test func unknownVersionIsRefused() throws {
    let reading = try Reading(PcapBuilder(version: (3, 0)).octets)
    #expect(reading.error?.problem == .unsupported("pcap version 3.0"))
  }

  @Test func nonsenseLengthStopsAtItsRecord() throws {
    var pcap = PcapBuilder()
    pcap.record(pattern(60))
    pcap.record(pattern(60), captured: (16 << 20) + 1)
    let reading = try Reading(pcap.octets)
    #expect(reading.packets.count == 1)
    #expect(reading.error?.offset == pcap.boundaries[1])
    #expect(
      reading.error?.problem
        == .nonsenseLength("the record says that 16777217 bytes were captured, more than 16777216"))
  }

  @Test func writerWritesWhatTheReaderReads() throws {
    var writer = PcapWriter(linkType: .raw)
    writer.append(timestamp: 1_700_000_000_123_456_789, octets: pattern(40))
    writer.append(timestamp: 1_700_000_001_000_000_000, originalLength: 1500, octets: pattern(20, seed: 1))
    let file = TemporaryFile()
    try writer.write(to: file.path)
    let reading = Reading(path: file.path)
    #expect(reading.error == nil)
    #expect(
      reading.packets == [
        ReadPacket(timestamp: 1_700_000_000_123_456_789, originalLength: 40, linkType: .raw, octets: pattern(40)),
        ReadPacket(
          timestamp: 1_700_000_001_000_000_000, originalLength: 1500, linkType: .raw, octets: pattern(20, seed: 1)),
      ])
  }
}
