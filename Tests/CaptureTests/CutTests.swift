import Capture
import Testing

/// Files cut at every octet: each whole packet is handed over, and then the error names where the cut record begins.
@Suite struct CutTests {
  @Test(arguments: Order.allCases, [0xa1b2_c3d4, 0xa1b2_cd34] as [UInt32])
  func pcap(order: Order, magic: UInt32) throws {
    var pcap = PcapBuilder(order, magic: magic)
    for seed in 0..<4 { pcap.record(pattern(seed * 9, seed: seed), seconds: UInt32(seed)) }
    let all = try Reading(pcap.octets).packets
    #expect(all.count == 4)
    for length in 4..<pcap.octets.count {
      let reading = try Reading(Array(pcap.octets[..<length]))
      let before = pcap.boundaries.lastIndex { $0 <= length }
      #expect(reading.packets == Array(all[..<(before ?? 0)]))
      let start = before.map { pcap.boundaries[$0] } ?? 0
      if before != nil, start == length {
        #expect(reading.error == nil)
        continue
      }
      let error = try #require(reading.error)
      #expect(error.offset == start)
      #expect(!error.isDecompressedOffset)
      guard case .cut(let needed, let available) = error.problem else {
        Issue.record("cut at \(length): \(error)")
        continue
      }
      #expect(available == length - start)
      let header = before == nil ? 24 : magic == 0xa1b2_cd34 ? 24 : 16
      #expect(needed == (before == nil || available < header ? header : header + (before ?? 0) * 9))
    }
  }

  @Test(arguments: Order.allCases)
  func pcapng(order: Order) throws {
    var file = PcapngBuilder(order)
    file.interface()
    for seed in 0..<3 { file.enhanced(pattern(seed * 9, seed: seed), ticks: UInt64(seed)) }
    file.simple(pattern(5))
    file.block(0xbad, pattern(20))
    file.section(order)
    let packetEnds = file.boundaries[3...6]
    let all = try Reading(file.octets).packets
    #expect(all.count == 4)
    for length in 4..<file.octets.count {
      let reading = try Reading(Array(file.octets[..<length]))
      #expect(reading.packets == Array(all[..<packetEnds.filter { $0 <= length }.count]))
      let index = try #require(file.boundaries.lastIndex { $0 <= length })
      let start = file.boundaries[index]
      if start == length {
        #expect(reading.error == nil)
        continue
      }
      let error = try #require(reading.error)
      #expect(error.offset == start)
      let needed = length - start < 12 ? 12 : file.boundaries[index + 1] - start
      #expect(error.problem == .cut(needed: needed, available: length - start))
    }
  }

  @Test func theErrorIsOneLineThatNamesFileAndOffset() throws {
    var pcap = PcapBuilder()
    pcap.record(pattern(60))
    let file = try TemporaryFile(Array(pcap.octets.dropLast()))
    #expect(
      Reading(path: file.path).error?.description
        == "\(file.path): offset 24: cut: what begins here needs 76 bytes, and 75 are there")
  }
}
