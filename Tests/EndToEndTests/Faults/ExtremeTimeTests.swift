import Foundation
import HTTPReassembly
import TestSupport
import Testing

/// Times at both ends of their range, forward and back: no sum over them ends a run, in no format and no command.
@Suite struct ExtremeTimeTests {
  /// How a capture says its times.
  struct Clock: Sendable, CustomTestStringConvertible {
    /// `if_tsresol` and `if_tsoffset` of pcapng; nil for pcap with nanoseconds.
    var resolution: (UInt8, offset: Int64)?
    /// Units of time of the packets, which come again and again. For pcap, seconds in the high half and nanoseconds in the low one.
    var ticks: [UInt64]

    var testDescription: String { "\(resolution.map { "\($0)" } ?? "pcap") \(ticks)" }
  }

  private static let clocks: [Clock] =
    [[0, .max], [0, 0, .max, .max], [.max, 1 << 63, 1 << 62, 1 << 61, 0]].flatMap { (ticks: [UInt64]) in
      [
        (9, 0), (9, -9_223_372_036), (9, .min), (9, .max), (6, 0), (0, 0), (0x80, 0), (0xff, 0), (127, 0),
      ].map { Clock(resolution: $0, ticks: ticks) }
    } + [Clock(resolution: nil, ticks: [0, UInt64(UInt32.max) << 32 | 999_999_999, 1])]

  /// More exchanges than have exact waiting times (`LatencyDistribution`).
  private static let packets: [TestPacket] = {
    var dialogue = Dialogue.opened()
    for number in 0..<600 {
      dialogue.send(.client, "GET /items/\(number % 3) HTTP/1.1\r\nHost: example.org\r\n\r\n")
      dialogue.send(.server, "HTTP/1.1 \(number % 2 == 0 ? 200 : 404) OK\r\nContent-Length: 5\r\n\r\nhello")
    }
    dialogue.close()
    return dialogue.packets()
  }()

  private static let octets = packets.reduce(0) { $0 + $1.originalLength }

  @Test(arguments: clocks)
  func noSumEndsARun(_ clock: Clock) throws {
    let scratch = try Scratch()
    let capture = try scratch.file("capture.pcapng", Self.file(clock))
    let formats = ["--format", "csv,ndjson,sqlite,har,html,parquet"]
    let log = "host,path,time,length\nexample.org,/items/0,1700000000,40\n"
    let runs: [[String]] = [
      [capture.path, "-o", scratch.path("a"), "--by", "status", "--where", "wait_ms > 1"] + formats,
      [capture.path, "-o", scratch.path("b"), "--interval", "1", "--har-content", "headers,bodies"] + formats,
      [capture.path, "--partial", scratch.path("partial")],
      ["merge", scratch.path("partial"), "-o", scratch.path("c")] + formats,
      ["models", capture.path], ["verify", capture.path, "--log", try scratch.file("log.csv", Array(log.utf8)).path],
    ]
    for arguments in runs {
      let outcome = try Sniffer.run(arguments)
      // Two are the exit statuses of differences from a log.
      #expect(!outcome.wasKilled && (arguments[0] == "verify" || outcome.status == 0), "\(arguments): \(outcome.error)")
      if !arguments.contains("--partial"), outcome.status == 0 {
        #expect(outcome.outputLines.last == "ledger balanced: \(Self.octets) bytes", "\(arguments)")
      }
    }
    for name in ["a", "b", "c"] {
      let report = try Report(folder: scratch.url.appendingPathComponent(name))
      #expect(report.ledger("difference") == 0 && report.messages.rows.count == 1200)
      let archive = try Data(contentsOf: scratch.url.appendingPathComponent("\(name)/report.har"))
      #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: archive) }
    }
  }

  private static func file(_ clock: Clock) -> [UInt8] {
    var file: [UInt8] = []
    if let (resolution, offset) = clock.resolution {
      file += block(0x0a0d_0d0a, little(0x1a2b_3c4d, 4) + little(1, 2) + little(0, 2) + little(.max, 8))
      let options =
        little(9, 2) + little(1, 2) + [resolution, 0, 0, 0] + little(14, 2) + little(8, 2)
        + little(UInt64(bitPattern: offset), 8) + little(0, 4)
      file += block(1, little(101, 2) + little(0, 2) + little(0, 4) + options)
    } else {
      file += little(0xa1b2_3c4d, 4) + [2, 0, 4, 0] + little(0, 8) + little(262_144, 4) + little(101, 4)
    }
    for (index, packet) in packets.enumerated() {
      let time = clock.ticks[index % clock.ticks.count]
      let lengths = little(UInt64(packet.octets.count), 4) + little(UInt64(packet.originalLength), 4)
      let times = little(time >> 32, 4) + little(time & 0xffff_ffff, 4)
      if clock.resolution == nil {
        file += times + lengths + packet.octets
      } else {
        let padding = [UInt8](repeating: 0, count: (4 - packet.octets.count % 4) % 4)
        file += block(6, little(0, 4) + times + lengths + packet.octets + padding)
      }
    }
    return file
  }

  private static func block(_ kind: UInt64, _ body: [UInt8]) -> [UInt8] {
    let length = little(UInt64(body.count + 12), 4)
    return little(kind, 4) + length + body + length
  }

  private static func little(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
  }
}
