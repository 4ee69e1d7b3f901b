import Foundation
import HTTPReassembly
import Testing

/// The corpus is not part of the repository; `SNIFFER_CORPUS` says where it is.
private enum Corpus {
  static let path =
    ProcessInfo.processInfo.environment["SNIFFER_CORPUS"]
    ?? (0..<6).reduce(URL(filePath: #filePath)) { folder, _ in folder.deletingLastPathComponent() }
    .appending(path: "shared/corpus").path
  static let isPresent = FileManager.default.fileExists(atPath: path + "/oracle/totals.csv")
}

/// Captures that others made: every packet balances, and TCP payloads add up to what the oracle found.
@Suite(.enabled(if: Corpus.isPresent)) struct LinkCorpusTests {
  /// Files where the oracle's Python is wrong about the TCP payload, and what is right.
  private static let exceptions: [String: Int] = [
    // The oracle's Python does not know the link type (129); TShark does, and finds 194.
    "encap/libpcap-filter-arcnet-rfc1051-arp-icmp-http.pcap": 194
  ]

  @Test func payloadsAgreeWithTheOracle() throws {
    let rows = try Self.totals()
    #expect(rows.count == 150)
    for (file, expected) in rows {
      let capture = try #require(TestCapture(path: Corpus.path + "/" + file), "\(file)")
      var balance = Balance()
      for (packet, octets) in capture.packets {
        balance.decode(packet, octets)
        guard balance.isBalanced else { break }
      }
      balance.finish()
      #expect(balance.isBalanced, "\(file)")
      #expect(balance.tcpPayload == Self.exceptions[file] ?? expected, "\(file)")
    }
  }

  /// The files of the corpus with the TCP payload that the oracle's Python found.
  private static func totals() throws -> [(file: String, payload: Int)] {
    let text = try String(contentsOfFile: Corpus.path + "/oracle/totals.csv", encoding: .utf8)
    let lines = text.split(whereSeparator: \.isNewline).map {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }
    let column = try #require(lines.first?.firstIndex(of: "py_tcp_payload_bytes"))
    return lines.dropFirst().compactMap { fields in
      fields.count > column ? (String(fields[0]), Int(fields[column]) ?? 0) : nil
    }
  }
}

/// The packets of a pcap or pcapng file, read with no more care than a trusted corpus needs.
private struct TestCapture {
  var packets: [(Packet, [UInt8])] = []
  private let octets: [UInt8]
  private var isLittleEndian = true

  init?(path: String) {
    guard let data = FileManager.default.contents(atPath: path), data.count >= 24 else { return nil }
    octets = [UInt8](data)
    switch integer(0) {
    case 0xa1b2_c3d4, 0xa1b2_3c4d: readPcap()
    case 0xd4c3_b2a1, 0x4d3c_b2a1:
      isLittleEndian = false
      readPcap()
    case 0x0a0d_0d0a: readPcapng()
    default: return nil
    }
  }

  private func integer(_ position: Int) -> UInt32 {
    let value = octets[position..<position + 4].reversed().reduce(0) { UInt32($0) << 8 | UInt32($1) }
    return isLittleEndian ? value : value.byteSwapped
  }

  private mutating func add(_ start: Int, captured: Int, original: Int, seconds: UInt32, linkType: UInt32) {
    let packet = Packet(
      timestamp: Int64(seconds) * 1_000_000_000, originalLength: max(captured, original),
      linkType: LinkType(rawValue: linkType & 0xffff))
    packets.append((packet, Array(octets[start..<start + captured])))
  }

  private mutating func readPcap() {
    var position = 24
    while position + 16 <= octets.count, position + 16 + Int(integer(position + 8)) <= octets.count {
      let captured = Int(integer(position + 8))
      add(
        position + 16, captured: captured, original: Int(integer(position + 12)), seconds: integer(position),
        linkType: integer(20))
      position += 16 + captured
    }
  }

  private mutating func readPcapng() {
    var linkTypes: [UInt32] = []
    var position = 0
    while position + 12 <= octets.count {
      if integer(position) == 0x0a0d_0d0a {
        linkTypes = []
        isLittleEndian = octets[position + 8] == 0x4d
      }
      let length = Int(integer(position + 4))
      guard length >= 12, position + length <= octets.count else { return }
      switch integer(position) {
      case 1: linkTypes.append(integer(position + 8))
      case 3:
        let original = Int(integer(position + 8))
        add(
          position + 12, captured: min(original, length - 16), original: original, seconds: 0, linkType: linkTypes[0])
      case 6:
        let ticks = UInt64(integer(position + 12)) << 32 | UInt64(integer(position + 16))
        add(
          position + 28, captured: Int(integer(position + 20)), original: Int(integer(position + 24)),
          seconds: UInt32(truncatingIfNeeded: ticks / 1_000_000), linkType: linkTypes[Int(integer(position + 8))])
      default: break
      }
      position += length
    }
  }
}
