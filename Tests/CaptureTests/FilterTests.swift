import HTTPReassembly
import Testing

@testable import Capture

@Suite struct FilterTests {
  /// An IPv4 packet of 40 octets without a payload.
  private func ipv4(protocol number: UInt8 = 6, port: UInt16) -> [UInt8] {
    let header: [UInt8] = [0x45, 0, 0, 40, 0, 0, 0, 0, 64, number, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2]
    return header + Order.big(UInt16(50_000)) + Order.big(port) + [UInt8](repeating: 0, count: 16)
  }

  /// The same packets behind the headers of several link types.
  private var mixed: PcapngBuilder {
    var file = PcapngBuilder()
    let links: [(linkType: UInt16, header: [UInt8])] = [
      (1, [UInt8](repeating: 2, count: 12) + [8, 0]),
      (101, []),
      (12, []),
      (228, []),
      (0, [2, 0, 0, 0]),
      (0, [0, 0, 0, 2]),
      (108, [0, 0, 0, 2]),
      (113, [0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0]),
      (276, [8, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0]),
    ]
    for link in links { file.interface(link.linkType) }
    for (index, link) in links.enumerated() {
      for packet in [ipv4(port: 80), ipv4(port: 443), ipv4(protocol: 17, port: 80)] {
        file.enhanced(link.header + packet, interface: UInt32(index), ticks: UInt64(index))
      }
    }
    return file
  }

  @Test func filtersEachLinkTypeByItsOwnProgram() throws {
    let file = mixed
    #expect(try Reading(file.octets).packets.count == 27)
    for (expression, each) in [
      ("tcp port 80", 1), ("port 80", 2), ("tcp", 2), ("udp", 1), ("host 192.0.2.2", 3), ("ip6", 0), ("", 3),
    ] {
      let reading = try Reading(file.octets, filter: try PacketFilter(expression))
      #expect(reading.error == nil)
      #expect(reading.packets.count == 9 * each, "\(expression)")
      let counts = Dictionary(grouping: reading.packets, by: \.timestamp).mapValues(\.count)
      #expect(counts.values.allSatisfy { $0 == each }, "\(expression): \(counts)")
    }
  }

  @Test func lengthsAreThoseOfTheWireAndTheCapture() throws {
    var pcap = PcapBuilder()
    pcap.record(pattern(60), original: 1500)
    pcap.record(pattern(60))
    pcap.record([])
    #expect(try Reading(pcap.octets, filter: try PacketFilter("greater 100")).packets.count == 1)
    #expect(try Reading(pcap.octets, filter: try PacketFilter("len <= 0")).packets.count == 1)
  }

  @Test func mistakesAreToldBeforeAnythingIsRead() {
    let error = #expect(throws: CaptureError.self) { try PacketFilter("tcp prot 80") }
    #expect(error?.description.hasPrefix("filter: ") == true)
    #expect(error?.description.contains("syntax error") == true)
    #expect(throws: CaptureError.self) { try PacketFilter("host") }
    #expect(throws: CaptureError.self) { try PacketFilter("port 99999") }
  }

  @Test func anExpressionMayBeWrongForALinkType() throws {
    // Means something on wireless captures only.
    let filter = try PacketFilter("wlan type mgt")
    var pcap = PcapBuilder()
    pcap.record(pattern(60))
    let file = try TemporaryFile(pcap.octets)
    let reading = Reading(path: file.path, filter: filter)
    #expect(reading.packets.isEmpty)
    let message = try #require(reading.error?.description)
    #expect(message.hasPrefix("\(file.path): filter: for link type 1 (EN10MB): "))
  }

  @Test func aLinkTypeMayBeUnknown() throws {
    var pcap = PcapBuilder(network: 60_000)
    pcap.record(pattern(60))
    #expect(try Reading(pcap.octets).packets.count == 1)
    let error = try #require(try Reading(pcap.octets, filter: try PacketFilter("tcp")).error)
    #expect(error.description.contains("filter: for link type 60000: "))
  }

  @Test func linkTypesOfTheRegistryAndOfLibpcapMapBothWays() {
    for number in [0, 1, 9, 50, 51, 100, 101, 104, 105, 106, 108, 109, 113, 127, 192, 228, 229, 239, 258, 276] {
      let linkType = LinkType(rawValue: UInt32(number))
      #expect(LinkType(dataLinkType: linkType.dataLinkType) == linkType)
    }
    #expect(LinkType.raw.dataLinkType == 12 || LinkType.raw.dataLinkType == 14)
  }
}
