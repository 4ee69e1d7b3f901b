#if os(Linux)
  import Foundation
  import Testing

  /// A run can reach its inputs and its output folder once it has begun, and nothing else.
  @Suite struct ConfinementTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// What this kernel can do, as the program itself sees it; a container may forbid either.
    private static func holds(_ log: String) -> Bool {
      log.contains("files are confined by Landlock") && log.contains("system calls are confined by seccomp")
    }

    @Test(arguments: [false, true])
    func everyAttemptIsRefused(_ serves: Bool) throws {
      let capture = try Corpus.capture("nginx-keepalive").path
      let victim = try scratch.file("victim", Array("precious".utf8))
      let output = scratch.path("out")
      try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: false)
      let outcome = try Command.run(
        Sniffer.confinementAttempts,
        [capture, "-o", output, "--victim", victim.path] + (serves ? ["--metrics"] : []))
      guard Self.holds(outcome.error) else {
        return Environment.skip("everyAttemptIsRefused", because: "this system does not confine: \(outcome.error)")
      }
      #expect(outcome.status == 0)
      let lines = outcome.outputLines
      #expect(lines.count { $0.hasSuffix(": refused") } == (serves ? 11 : 12), "\(outcome.output)")
      #expect(lines.contains("reading \(victim.path): refused") && lines.contains("writing \(victim.path): refused"))
      #expect(lines.suffix(2) == ["reading \(capture): possible", "writing in \(output): possible"])
      // Without confinement the same attempts succeed: it is not the tests' own surroundings that refuse them.
      #expect(FileManager.default.isReadableFile(atPath: victim.path))
      #expect(FileManager.default.isWritableFile(atPath: victim.path))
    }

    /// Every thread of a run that reads, and of a live run that serves metrics.
    @Test func everyThreadIsConfined() throws {
      let fifo = scratch.path("fifo")
      try #require(unsafe mkfifo(fifo, 0o600) == 0)
      let run = try RunningCommand(Sniffer.url, [fifo, "-o", scratch.path("out"), "--log-level", "info"])
      #expect(eventually { run.error.contains("system calls are") })
      guard Self.holds(run.error) else {
        return Environment.skip("everyThreadIsConfined", because: "this system does not confine: \(run.error)")
      }
      expectConfined(run, threads: 1)
      run.signal(SIGTERM)
      #expect(try run.wait().status == 143)
      guard LiveRun.isPossible else {
        return Environment.skip("everyThreadIsConfined of live", because: "this user may not capture on lo")
      }
      let live = try LiveRun(
        port: 9, in: scratch,
        ["--allow-root", "--metrics", "127.0.0.1:0", "--format", "csv,sqlite", "--write", scratch.path("a.pcapng")])
      expectConfined(live.process, threads: 3)
      #expect(try live.stop().status == 0)
    }

    /// SQLite sorts in files of its own when there is much to sort; they are in the output folder, too.
    @Test func everyFormatIsWritten() throws {
      let capture = try Corpus.capture("mixed-2000")
      let outcome = try Sniffer.run(
        [capture.path, "-o", scratch.path("out"), "--format", "csv,ndjson,sqlite,har"],
        environment: ["TMPDIR": "/var/tmp", "SQLITE_TMPDIR": "/nowhere"])
      #expect(outcome.status == 0 && outcome.error.isEmpty, "\(outcome.error)")
      let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path("out")).sorted()
      #expect(names == (Report.fileNames + ["messages.ndjson", "report.har", "report.sqlite"]).sorted())
    }

    private func expectConfined(_ run: RunningCommand, threads: Int) {
      let tasks = "/proc/\(run.identifier)/task"
      let names = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
      #expect(names.count >= threads)
      for name in names {
        let status = (try? String(contentsOfFile: "\(tasks)/\(name)/status", encoding: .utf8)) ?? ""
        #expect(status.contains("NoNewPrivs:\t1") && status.contains("Seccomp:\t2"), "\(status)")
      }
    }
  }
#endif
