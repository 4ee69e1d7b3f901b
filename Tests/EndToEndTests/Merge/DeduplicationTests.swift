import Foundation
import Testing

/// `sniffer analyze --deduplicate`: captures of the same traffic at two points.
@Suite struct DeduplicationTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Two captures, each without some packets that the other one has, the second behind a router: nothing is lost, and nothing counts twice.
  @Test(arguments: ["nginx-keepalive", "cookies-redirects", "pipelining", "node-chunked", "dns-names"])
  func aPacketCountsOnce(_ name: String) throws {
    let octets = try PcapOctets(Corpus.capture(name).url)
    let isInFirst = { $0 % 7 != 3 }
    let isInSecond = { $0 % 5 != 1 || !isInFirst($0) }
    let indices = Array(octets.records.indices)
    let first = try scratch.file(
      "first.pcap", octets.header + indices.filter(isInFirst).flatMap { octets.records[$0] }
    ).path
    let second = try scratch.file(
      "second.pcap", octets.header + indices.filter(isInSecond).flatMap { octets.records[$0].behindRouter }
    ).path
    let whole = try report([Corpus.capture(name).url.path], "whole")
    let both = try report([second, first, "--deduplicate"], "both")
    #expect(both.octets("messages.csv") == whole.octets("messages.csv"))
    #expect(both.octets("exchanges.csv") == whole.octets("exchanges.csv"))
    #expect(both.octets("connections.csv") == whole.octets("connections.csv"))
    #expect(both.octets("apis.csv") == whole.octets("apis.csv"))
    let copies = indices.filter { isInFirst($0) && isInSecond($0) }
    #expect(both.ledger("duplicate_packets") == copies.count)
    #expect(both.ledger("duplicate_bytes") == PcapOctets.originalLength(copies.map { octets.records[$0] }[...]))
    func rows(_ report: Report) -> [[String]] { report.ledger.rows.map { [$0["class"], $0["bytes"]] } }
    #expect(rows(both).filter { !$0[0].hasPrefix("duplicate") } == rows(whole))

    // The same of their partials.
    for capture in [first, second] {
      let outcome = try Sniffer.run([capture, "--partial", capture + ".partial", "--keep-packets", "-q"])
      #expect(outcome.status == 0, "\(outcome.error)")
    }
    let merged = try report(["merge", second + ".partial", first + ".partial", "--deduplicate"], "merged")
    for (name, _) in both.files { #expect(merged.octets(name) == both.octets(name), "\(name)") }
    let refused = try Sniffer.run([first, "--partial", first + ".partial", "-q"])
    #expect(refused.status == 0)
    let lacking = try Sniffer.run(["merge", first + ".partial", second + ".partial", "--deduplicate", "-q"])
    #expect(lacking.status == 1 && lacking.error.contains("it has not all packets of \(first)"), "\(lacking.error)")
  }

  /// One file for each direction: without the option they are two captures that have nothing to do with each other.
  @Test func directionsComeTogether() throws {
    let octets = try PcapOctets(Corpus.capture("nginx-keepalive").url)
    let isUp = { (record: [UInt8]) in record.count > 52 && Int(record[52]) << 8 | Int(record[53]) == 80 }
    let up = try scratch.file("up.pcap", octets.header + octets.records.filter(isUp).joined()).path
    let down = try scratch.file("down.pcap", octets.header + octets.records.filter { !isUp($0) }.joined()).path
    let whole = try report([Corpus.capture("nginx-keepalive").url.path], "whole")
    let both = try report([up, down, "--deduplicate"], "both")
    #expect(both.octets("messages.csv") == whole.octets("messages.csv"))
    #expect(both.ledger("duplicate_packets") == 0)
    let apart = try Sniffer.run([up, down, "-o", scratch.path("apart"), "--no-progress"])
    #expect(apart.status == 0)
    let messages = try Report(folder: scratch.url.appendingPathComponent("apart")).octets("messages.csv")
    #expect(messages != whole.octets("messages.csv"))
  }

  /// What a sender sends twice, and what the network delivers twice, is there twice.
  @Test func repetitionsAreNoCopies() throws {
    let whole = try report([Corpus.capture("loss-reorder").url.path], "whole")
    let once = try report([Corpus.capture("loss-reorder").url.path, "--deduplicate"], "once")
    #expect((whole.ledger("retransmitted") ?? 0) > 0 && once.ledger("duplicate_packets") == 0)
    #expect(once.octets("messages.csv") == whole.octets("messages.csv"))
  }

  /// Without the option, what two captures have counts twice, and a line names them: by one run, by one that goes on, and by a merge.
  @Test(arguments: ["nginx-keepalive", "dns-names", "pipelining"])
  func capturesOfOneTimeAreNamed(_ name: String) throws {
    let octets = try PcapOctets(Corpus.capture(name).url)
    let first = try scratch.file("first.pcap", octets.header + octets.records.dropLast(4).joined()).path
    let second = try scratch.file(
      "second.pcap", octets.header + octets.records.dropFirst(2).flatMap(\.behindRouter)
    ).path
    for capture in [first, second] {
      #expect(try Sniffer.run([capture, "--partial", capture + ".partial", "-q"]).status == 0)
    }
    for (folder, arguments) in [
      ("both", [second, first]), ("resumed", [second, first, "--resume"]),
      ("merged", ["merge", first + ".partial", second + ".partial"]),
    ] {
      let outcome = try Sniffer.run(arguments + ["-o", scratch.path(folder), "--no-progress"])
      #expect(outcome.status == 0 && outcome.errorLines.count == 1, "\(folder): \(outcome.error)")
      #expect(outcome.error.hasPrefix("sniffer: \(second) begins "), "\(outcome.error)")
      #expect(
        outcome.error.hasSuffix(
          " before \(first) ends: packets that both have count twice; --deduplicate counts each once\n"),
        "\(outcome.error)")
      let both = try Report(folder: scratch.url.appendingPathComponent(folder))
      #expect(both.ledger("packets") == 2 * octets.records.count - 6)
    }
    let twice = try Sniffer.run(["merge", first + ".partial", first + ".partial", "-q"])
    #expect(twice.status == 64, "\(twice.error)")
    #expect(try Sniffer.run([second, first, "-q"]).error.isEmpty)
  }

  /// Each packet on two interfaces, as a bridge and its veth show it: a line says so, and the option counts each once.
  @Test func packetsThatAreThereTwiceAreSaid() throws {
    let octets = try PcapOctets(Corpus.capture("nginx-keepalive").url)
    // Cooked frames of version 2, whose interface is in their octets 4 to 7 (LINKTYPE_LINUX_SLL2).
    func cooked(_ record: [UInt8], interface: UInt8) -> [UInt8] {
      let head = [record[28], record[29], 0, 0, 0, 0, 0, interface, 0, 1, 0, 6] + Array(repeating: 0, count: 8)
      let packet = head + record[30...]
      let length = (0..<4).map { UInt8(truncatingIfNeeded: packet.count >> (8 * $0)) }
      return record[..<8] + length + length + packet
    }
    let header = octets.header[..<20] + [20, 1, 0, 0]
    func file(_ name: String, _ interfaces: [UInt8]) throws -> String {
      try scratch.file(
        name, header + octets.records.flatMap { record in interfaces.flatMap { cooked(record, interface: $0) } }
      ).path
    }
    let once = try report([try file("once.pcap", [4])], "once")
    let twice = try file("twice.pcap", [4, 5])
    let outcome = try Sniffer.run([twice, "--no-progress"])
    let words = outcome.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(
      words.contains("are there twice within a millisecond, on different interfaces: --deduplicate counts each once"))
    let without = try Sniffer.run([twice, "--deduplicate", "--no-progress"]).output
    #expect(!without.contains("--deduplicate") && !without.contains("millisecond"))
    let both = try report([twice, "--deduplicate"], "both")
    #expect(both.octets("apis.csv") == once.octets("apis.csv"))
    #expect(both.ledger("duplicate_packets") == octets.records.count)
    let same = try Sniffer.run([try file("same.pcap", [4, 4]), "--no-progress"]).output
    #expect(
      same.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains("on one interface: a mirror port"))
  }

  /// Captures of one time that share no packet are two captures; so are those of which one begins when the other one has ended.
  @Test func otherTrafficOfTheSameTimeIsRead() throws {
    let octets = try PcapOctets(Corpus.capture("nginx-keepalive").url)
    let half = octets.records.count / 2
    for (name, isInFirst) in [("woven", { $0 % 2 == 0 }), ("rotated", { $0 < half })] as [(String, (Int) -> Bool)] {
      let parts = try [true, false].map { isFirst in
        let records = octets.records.indices.filter { isInFirst($0) == isFirst }.flatMap { octets.records[$0] }
        return try scratch.file("\(name)-\(isFirst ? 1 : 2).pcap", octets.header + records).path
      }
      let outcome = try Sniffer.run(parts + ["-o", scratch.path(name), "--no-progress"])
      #expect(outcome.status == 0 && outcome.error.isEmpty == (name == "rotated"), "\(outcome.error)")
      let report = try Report(folder: scratch.url.appendingPathComponent(name))
      #expect(report.ledger("packets") == octets.records.count)
    }
  }

  @Test func whatCannotBeDeduplicatedIsRefused() throws {
    let capture = try Corpus.capture("pipelining").url.path
    let pipe = scratch.path("pipe")
    try #require(unsafe mkfifo(pipe, 0o600) == 0)
    let refused = try Sniffer.run([capture, pipe, "--deduplicate"])
    #expect(refused.status == 64 && refused.error.contains("needs files that are complete"), "\(refused.error)")
    for options in [
      ["-"], [capture, "--follow"], [capture, "--partial", scratch.path("p")],
      [capture, "-o", scratch.path("r"), "--resume"],
    ] {
      let outcome = try Sniffer.run(options + ["--deduplicate"])
      #expect(outcome.status == 64 && outcome.output.isEmpty, "\(options)")
    }
  }

  private func report(_ arguments: [String], _ folder: String) throws -> Report {
    let outcome = try Sniffer.run(arguments + ["-o", scratch.path(folder), "--no-progress"])
    #expect(outcome.status == 0 && outcome.error.isEmpty, "\(outcome.error)")
    let copies = arguments.contains("--deduplicate")
    #expect(outcome.output.contains("copies of packets, left out: ") == copies, "\(outcome.output)")
    return try Report(folder: scratch.url.appendingPathComponent(folder))
  }
}

/// A record of a pcap file with Ethernet.
extension [UInt8] {
  /// The packet as it is behind one router more: other Ethernet addresses, a hop less, and IPv4's checksum of that.
  fileprivate var behindRouter: [UInt8] {
    var record = self
    for index in 16..<28 { record[index] = UInt8(index) }
    switch (record[28], record[29]) {
    case (0x08, 0x00):
      record[38] -= 1
      // One less in the high octet of a word: one more in the checksum's (RFC 1624).
      let sum = (Int(record[40]) << 8 | Int(record[41])) + 0x100
      let folded = (sum & 0xffff) + (sum >> 16)
      (record[40], record[41]) = (UInt8(folded >> 8), UInt8(folded & 0xff))
    case (0x86, 0xdd): record[37] -= 1
    default: break
    }
    return record
  }
}
