import TestSupport
import Testing

@testable import HTTPReassembly

/// What pseudo-headers and trailers of packets say of processes, right and wrong.
@Suite struct TappedProcessTests {
  /// Decodes a packet, and checks that the ledger balances.
  private func process(
    _ octets: [UInt8], _ linkType: LinkType, captured: Int? = nil
  ) -> (found: TappedProcess?, name: String, app: String, ledger: Ledger) {
    var decoder = PacketDecoder(configuration: Configuration())
    var (ledger, anomalies) = (Ledger(), AnomalyLog())
    let packet = Packet(timestamp: 1, originalLength: octets.count, linkType: linkType)
    let seen = Array(octets.prefix(captured ?? octets.count))
    let decoded = seen.withOctets { decoder.decode(packet, $0, ledger: &ledger, anomalies: &anomalies) }
    // Nobody claims a datagram here.
    if case .udp(let datagram) = decoded { ledger.charge(datagram.length, to: .udp) }
    #expect(ledger.total == octets.count && ledger.original == octets.count)
    func text(_ range: Range<Int>?) -> String { String(decoding: seen[range ?? 0..<0], as: UTF8.self) }
    return (decoder.process, text(decoder.process?.name), text(decoder.process?.app), ledger)
  }

  private func fixed(_ text: String, _ count: Int) -> [UInt8] {
    Array((Array(text.utf8) + Wire.zeros(count)).prefix(count))
  }

  private let packet = Wire.ethernet(0x0800, Wire.ipv4(17, Wire.payload(20)))

  private func version1(
    _ name: String, _ pid: Int, app: String = "", flags: Int = 0, isBigEndian: Bool = false, length: Int = 108
  ) -> [UInt8] {
    func word(_ value: Int) -> [UInt8] { isBigEndian ? Wire.be32(value) : Wire.le32(value) }
    var header = word(length) ++ word(1) ++ word(1) ++ fixed("en0", 24) ++ word(flags) ++ word(2) ++ word(14) ++ word(0)
    header += word(pid) ++ fixed(name, 17) ++ Wire.zeros(3) ++ word(0) ++ Wire.zeros(4) ++ word(pid) ++ fixed(app, 17)
    return header ++ Wire.zeros(length - header.count) ++ packet
  }

  private func version2(
    _ texts: [UInt8], name: UInt8, app: UInt8, pid: Int = 9, flags: Int = 0, length: Int? = nil
  ) -> [UInt8] {
    let header: [UInt8] = [UInt8(length ?? 40 + texts.count), 0, 0, 0, name, app]
    let words = Wire.le32(2) ++ Wire.le32(0) ++ Wire.le32(0) ++ Wire.le32(pid) ++ Wire.le32(pid)
    return header ++ Wire.le16(1) ++ Wire.le16(14) ++ Wire.le16(0) ++ Wire.le16(6) ++ Wire.le16(6) ++ words
      ++ Wire.le32(0x8_0000 | flags) ++ texts ++ packet
  }

  @Test(arguments: [false, true], [108, 156]) func version1Headers(isBigEndian: Bool, length: Int) {
    let found = process(
      version1("nsurlsessiond", 77, app: "Podcasts", flags: 2, isBigEndian: isBigEndian, length: length), .pktap)
    #expect(found.name == "nsurlsessiond" && found.app == "Podcasts")
    #expect(found.found?.identifier == 77 && found.found?.party == .sender && found.found?.format == .pktap)
    #expect(found.ledger.synthetic == length)
    // All 17 octets, without a zero; in; both directions say none.
    #expect(process(version1("abcdefghijklmnopq", 1, flags: 1), .applePKTAP).name == "abcdefghijklmnopq")
    #expect(process(version1("a", 1, flags: 1), .pktap).found?.party == .receiver)
    #expect(process(version1("a", 1, flags: 3), .pktap).found?.party == .unknown)
  }

  /// A pipeline that is at its end holds on to no process that no row names.
  @Test func textsAreLetGo() {
    for name in ["curl", "wget", "curl"] {
      let octets = version1(name, 7)
      let packet = TestPacket(timestamp: 1, octets: octets, originalLength: octets.count, linkType: .pktap)
      #expect(Analysis([packet, packet]).violations == [])
    }
  }

  @Test func version1WithoutAProcess() {
    #expect(process(version1("", -1), .pktap).found == nil)
    #expect(process(version1("", 0), .pktap).found == nil)
    #expect(process(version1("kernel_task", 0), .pktap).found?.identifier == 0)
    let nameless = process(version1("a", -1), .pktap)
    #expect(nameless.name == "a" && nameless.found != nil && nameless.found?.identifier == nil)
  }

  @Test func version2Headers() {
    let texts = Array("curl\0Safari\0".utf8)
    let found = process(version2(texts, name: 40, app: 45, flags: 1), .pktap)
    #expect(found.name == "curl" && found.app == "Safari" && found.found?.party == .receiver)
    #expect(found.found?.identifier == 9 && found.ledger.synthetic == 52)
    // Texts that have no zero end with the header; offsets beyond it, and 0, name nothing.
    #expect(process(version2(texts, name: 48, app: 0), .pktap).name == "ari")
    #expect(process(version2(Array("abcd".utf8), name: 40, app: 44), .pktap).name == "abcd")
    for offset: UInt8 in [0, 52, 53, 255] {
      let found = process(version2(texts, name: offset, app: offset), .pktap)
      #expect(found.name == "" && found.app == "" && found.found?.identifier == 9)
    }
    #expect(process(version2(texts, name: 0, app: 0, pid: -1), .pktap).found == nil)
  }

  /// Wherever a header ends, nothing is read beyond what was captured.
  @Test func cutHeaders() {
    for whole in [version1("curl", 77, app: "b"), version2(Array("curl\0".utf8), name: 40, app: 40)] {
      for captured in 0..<whole.count { _ = process(whole, .pktap, captured: captured) }
    }
  }

  private func android(_ payload: Int, uid: Int = 10123, name: String = "Wetter", padding: Int? = nil) -> [UInt8] {
    let frame = Wire.zeros(12) ++ Wire.be16(0x0800) ++ Wire.ipv4(17, Wire.payload(payload))
    let padded = frame ++ Wire.zeros(padding ?? (4 - frame.count % 4) % 4)
    return padded ++ Wire.be32(0x0107_2021) ++ Wire.be32(uid) ++ fixed(name, 20) ++ Wire.zeros(4)
  }

  /// PCAPdroid pads frames, so that the trailer starts at a multiple of four.
  @Test(arguments: 20...27) func trailers(payload: Int) {
    let octets = android(payload)
    let found = process(octets, .ethernet)
    #expect(found.app == "Wetter" && found.found?.format == .pcapdroid && found.found?.identifier == nil)
    #expect(found.ledger.synthetic == octets.count - 20 - payload && found.ledger[.link] == found.ledger.synthetic)
  }

  @Test func trailersThatSayNothing() {
    #expect(process(android(20, uid: -1), .ethernet).found == nil)
    #expect(process(android(20, name: ""), .ethernet).found == nil)
    #expect(process(android(20, name: "abcdefghijklmnopqrstuvwx"), .ethernet).app == "abcdefghijklmnopqrst")
    // Further away than padding goes, or not all of it captured.
    #expect(process(android(20, padding: 5), .ethernet).found == nil)
    let octets = android(20)
    for captured in 0..<octets.count - 4 { #expect(process(octets, .ethernet, captured: captured).found == nil) }
    #expect(process(octets, .ethernet, captured: octets.count - 4).app == "Wetter")
  }
}
