import Testing

@testable import Capture

/// libpcap reads no format today that this package does not read itself: it is given one that both know.
@Suite struct ForeignCaptureTests {
  @Test func packetsAreThoseOfTheNativeReader() throws {
    var pcap = PcapBuilder(.big, magic: 0xa1b2_3c4d, network: 101)
    for seed in 0..<20 {
      pcap.record(pattern(seed * 100, seed: seed), seconds: UInt32(seed), fraction: 999_999_999, original: 5000)
    }
    let file = try TemporaryFile(pcap.octets)
    let capture = try #require(ForeignCapture(path: file.path))
    // Smaller than the packets, to see it grow.
    var window = OctetWindow(source: try FileInput(path: file.path), name: "", isDecompressed: false, capacity: 16)
    var lent = LentPacket()
    var packets: [ReadPacket] = []
    while let range = try capture.next(in: &window, packet: &lent.packet) {
      window.lend(range, to: &lent)
      lent.withPacket { packets.append(ReadPacket($0, $1)) }
    }
    #expect(packets == Reading(path: file.path).packets)
    #expect(packets.count == 20)
  }

  @Test func faultsAreTold() throws {
    var pcap = PcapBuilder()
    pcap.record(pattern(60))
    let file = try TemporaryFile(Array(pcap.octets.dropLast()))
    let capture = try #require(ForeignCapture(path: file.path))
    var window = OctetWindow(source: try FileInput(path: file.path), name: "", isDecompressed: false, capacity: 16)
    var lent = LentPacket()
    let error = #expect(throws: CaptureError.self) { try capture.next(in: &window, packet: &lent.packet) }
    #expect(error?.file == file.path)
    #expect(error?.description.contains("libpcap: ") == true)
    #expect(ForeignCapture(path: "/nowhere/x.pcap") == nil)
  }
}
