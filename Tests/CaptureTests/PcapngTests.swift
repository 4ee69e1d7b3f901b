import Capture
import HTTPReassembly
import Testing

@Suite struct PcapngTests {
  @Test func sectionsHaveTheirOwnByteOrderAndInterfaces() throws {
    var file = PcapngBuilder(.big)
    file.interface(1)
    file.interface(101, options: file.option(9, [9]))
    file.enhanced(pattern(60), interface: 0, ticks: 1_700_000_000_000_001)
    file.enhanced(pattern(41, seed: 1), interface: 1, ticks: 1_700_000_000_000_000_002, original: 1500)
    file.section(.little)
    file.interface(113, options: file.option(9, [0x80 | 10]) + file.option(14, Order.little(Int64(1000))))
    file.enhanced(pattern(62, seed: 2), interface: 0, ticks: 1536)
    let reading = try Reading(file.octets)
    #expect(reading.error == nil)
    #expect(reading.format == "pcapng")
    #expect(
      reading.packets == [
        ReadPacket(timestamp: 1_700_000_000_000_001_000, originalLength: 60, octets: pattern(60)),
        ReadPacket(
          timestamp: 1_700_000_000_000_000_002, originalLength: 1500, linkType: .raw, octets: pattern(41, seed: 1)),
        ReadPacket(
          timestamp: 1_001_500_000_000, originalLength: 62, linkType: .linuxSLL, octets: pattern(62, seed: 2)),
      ])
  }

  /// The interface of the first section is not there in the second.
  @Test func sectionsDoNotShareInterfaces() throws {
    var file = PcapngBuilder()
    file.interface()
    file.section(.little)
    file.enhanced(pattern(60))
    let reading = try Reading(file.octets)
    #expect(reading.packets.isEmpty)
    #expect(reading.error?.offset == file.boundaries[3])
    #expect(
      reading.error?.problem
        == .malformed("a packet of interface 0, while the section describes 0 so far"))
  }

  @Test(arguments: Order.allCases)
  func simplePacketsHaveTheTimeOfThePacketBefore(order: Order) throws {
    var file = PcapngBuilder(order)
    file.interface(1, snapshotLength: 50)
    file.interface(101)
    file.simple(pattern(20))
    file.enhanced(pattern(30), interface: 1, ticks: 7)
    file.simple(pattern(50, seed: 1), original: 1500)
    let reading = try Reading(file.octets)
    #expect(reading.error == nil)
    #expect(
      reading.packets == [
        ReadPacket(timestamp: 0, originalLength: 20, octets: pattern(20)),
        ReadPacket(timestamp: 7000, originalLength: 30, linkType: .raw, octets: pattern(30)),
        ReadPacket(timestamp: 7000, originalLength: 1500, octets: pattern(50, seed: 1)),
      ])
  }

  @Test func simplePacketNeedsAnInterface() throws {
    var file = PcapngBuilder()
    file.simple(pattern(20))
    #expect(try Reading(file.octets).error?.offset == file.boundaries[1])
  }

  @Test(arguments: Order.allCases)
  func obsoletePacketBlocksAreRead(order: Order) throws {
    var file = PcapngBuilder(order)
    file.interface()
    file.interface(101)
    file.obsolete(pattern(33), interface: 1, drops: 3, ticks: 5)
    file.obsolete(pattern(34), interface: 0, drops: 0xffff, ticks: 6)
    let reading = try Reading(file.octets)
    #expect(
      reading.packets == [
        ReadPacket(timestamp: 5000, originalLength: 33, linkType: .raw, octets: pattern(33)),
        ReadPacket(timestamp: 6000, originalLength: 34, octets: pattern(34)),
      ])
    #expect(reading.dropped == 3)
  }

  // MARK: Drop counts

  /// Statistics count from the start: the last of each interface is what counts, in each section.
  @Test(arguments: Order.allCases)
  func dropCountsAreTheLastStatisticsOfEachInterface(order: Order) throws {
    var file = PcapngBuilder(order)
    func drops(_ byInterface: UInt64, _ bySystem: UInt64?) -> [UInt8] {
      file.option(4, order(UInt64(1000))) + file.option(5, order(byInterface))
        + (bySystem.map { file.option(7, order($0)) } ?? []) + file.option(0, [])
    }
    file.interface()
    file.interface()
    file.statistics(interface: 0, options: drops(1, 2))
    file.statistics(interface: 1, options: drops(10, nil))
    file.enhanced(pattern(60))
    file.statistics(interface: 0, options: drops(5, 7))
    file.statistics(interface: 9, options: drops(1 << 40, nil))
    file.section(order)
    file.interface()
    file.statistics(interface: 0, options: drops(100, nil))
    #expect(try Reading(file.octets).dropped == 122)
  }

  @Test func dropCountIsUnknownWithoutStatistics() throws {
    var file = PcapngBuilder()
    file.interface()
    file.enhanced(pattern(60))
    file.statistics(interface: 0, options: file.option(4, Order.little(UInt64(1))))
    #expect(try Reading(file.octets).dropped == nil)
  }

  /// Packets and statistics tell of the same losses: the larger account counts, not the sum.
  @Test func dropCountsOfPacketsAreSummed() throws {
    var file = PcapngBuilder()
    file.interface()
    file.interface()
    file.enhanced(pattern(60), interface: 0, options: file.option(4, Order.little(UInt64(2))))
    file.enhanced(pattern(61), interface: 0, options: file.option(4, Order.little(UInt64(3))))
    file.enhanced(pattern(61), interface: 1, options: file.option(4, Order.little(UInt64(1))))
    #expect(try Reading(file.octets).dropped == 6)
    file.statistics(interface: 0, options: file.option(5, Order.little(UInt64(4))))
    #expect(try Reading(file.octets).dropped == 6)
    file.statistics(interface: 0, options: file.option(5, Order.little(UInt64(9))))
    #expect(try Reading(file.octets).dropped == 10)
    file.statistics(interface: 0, options: file.option(5, Order.little(UInt64.max)))
    #expect(try Reading(file.octets).dropped == .max)
  }

  // MARK: Frame check sequences

  @Test func frameCheckSequenceLengthIsInBitsOrOctetsAndPacketsOverrideIt() throws {
    for (value, length) in [(32, 4), (16, 2), (4, 4), (2, 2), (0, 0)] as [(UInt8, Int)] {
      var file = PcapngBuilder()
      file.interface(options: file.option(13, [value]))
      file.enhanced(pattern(60))
      file.enhanced(pattern(60), options: file.option(2, Order.little(UInt32(3 << 5 | 1))))
      file.enhanced(pattern(60), options: file.option(2, Order.little(UInt32(1))))
      #expect(try Reading(file.octets).packets.map(\.frameCheckSequenceLength) == [length, 3, length])
    }
  }

  // MARK: Names

  @Test(arguments: Order.allCases)
  func nameRecordsAreHandedOver(order: Order) throws {
    var file = PcapngBuilder(order)
    file.interface()
    file.block(
      4,
      file.option(1, [192, 0, 2, 1] + Array("a.example\0b.example\0".utf8))
        + file.option(2, [0x20, 1, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 11) + [1] + Array("six.example".utf8))
        + file.option(3, [1, 2, 3, 4, 5, 6] + Array("hardware\0".utf8))
        + file.option(1, [192, 0, 2])
        + file.option(0, []) + file.option(1, [192, 0, 2, 9] + Array("after the end\0".utf8)))
    file.enhanced(pattern(60))
    let reading = try Reading(file.octets)
    #expect(reading.error == nil)
    #expect(
      reading.names.map { "\($0.address) \(String(decoding: $0.name, as: UTF8.self))" } == [
        "192.0.2.1 a.example", "192.0.2.1 b.example", "2001:db8::1 six.example",
      ])
  }

  /// A record that ends beyond its block says nothing, and harms nothing.
  @Test func nameRecordsMayBeBroken() throws {
    var file = PcapngBuilder()
    file.interface()
    file.block(4, Order.little(UInt16(1)) + Order.little(UInt16(400)) + [1, 2, 3, 4])
    file.block(4, [1])
    file.enhanced(pattern(60))
    let reading = try Reading(file.octets)
    #expect(reading.error == nil)
    #expect(reading.names.isEmpty)
    #expect(reading.packets.count == 1)
  }

  // MARK: Other blocks

  @Test(arguments: Order.allCases)
  func otherBlocksArePassedOver(order: Order) throws {
    var file = PcapngBuilder(order)
    file.interface()
    for type in [0x0000_000a, 0x0000_0bad, 0x4000_0bad, 0x8000_0001, 0x7fff_ffff] as [UInt32] {
      file.block(type, pattern(28))
      file.block(type, [])
      file.enhanced(pattern(60))
    }
    // Larger than what is held at once.
    file.block(0xbad, [UInt8](repeating: 1, count: 18 << 20))
    file.enhanced(pattern(60))
    let reading = try Reading(file.octets)
    #expect(reading.error == nil)
    #expect(reading.packets.count == 6)
  }

  // MARK: Damage

  private func expectFault(_ file: PcapngBuilder, at offset: Int, _ problem: CaptureError.Problem) throws {
    let reading = try Reading(file.octets)
    #expect(reading.packets.count == 1)
    #expect(reading.error?.offset == offset)
    #expect(reading.error?.problem == problem)
  }

  @Test(arguments: [6, 0xbad] as [UInt32])
  func badBlockLengths(type: UInt32) throws {
    var good = PcapngBuilder()
    good.interface()
    good.enhanced(pattern(60))
    let end = good.octets.count
    let minimum = type == 6 ? 32 : 12
    let name = type == 6 ? "0x6" : "0xbad"
    for length in [0, 8, minimum - 4, minimum + 1] {
      var file = good
      file.octets += Order.little(type) + Order.little(UInt32(length)) + pattern(100)
      try expectFault(
        file, at: end,
        .nonsenseLength("the block of type \(name) says it has \(length) bytes, not \(minimum) or more in fours"))
    }
    var file = good
    file.octets += Order.little(type) + Order.little(UInt32(64)) + [UInt8](repeating: 0, count: 52)
    file.octets += Order.little(UInt32(60))
    try expectFault(
      file, at: end, .nonsenseLength("the block says at its start that it has 64 bytes, and at its end 60"))
  }

  @Test func lengthsBeyondTheirBlock() throws {
    var good = PcapngBuilder()
    good.interface()
    good.enhanced(pattern(60))
    let end = good.octets.count
    var file = good
    file.enhanced(pattern(60), captured: 61)
    try expectFault(file, at: end, .nonsenseLength("61 bytes were captured, says a block that has 92"))
    file = good
    file.simple(pattern(60), original: 61)
    try expectFault(file, at: end, .nonsenseLength("61 bytes were captured, says a block that has 76"))
    file = good
    file.octets += Order.little(UInt32(6)) + Order.little(UInt32(0x7fff_fff0)) + pattern(100)
    try expectFault(
      file, at: end, .nonsenseLength("the block of type 0x6 says it has 2147483632 bytes, more than 17825792"))
    file = good
    file.enhanced(pattern(60), interface: 1)
    try expectFault(
      file, at: end, .malformed("a packet of interface 1, while the section describes 1 so far"))
    file = good
    file.interface(options: Order.little(UInt16(9)) + Order.little(UInt16(200)))
    try expectFault(file, at: end, .malformed("an interface's options overrun their block"))
    file = good
    file.section(.little, major: 2)
    try expectFault(file, at: end, .unsupported("pcapng version 2.0"))
    file = good
    file.block(0x0a0d_0d0a, pattern(16))
    try expectFault(file, at: end, .malformed("a section header with the byte-order magic 0x150e0700"))
  }

  @Test func capturedBeyondOriginalIsTheOriginalLength() throws {
    var file = PcapngBuilder()
    file.interface()
    file.enhanced(pattern(60), original: 46)
    #expect(try Reading(file.octets).packets.map(\.originalLength) == [60])
  }

  @Test(arguments: [1, 12, 28, 92, 93, 500])
  func bufferCapacityDoesNotShow(capacity: Int) throws {
    var file = PcapngBuilder(.big)
    file.interface()
    for seed in 0..<50 {
      file.enhanced(pattern(seed * 13 % 97, seed: seed), ticks: UInt64(seed))
      file.block(0xbad, pattern(seed))
    }
    let small = try Reading(file.octets, bufferCapacity: capacity)
    #expect(small.error == nil)
    #expect(small.packets.count == 50)
    #expect(small.packets == (try Reading(file.octets)).packets)
  }
}
