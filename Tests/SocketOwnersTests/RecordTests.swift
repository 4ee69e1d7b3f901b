import Packets
import Testing

@testable import SocketOwners

/// What the helper reads, and what it tells.
@Suite struct RecordTests {
  private let v4 = Endpoint(address: IPAddress(v4: 0xc000_0201), port: 50_000)
  private let v6 = Endpoint(address: IPAddress(high: 0x2001_0db8_0000_0000, low: 7), port: 443)

  @Test func recordsComeOutAsTheyWentIn() {
    for name in ["", "curl", "a name of sixteen"] {
      for time in [0, 1, Int64.max, -1] {
        let record = OpenedConnection(
          local: v4, remote: v6, identifier: 0xffff_fffe, name: Array(name.utf8), time: time,
          transport: time == 0 ? .tcp : .udp)
        #expect(record.octets.count == OpenedConnection.length)
        #expect(record.octets.withOctets { OpenedConnection($0) } == record)
        #expect(record.name == Array(name.utf8.prefix(16)))
      }
    }
  }

  private func segment(_ version: Int, options: Int = 0) -> [UInt8] {
    let transport: [UInt8] = [0xc3, 0x50, 1, 0xbb, 0, 0, 0, 0, 0, 0, 0, 0, 0x50, 2, 0, 0, 0, 0, 0, 0]
    if version == 4 {
      let header: [UInt8] = [UInt8(0x45 + options), 0, 0, 40, 0, 0, 0, 0, 64, 6, 0, 0, 192, 0, 2, 1, 192, 0, 2, 2]
      return header + [UInt8](repeating: 1, count: options * 4) + transport
    }
    var header: [UInt8] = [0x60, 0, 0, 0, 0, 20, 6, 64]
    for last in [1, 2] as [UInt8] { header += [0x20, 1, 0x0d, 0xb8] + [UInt8](repeating: 0, count: 11) + [last] }
    return header + transport
  }

  @Test func firstPacketsAreRead() {
    for options in 0...10 {
      let first = segment(4, options: options).withOctets { FirstPacket($0) }
      #expect(first?.source == Endpoint(address: IPAddress(v4: 0xc000_0201), port: 50_000))
      #expect(first?.destination == Endpoint(address: IPAddress(v4: 0xc000_0202), port: 443))
    }
    let first = segment(6).withOctets { FirstPacket($0) }
    #expect(first?.source == Endpoint(address: IPAddress(high: 0x2001_0db8_0000_0000, low: 1), port: 50_000))
    #expect(first?.destination.port == 443)
  }

  /// Nothing is read beyond what came, wherever it ends.
  @Test func cutAndOtherPackets() {
    for whole in [segment(4), segment(4, options: 10), segment(6)] {
      for count in 0..<whole.count {
        let first = Array(whole.prefix(count)).withOctets { FirstPacket($0) }
        #expect(first == nil || count >= 34)
      }
    }
    var udp = segment(4)
    udp[9] = 17
    #expect(udp.withOctets { FirstPacket($0) }?.transport == .udp)
    var icmp = segment(4)
    icmp[9] = 1
    #expect(icmp.withOctets { FirstPacket($0) } == nil)
    var short = segment(4)
    short[0] = 0x44
    #expect(short.withOctets { FirstPacket($0) } == nil)
    #expect([UInt8](repeating: 0x50, count: 60).withOctets { FirstPacket($0) } == nil)
  }
}
