import Capture
import Foundation
import Testing

/// Inputs that are no captures, or not only: the error says what they are, and which command helps.
@Suite struct OtherFormatTests {
  private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

  private static let files: [(start: [UInt8], name: String, command: String)] = [
    ([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0, 0, 4], "it is xz data", "xz -dc PATH | sniffer -"),
    (text("BZh91AY&SY"), "it is bzip2 data", "bzip2 -dc PATH | sniffer -"),
    ([0x04, 0x22, 0x4d, 0x18, 0x64], "it is lz4 data", "lz4 -dc PATH | sniffer -"),
    ([0x50, 0x4b, 3, 4, 20, 0], "it is zip data", "unzip -p PATH | sniffer -"),
    ([0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c], "it is 7z data", "7z x -so PATH | sniffer -"),
    (text("a.pcap") + zeros(251) + text("ustar") + zeros(250), "it is a tar archive", "tar -xf PATH"),
    (
      [0, 0, 1, 0] + zeros(68) + [2, 0, 2, 0xc0] + zeros(100), "it is an event trace log of Windows",
      "etl2pcapng PATH capture.pcapng"
    ),
    (text("snoop\0\0\0") + [0, 0, 0, 2], "it is a capture of snoop", "editcap PATH capture.pcapng"),
    (
      text("12:00:00.000000 IP 10.0.0.1.50001 > 10.0.0.9.80: Flags [S]\n"), "it is text as tcpdump prints it",
      "tcpdump -w capture.pcap"
    ),
    (text("2026-01-02 12:00:00.000000 IP6 ::1"), "it is text as tcpdump prints it", "tcpdump -w capture.pcap"),
    (text("1700000000.000000 IP 10.0.0.1"), "it is text as tcpdump prints it", "tcpdump -w capture.pcap"),
    (text("tcpdump: listening on eth0\n"), "it is text as tcpdump prints it", "tcpdump -w capture.pcap"),
    (text("00000000: d4c3 b2a1 0200 0400  ........\n"), "it is a hexdump of a capture", "xxd -r PATH | sniffer -"),
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
  ]

  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

  @Test func kindsAreNamed() throws {
    for (start, name, command) in Self.files {
      let file = try TemporaryFile(start)
      let error = try #require(CaptureCheck.fault(of: file.path), "\(name)")
      #expect(error == Reading(path: file.path).error)
      #expect(error.description.hasPrefix("\(file.path): not a capture file: "))
      #expect(error.description.contains(name), "\(error)")
      #expect(error.description.contains(command.replacing("PATH", with: file.path)), "\(error)")
    }
  }

  @Test func aKindInACompressedFileIsNamed() throws {
    let file = try TemporaryFile(Compressed.gzip(Self.text("BZh91AY&SY")))
    let error = try #require(Reading(path: file.path).error)
    #expect(error.description.contains("gzip data, and inside it is bzip2 data"))
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
    #expect(error.description.contains("decompress it, and take the two apart: head -c \(pcap.octets.count) "))
    // Sections of pcapng follow one another.
    #expect(try Reading(path: TemporaryFile(pcapng.octets + pcapng.octets).path).error == nil)
  }

  @Test func zerosAtTheEnd() throws {
    var pcap = PcapBuilder()
    pcap.record([1, 2, 3])
    var pcapng = PcapngBuilder()
    pcapng.interface()
    pcapng.enhanced([6])
    for octets in [pcap.octets, pcapng.octets] {
      for count in [16, 17, 31, 32, 4_096] {
        try expect(octets + Self.zeros(count), packets: 1, at: octets.count, saying: "cut: zeros are here")
      }
    }
    // A packet without octets at time 0 is one.
    pcap.record([], seconds: 0)
    pcap.record([1])
    let reading = try Reading(path: TemporaryFile(pcap.octets).path)
    #expect(reading.error == nil && reading.packets.count == 3)
  }

  @Test func insertedReturns() throws {
    var pcap = PcapBuilder()
    for index: UInt8 in 0..<20 {
      pcap.record([10, 0, 0, index, 10, 10, 0, 9] + Self.text("a\r\n"), seconds: 0x650a_0000)
    }
    let inserted = pcap.octets.flatMap { $0 == 0x0a ? [0x0d, 0x0a] : [$0] }
    let error = try #require(Reading(path: TemporaryFile(inserted).path).error)
    #expect(error.problem == .insertedReturns)
    #expect(error.description.contains("adb exec-out"))
    // A capture of text that is only cut has line ends as HTTP has them.
    var text = PcapBuilder()
    for _ in 0..<5 { text.record(Self.text("GET / HTTP/1.1\r\nHost: a\r\n\r\n")) }
    let cut = try Reading(path: TemporaryFile(text.octets.dropLast(3).map(\.self)).path)
    #expect(cut.packets.count == 4)
    if case .cut = cut.error?.problem {} else { Issue.record("\(String(describing: cut.error))") }
  }

  private func expect(_ octets: [UInt8], packets: Int, at offset: Int, saying words: String) throws {
    let reading = try Reading(path: TemporaryFile(octets).path)
    #expect(reading.packets.count == packets)
    #expect(reading.error?.offset == offset)
    #expect(reading.error?.description.contains(words) == true, "\(String(describing: reading.error))")
  }
}
