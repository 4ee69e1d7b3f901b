import Capture
import Foundation
import Testing

/// Inputs that are no captures, or not only: the error says what they are, and which command helps.
@Suite struct OtherFormatTests {
  private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

  private static let files: [(start: [UInt8], name: String, command: String)] = [
    ([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0, 0, 4], "it is xz data", "xz -dc PATH | sniffer -"),
    ([0x5d, 0, 0, 0x80, 0, 0xff], "it is lzma data", "xz -dc PATH | sniffer -"),
    (text("BZh91AY&SY"), "it is bzip2 data", "bzip2 -dc PATH | sniffer -"),
    ([0x04, 0x22, 0x4d, 0x18, 0x64], "it is lz4 data", "lz4 -dc PATH | sniffer -"),
    ([0x89, 0x4c, 0x5a, 0x4f, 0], "it is lzop data", "lzop -dc PATH | sniffer -"),
    ([0x50, 0x4b, 3, 4, 20, 0], "it is zip data", "unzip -p PATH | sniffer -"),
    ([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c], "it is 7z data", "7z x -so PATH | sniffer -"),
    (text("Rar!\u{1a}\u{7}"), "it is RAR data", "unrar p -inul PATH | sniffer -"),
    (text("a.pcap") + zeros(251) + text("ustar") + zeros(250), "it is a tar archive", "tar -xf PATH"),
    (text("snoop\0\0\0") + [0, 0, 0, 2], "it is a capture of snoop", "editcap PATH capture.pcapng"),
    (text("12:00:00.000000 IP 10.0.0.1.50001 > 10.0.0.9.80: Flags [S]\n"), "as tcpdump prints it", "tcpdump -w"),
    (text("    1  12:00:00.000000 IP 10.0.0.1.50001 > 10.0.0.9.80"), "as tcpdump prints it", "tcpdump -w"),
    (text("2026-01-02 12:00:00.000000 IP6 ::1"), "as tcpdump prints it", "tcpdump -w capture.pcap"),
    (text("1700000000.000000 IP 10.0.0.1"), "as tcpdump prints it", "tcpdump -w capture.pcap"),
    (text("IP 10.0.0.1.50001 > 10.0.0.9.80: Flags [S]"), "as tcpdump prints it", "tcpdump -w capture.pcap"),
    (text("tcpdump: listening on eth0\n"), "as tcpdump prints it", "tcpdump -w capture.pcap"),
    (
      [0xff, 0xfe] + text("12:00:00.000000 IP 10.0.0.1").flatMap { [$0, 0] }, "as tcpdump prints it",
      "tcpdump -w capture.pcap"
    ),
    (text("    1 0.000000000 10.0.0.1 \u{2192} 10.0.0.9 TCP 58"), "TShark or Wireshark prints it", "give the capture"),
    (text("No.     Time           Source"), "as TShark or Wireshark prints it", "give the capture"),
    (text("\"No.\",\"Time\",\"Source\""), "as TShark or Wireshark prints it", "give the capture"),
    (text("<?xml version=\"1.0\"?>\n<pdml>"), "as TShark or Wireshark prints it", "give the capture"),
    ([0xff, 0xfe, 0xd4, 0, 0xc3, 0, 0xb2, 0], "it is a capture written as text", "tcpdump -w capture.pcap"),
    (text("\u{fffd}\u{f2}\u{fffd}\u{2}"), "it is a capture written as text", "tcpdump -w capture.pcap"),
    (text("00000000: d4c3 b2a1 0200 0400  ........\n"), "it is a hexdump of a capture", ": xxd -r PATH | sniffer -"),
    (
      text("00000000  d4 c3 b2 a1 02 00 04 00  |........|\n"), "it is a hexdump of a capture",
      "PATH | xxd -r -p | sniffer -"
    ),
    (text("0000000 c3d4 a1b2 0002 0004 0000 0000\n"), "it is a hexdump of a capture", "| dd conv=swab | sniffer -"),
    (text("d4c3b2a1020004000000000000000000\n"), "it is a hexdump of a capture", "xxd -r -p PATH | sniffer -"),
    (text("0000  45 00 00 2c 00 00 40 00\n"), "it is a hexdump", "text2pcap PATH capture.pcap"),
    (text("\t0x0000:  4500 002c 0000\n"), "it is a hexdump", "text2pcap PATH capture.pcap"),
    (text("1MOyoQIABAAAAAAAAAAAAAAABAABAAAA"), "it is a capture in base64", "base64 -d PATH | sniffer -"),
    (text("<!DOCTYPE html>\n<html>"), "it is a web page", "download the file itself"),
    (text("version https://git-lfs.github.com/spec/v1\noid"), "it is a pointer of Git LFS", "git lfs pull"),
    (text("CLIENT_RANDOM 00112233"), "it is a key log", "sniffer CAPTURE --keys PATH"),
    ([0xef, 0xbb, 0xbf] + text("# SSL/TLS secrets log file"), "it is a key log", "sniffer CAPTURE --keys PATH"),
    (text("{\"log\": {\"version\": \"1.2\"}}"), "it is JSON", "sniffer verify CAPTURE --log PATH"),
    (text("[\n  {\n    \"_index\": \"packets-2026\""), "it is TShark's JSON", "give the capture"),
    ([0x0d, 0x0a, 0x0d, 0x0d, 0x0d, 0x0a, 0x1c], "carriage returns", "adb exec-out tcpdump -w -"),
    (text("host,path,requests,responses,request_start\r\n"), "it is a report of sniffer", "sniffer diff BASE NEW"),
    (text("host,path,method,requests,responses,"), "it is a report of sniffer", "sniffer diff BASE NEW"),
    (text("class,bytes\nlink,14\n"), "it is a report of sniffer", "sniffer diff BASE NEW"),
    (text("{\"message\":1,\"exchange\":1,\"connection\":1,"), "it is a report of sniffer", "sniffer diff BASE NEW"),
    (text("SQLite format 3\0") + zeros(52) + text("Snif") + zeros(28), "it is a report of sniffer", "diff BASE NEW"),
    (text("SQLite format 3\0") + zeros(84), "it is an SQLite database", "sniffer verify CAPTURE --log PATH"),
    (text("PAR1") + [0x15, 4], "it is a Parquet file", "give the capture"),
  ]

  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

  @Test func kindsAreNamed() throws {
    for (start, name, command) in Self.files {
      let file = try TemporaryFile(start)
      let error = try #require(CaptureCheck.fault(of: file.path) ?? Reading(path: file.path).error, "\(name)")
      #expect(error == Reading(path: file.path).error)
      #expect(error.description.hasPrefix("\(file.path): not a capture file: "))
      #expect(error.description.contains(name), "\(error)")
      #expect(error.description.contains(command.replacing("PATH", with: file.path)), "\(error)")
    }
  }

  @Test func anEventTraceIsNamed() throws {
    let file = try TemporaryFile([0, 0, 1, 0] + Self.zeros(68) + [2, 0, 2, 0xc0] + Self.zeros(100))
    let error = try #require(Reading(path: file.path).error)
    #expect(error.description.contains("it is an event trace log of Windows"))
    #expect(error.description.contains("etl2pcapng \(file.path) capture.pcapng"))
  }

  /// A capture is one whatever its packets' octets and its name look like.
  @Test func capturesAreNotRefused() throws {
    for magic: UInt32 in [0xa1b2_c3d4, 0xa1b2_3c4d, 0xa1b2_cd34] {
      for order in Order.allCases {
        var pcap = PcapBuilder(order, magic: magic)
        var octets = Self.zeros(500)
        let first = magic == 0xa1b2_cd34 ? 48 : 40
        octets.replaceSubrange((72 - first)..<(76 - first), with: [2, 0, 2, 0xc0])
        octets.replaceSubrange((257 - first)..<(262 - first), with: Self.text("ustar"))
        pcap.record(octets)
        for name in ["a.log", "b.etl", "c.json"] {
          let file = try TemporaryFile(pcap.octets, name: name)
          let path = "\(file.path)-\(name)"
          try FileManager.default.moveItem(atPath: file.path, toPath: path)
          defer { try? FileManager.default.removeItem(atPath: path) }
          #expect(CaptureCheck.fault(of: path) == nil)
          let reading = Reading(path: path)
          #expect(reading.error == nil && reading.packets.count == 1)
        }
      }
    }
  }

  @Test func aKindInACompressedFileIsNamed() throws {
    let file = try TemporaryFile(Compressed.gzip(Self.text("BZh91AY&SY")))
    let error = try #require(Reading(path: file.path).error)
    #expect(error.description.contains("gzip data, and inside it is bzip2 data"))
    #expect(error.description.contains("gzip -dc \(file.path) > inner; "))
    #expect(error.description.contains("bzip2 -dc inner | sniffer -"))
  }

  @Test func namesOfFilesAreWordsOfCommands() throws {
    let folder = try TemporaryFile([])
    let path = folder.path + " it's.xz"
    try Data([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]).write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let error = try #require(CaptureCheck.fault(of: path))
    #expect(error.description.contains("xz -dc '\(folder.path) it'\\''s.xz' | sniffer -"))
  }

  @Test func capturesThatOtherCapturesFollow() throws {
    var pcap = PcapBuilder()
    pcap.record([1, 2, 3])
    var big = PcapBuilder(.big, magic: 0xa1b2_3c4d)
    big.record([4, 5])
    var pcapng = PcapngBuilder()
    pcapng.interface()
    pcapng.enhanced([6])
    for (first, second) in [(pcap, big.octets), (pcap, pcapng.octets), (big, pcap.octets)] {
      try expect(first.octets + second, packets: 1, at: first.octets.count, saying: "another capture begins here")
    }
    for second in [pcap.octets, big.octets] {
      try expect(pcapng.octets + second, packets: 1, at: pcapng.octets.count, saying: "another capture begins here")
    }
    let file = try TemporaryFile(Compressed.gzip(pcap.octets + big.octets))
    let error = try #require(Reading(path: file.path).error)
    let start = "another capture begins here; take the two apart: gzip -dc \(file.path) | head -c \(pcap.octets.count) "
    #expect(error.description.contains(start), "\(error)")
    // Sections of pcapng follow one another.
    #expect(try Reading(pcapng.octets + pcapng.octets).error == nil)
  }

  @Test func zerosAtTheEnd() throws {
    var pcap = PcapBuilder()
    pcap.record([1, 2, 3])
    var pcapng = PcapngBuilder()
    pcapng.interface()
    pcapng.enhanced([6])
    for count in [64, 65, 4_095, 4_096, 100_000] {
      try expect(pcap.octets + Self.zeros(count), packets: 1, at: pcap.octets.count, saying: "cut: zeros are here")
    }
    for count in [12, 16, 4_096] {
      try expect(pcapng.octets + Self.zeros(count), packets: 1, at: pcapng.octets.count, saying: "cut: zeros are here")
    }
    let onlyHeader = PcapBuilder().octets
    try expect(onlyHeader + Self.zeros(4_096), packets: 0, at: 24, saying: "cut: zeros are here")
  }

  /// Packets without octets at time 0 are packets where they are few, or others follow.
  @Test func fewZerosArePackets() throws {
    var pcap = PcapBuilder()
    pcap.record([1, 2, 3])
    for _ in 0..<3 { pcap.record([], seconds: 0) }
    #expect(try Reading(pcap.octets).packets.count == 4)
    for _ in 0..<100 { pcap.record([], seconds: 0) }
    pcap.record([1])
    let reading = try Reading(pcap.octets)
    #expect(reading.error == nil && reading.packets.count == 105)
    var first = PcapBuilder()
    for _ in 0..<100 { first.record([], seconds: 0) }
    #expect(try Reading(first.octets).packets.count == 100)
  }

  @Test func insertedReturns() throws {
    for count: UInt8 in [3, 20] {
      var pcap = PcapBuilder()
      for index in 0..<count {
        pcap.record([10, 0, 0, index, 10, 10, 0, 9] + Self.text("a\r\n"), seconds: 0x650a_0000)
      }
      let inserted = pcap.octets.flatMap { $0 == 0x0a ? [0x0d, 0x0a] : [$0] }
      let error = try #require(Reading(inserted).error)
      #expect(error.problem == .insertedReturns)
      #expect(error.description.contains("adb exec-out"))
    }
  }

  /// Line feeds of HTTP follow carriage returns in captures that are only cut, or have lost octets.
  @Test func lineEndsOfHTTPAreNotInserted() throws {
    var pcap = PcapBuilder()
    for _ in 0..<8 {
      pcap.record(Self.text("GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
      for _ in 0..<4 { pcap.record([1, 2, 3]) }
      pcap.record([0x8f, 0x0d, 0x0a] + Self.text("5\r\n") + [1, 2, 3, 4, 0xff, 0x0d, 0x0a])
    }
    let cut = try Reading(Array(pcap.octets.dropLast(3)))
    #expect(cut.packets.count == 47)
    if case .cut = cut.error?.problem {} else { Issue.record("\(String(describing: cut.error))") }
    for lost in [41, 60, 70, 100] {
      var octets = pcap.octets
      octets.remove(at: lost)
      #expect(try #require(Reading(octets).error).problem != .insertedReturns)
    }
  }

  private func expect(_ octets: [UInt8], packets: Int, at offset: Int, saying words: String) throws {
    let reading = try Reading(octets)
    #expect(reading.packets.count == packets)
    #expect(reading.error?.offset == offset)
    #expect(reading.error?.description.contains(words) == true, "\(String(describing: reading.error))")
  }
}
