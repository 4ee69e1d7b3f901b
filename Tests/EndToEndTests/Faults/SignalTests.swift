import Foundation
import TestSupport
import Testing

/// SIGINT and SIGTERM at any moment: what was read is reported, and balances.
@Suite struct SignalTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test(arguments: [SIGINT, SIGTERM])
  func whileAPipeIsWaitedFor(_ signal: Int32) throws {
    let packets = try PcapOctets(Corpus.capture("nginx-keepalive").url)
    let fifo = scratch.path("fifo")
    try #require(unsafe mkfifo(fifo, 0o600) == 0)
    let folder = scratch.path("report")
    let run = try RunningCommand(Sniffer.url, [fifo, "-o", folder, "--log-level", "info"])
    let writer = try #require(FileHandle(forUpdatingAtPath: fifo))
    let count = packets.records.count / 2
    try writer.write(contentsOf: Data(packets.part(0..<count) + packets.records[count].dropLast(5)))
    #expect(eventually { run.error.contains("info sniffer: [Sniffer] reading") } && run.waits())
    run.signal(signal)
    let outcome = try run.wait()
    #expect(outcome.status == 128 + signal && !outcome.wasKilled)
    let errors = outcome.errorLines.filter { $0.hasPrefix("sniffer: ") }
    #expect(errors.count == 1 && errors[0].contains(signal == SIGINT ? "SIGINT" : "SIGTERM"), "\(outcome.error)")
    // The same as of a file with as many packets, beside the word that it was stopped.
    let kept = try scratch.file("kept.pcap", packets.part(0..<count))
    #expect(
      try Report(folder: URL(fileURLWithPath: folder)).differences(from: FileAnalysis([kept.path]).report)
        == ["anomalies.csv"])
    try writer.close()
  }

  @Test func whileAPipeHasNoWriter() throws {
    let fifo = scratch.path("fifo")
    try #require(unsafe mkfifo(fifo, 0o600) == 0)
    let run = try RunningCommand(Sniffer.url, [fifo, "--log-level", "info"])
    #expect(run.handles(SIGTERM) && run.waits())
    run.signal(SIGTERM)
    let outcome = try run.wait()
    #expect(outcome.status == 143 && outcome.outputLines.last == "ledger balanced: 0 bytes", "\(outcome.error)")
  }

  /// From the first instructions to the last row.
  @Test(arguments: [0, 1, 2])
  func atAnyMoment(_ seed: Int) throws {
    let capture = try Corpus.capture("mixed-2000")
    var statuses: Set<Int32> = []
    for round in 0..<12 {
      let folder = scratch.path("report-\(round)")
      let signal = round.isMultiple(of: 2) ? SIGINT : SIGTERM
      let run = try RunningCommand(
        Sniffer.url,
        [capture.path, "-o", folder, "--no-progress", "--format", "csv,sqlite,ndjson", "--log-level", "info"])
      // However busy the machine is, half of them after the first instructions.
      if round >= 6 { _ = eventually { run.error.contains("[Sniffer] reading") || !run.isRunning } }
      // Nothing is hoped for: any moment will do, also one after the end.
      Thread.sleep(forTimeInterval: 0.03 * Double(round % 6) + 0.01 * Double(seed))
      run.signal(signal)
      let outcome = try run.wait()
      // Before the handlers are there the signal does what it does by itself.
      if outcome.wasKilled {
        #expect(outcome.status == signal)
        continue
      }
      statuses.insert(outcome.status)
      #expect([0, 128 + signal].contains(outcome.status), "\(outcome.error)")
      let report = try Report(folder: URL(fileURLWithPath: folder))
      #expect(report.ledger("difference") == 0)
      #expect(outcome.outputLines.last?.hasPrefix("ledger balanced: ") == true)
      // Files say, too, that a part is missing.
      let isStopped = report.anomalies.rows.contains { $0["name"] == "reading_stopped" }
      #expect(isStopped == (outcome.status != 0))
      guard FormatWitness.python != nil else { continue }
      let database = URL(fileURLWithPath: folder).appendingPathComponent("report.sqlite")
      let complete = try FormatWitness.query("SELECT value FROM meta WHERE name = 'complete'", of: database)
      #expect(complete == [isStopped ? "0" : "1"])
    }
    #expect(!statuses.isEmpty)
  }

  /// Packets that take far longer than others to be processed, which all of them together would for a minute: a signal ends it long
  /// before half of them.
  @Test(.enabled(if: LocalServer.python != nil, "needs Python"))
  func whilePacketsTakeTheirTime() throws {
    let line = """
      import sys
      sys.dont_write_bytecode = True
      sys.path.insert(0, sys.argv[1])
      from messages import *
      capture = Capture(sys.argv[2])
      response = ok(brotli_zeros(1), "Content-Encoding: br\\r\\n")
      for number in range(400):
          connection = Connection(capture, 2000 + number)
          for _ in range(8):
              connection.send("c", get() * 16)
              connection.send("s", response * 16)
      capture.close()
      """
    let capture = scratch.path("bombs.pcap")
    let attacks = Document.root.appendingPathComponent("captures/attacks").path
    let made = try Command.run(try #require(LocalServer.python), ["-c", line, attacks, capture])
    try #require(made.status == 0, "\(made.error)")
    let folder = scratch.path("report")
    let run = try RunningCommand(Sniffer.url, [capture, "-o", folder, "--jobs", "1", "--log-level", "info"])
    #expect(eventually { run.error.contains("[Sniffer] reading") })
    run.signal(SIGTERM)
    let outcome = try run.wait()
    #expect(outcome.status == 143 && !outcome.wasKilled, "\(outcome.error)")
    let report = try Report(folder: URL(fileURLWithPath: folder))
    #expect(report.ledger("difference") == 0)
    let packets = try PcapOctets(URL(fileURLWithPath: capture)).records.count
    #expect(try #require(report.ledger("packets")) < packets / 2)
  }
}
