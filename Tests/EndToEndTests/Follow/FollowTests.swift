import Foundation
import TestSupport
import Testing

/// `sniffer --follow`: a capture that grows while it is read gives what the whole capture gives.
@Suite struct FollowTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private var report: URL { scratch.url.appendingPathComponent("report") }

  /// Starts to follow a file, and returns once it is being read.
  private func follow(_ file: GrowingFile, _ arguments: [String] = []) throws -> RunningCommand {
    let run = try RunningCommand(
      Sniffer.url, [file.path, "--follow", "-o", report.path, "--log-level", "info"] + arguments)
    #expect(eventually { run.error.contains("confined") || !run.isRunning })
    return run
  }

  private func errors(_ outcome: Outcome) -> [String] { outcome.errorLines.filter { $0.hasPrefix("sniffer: ") } }

  @Test(arguments: ["nginx-keepalive", "nginx-ipv6"])
  func writerOfSingleOctets(_ name: String) throws {
    let capture = try Corpus.capture(name)
    let octets = try [UInt8](Data(contentsOf: capture.url))
    let file = try GrowingFile("growing", in: scratch)
    let run = try follow(file)
    try file.append(octets, by: 1, pausingAfter: 200)
    #expect(run.hasRead(file))
    run.signal(SIGINT)
    let outcome = try run.wait()
    #expect(outcome.status == 0 && !outcome.wasKilled, "\(outcome.error)")
    #expect(errors(outcome).isEmpty, "\(outcome.error)")
    #expect(try Report(folder: report).differences(from: FileAnalysis.of(capture).report).isEmpty)
  }

  @Test func timeoutIsTheEnd() throws {
    let capture = try Corpus.capture("nginx-keepalive")
    let outcome = try Sniffer.run([capture.path, "--follow", "--follow-timeout", "0.3", "-o", report.path])
    #expect(outcome.status == 0 && outcome.error.isEmpty, "\(outcome.error)")
    #expect(try Report(folder: report).differences(from: FileAnalysis.of(capture).report).isEmpty)
  }

  @Test(
    .enabled(if: LiveRun.isPossible, "needs root, Python and the permission to capture on lo"),
    .enabled(if: Environment.tool("tcpdump") != nil, "tcpdump is not installed"))
  func tcpdumpThatIsStillWriting() throws {
    let tcpdump = try #require(Environment.tool("tcpdump"))
    let server = try LocalServer()
    let file = try GrowingFile("tcpdump.pcap", in: scratch)
    let run = try follow(file)
    let writer = try RunningCommand(
      tcpdump, ["-i", "lo", "-U", "-Z", "root", "-w", file.path, "tcp port \(server.port)"])
    #expect(eventually { writer.error.contains("listening on") })
    try server.makeRequests(60)
    // Start-lines of 60 requests and of their responses; what is behind the last one may come or not.
    #expect(try eventually { try file.count(of: "HTTP/1.1") >= 120 })
    writer.signal(SIGTERM)
    #expect(try writer.wait().status == 0)
    #expect(run.hasRead(file) && run.looksAgain())
    run.signal(SIGINT)
    let outcome = try run.wait()
    #expect(outcome.status == 0 && errors(outcome).isEmpty, "\(outcome.error)")
    let followed = try Report(folder: report)
    #expect(followed.messages.rows.count { $0["type"] == "request" } == 60)
    #expect(try followed.differences(from: FileAnalysis([file.path]).report).isEmpty)
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func signalsEndItAndHalfAPacketIsNoError(_ signal: Int32) throws {
    let packets = try PcapOctets(Corpus.capture("nginx-keepalive").url)
    let file = try GrowingFile("growing.pcap", in: scratch)
    let run = try follow(file)
    let count = packets.records.count / 2
    try file.append(packets.part(0..<count) + packets.records[count].dropLast(3))
    #expect(run.hasRead(file))
    run.signal(signal)
    let outcome = try run.wait()
    #expect(outcome.status == 0 && errors(outcome).isEmpty, "\(outcome.error)")
    let octets = PcapOctets.originalLength(packets.records[..<count])
    #expect(outcome.outputLines.last == "ledger balanced: \(octets) bytes")
    #expect(try Report(folder: report).ledger("original") == octets)
  }

  @Test func halfAPacketAfterTheTimeoutIsACut() throws {
    let packets = try PcapOctets(Corpus.capture("nginx-keepalive").url)
    let file = try GrowingFile("growing.pcap", in: scratch)
    try file.append(packets.part(0..<10) + packets.records[10].dropLast(3))
    let outcome = try follow(file, ["--follow-timeout", "0.3"]).wait()
    #expect(outcome.status == 1)
    #expect(errors(outcome).count == 1 && outcome.error.contains("\(file.path): offset"), "\(outcome.error)")
    #expect(outcome.error.contains("cut"))
  }

  @Test func truncatedFileIsNamed() throws {
    let packets = try PcapOctets(Corpus.capture("nginx-keepalive").url)
    let file = try GrowingFile("growing.pcap", in: scratch)
    let run = try follow(file)
    try file.append(packets.part(0..<20))
    #expect(run.hasRead(file))
    #expect(unsafe truncate(file.path, 24) == 0)
    let outcome = try run.wait()
    #expect(outcome.status == 1)
    #expect(errors(outcome).count == 1 && outcome.error.contains("it has only 24 bytes now"), "\(outcome.error)")
    #expect(try Report(folder: report).ledger("packets") == 20)
  }

  @Test(arguments: [true, false])
  func rotatedFileIsReadToItsEndAndNamed(_ isReplaced: Bool) throws {
    let packets = try PcapOctets(Corpus.capture("nginx-keepalive").url)
    let file = try GrowingFile("growing.pcap", in: scratch)
    let run = try follow(file)
    try file.append(packets.part(0..<20))
    #expect(run.hasRead(file))
    let writer = try FileHandle(forWritingTo: file.url)
    try writer.seekToEnd()
    // It does not look while it is stopped: what comes of slower writers, FollowedFileTests say.
    run.signal(SIGSTOP)
    #expect(unsafe rename(file.path, file.path + ".1") == 0)
    if isReplaced { try Data(packets.part(0..<3)).write(to: file.url) }
    // What its writer still had to write belongs to it.
    try writer.write(contentsOf: Data(packets.records[20]))
    run.signal(SIGCONT)
    let outcome = try run.wait()
    #expect(outcome.status == 1)
    #expect(errors(outcome).count == 1 && outcome.error.contains("moved away or removed"), "\(outcome.error)")
    #expect(try Report(folder: report).ledger("packets") == 21)
  }

  @Test func whatCannotBeFollowedIsRefused() throws {
    let compressed = try Corpus.capture("mixed-2000").path
    let outcome = try Sniffer.run([compressed, "--follow"])
    #expect(outcome.status == 1 && outcome.error.contains("compressed with gzip"), "\(outcome.error)")
    for arguments in [["-"], ["a", "b"], ["a", "--follow-timeout", "-1"]] {
      #expect(try Sniffer.run(["--follow"] + arguments).status == 64)
    }
    #expect(try Sniffer.run(["a", "--follow-timeout", "1"]).status == 64)
  }
}
