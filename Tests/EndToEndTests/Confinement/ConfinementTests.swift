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

    /// Runs the program that tries everything, with a file of somebody's, and with packets from the loopback where this user
    /// may capture there.
    private func attempt(_ options: [String]) throws -> (outcome: Outcome, victim: URL, output: String) {
      let victim = try scratch.file("victim", Array("precious".utf8))
      let output = scratch.path("out")
      try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: false)
      let outcome = try Command.run(
        Sniffer.confinementAttempts,
        [try Corpus.capture("nginx-keepalive").path, "-o", output, "--victim", victim.path]
          + (LiveRun.isPossible ? ["--interface", "lo"] : []) + options)
      return (outcome, victim, output)
    }

    /// Names of attempts that came to something.
    private func names(_ outcome: Outcome, _ end: String) -> [String] {
      outcome.outputLines.filter { $0.hasSuffix(": \(end)") }.map { String($0.dropLast(end.count + 2)) }
    }

    /// What attackers found open once; each is tried in several ways.
    private static let named = [
      "chmod", "fchmod of its own file", "setxattr", "fsetxattr of its own file", "a new file to be run as its owner",
      "typing into a terminal", "typing with a longer number", "UDP by sendto", "UDP by sendmsg",
      "TCP Fast Open by sendto", "TCP Fast Open by sendmsg", "a process's limits", "killing a process",
      "capabilities in effect", "capabilities to be had", "listening", "an option of a connection",
    ]

    /// The same of packets that were never captured, sent with what packets are captured with.
    private static let sending = [
      "a frame by write", "a frame by write to a longer number", "a frame by writev", "a frame by pwritev2",
      "a frame by sendto", "a frame by sendto with an address", "a frame by sendmsg", "a frame by sendmmsg",
      "a frame by sendfile", "a frame by a copy of the socket", "a frame by a copy of fcntl's", "a ring to send from",
    ]

    @Test(arguments: [[], ["--metrics"], ["--without-landlock"], ["--without-landlock", "--metrics"]])
    func everyAttemptIsRefused(_ options: [String]) throws {
      let (outcome, victim, output) = try attempt(options)
      let hasLandlock = outcome.error.contains("files are confined by Landlock")
      guard outcome.error.contains("system calls are confined by seccomp"),
        hasLandlock || options.contains("--without-landlock")
      else {
        return Environment.skip("everyAttemptIsRefused", because: "this system does not confine: \(outcome.error)")
      }
      #expect(outcome.status == 0)
      let refused = names(outcome, "refused")
      #expect(refused.count >= (LiveRun.isPossible ? 85 : 65))
      for name in Self.named + (LiveRun.isPossible ? Self.sending : []) {
        #expect(refused.contains(name), "\(name): \(outcome.output)")
      }
      for name in ["reading", "writing"] { #expect(refused.contains("\(name) \(victim.path)") == hasLandlock) }
      let capture = try Corpus.capture("nginx-keepalive").path
      #expect(names(outcome, "possible") == ["reading \(capture)", "writing in \(output)"], "\(outcome.output)")
      #expect(try Data(contentsOf: victim) == Data("precious".utf8))
      #expect(try FileManager.default.attributesOfItem(atPath: victim.path)[.posixPermissions] as? Int != 0o4755)
    }

    /// Without confinement the same attempts succeed: it is not the tests' own surroundings that refuse them.
    @Test(.enabled(if: LiveRun.isPossible, "needs root, Python and the permission to capture on lo"))
    func withoutConfinementTheAttemptsSucceed() throws {
      let (outcome, _, _) = try attempt(["--unconfined"])
      #expect(outcome.status == 1)
      let possible = names(outcome, "possible")
      for name in Self.named + Self.sending { #expect(possible.contains(name), "\(name): \(outcome.output)") }
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
      expectConfined(run, threads: 1, filters: 2)
      run.signal(SIGTERM)
      #expect(try run.wait().status == 143)
      guard LiveRun.isPossible else {
        return Environment.skip("everyThreadIsConfined of live", because: "this user may not capture on lo")
      }
      let live = try LiveRun(
        port: 9, in: scratch,
        ["--allow-root", "--metrics", "127.0.0.1:0", "--format", "csv,sqlite", "--write", scratch.path("a.pcapng")])
      // One of them: nothing may be written to the sockets that packets are received with.
      expectConfined(live.process, threads: 3, filters: 2)
      #expect(try live.stop().status == 0)
    }

    /// A comparison of two reports, which may be anybody's; of so many rows that it takes a while.
    @Test func diffIsConfined() throws {
      let made = try Sniffer.run([try Corpus.capture("nginx-keepalive").path, "-q", "-o", scratch.path("report")])
      #expect(made.status == 0)
      let lines = try String(contentsOfFile: scratch.path("report/apis.csv"), encoding: .utf8).split(separator: "\r\n")
      let figures = try #require(lines.dropFirst().first).split(separator: ",", omittingEmptySubsequences: false)
      let rest = figures.dropFirst(2).joined(separator: ",")
      let rows = (0..<250_000).map { "h.example,/\($0),\(rest)\r\n" }.joined()
      let report = try scratch.file("many.csv", Array((lines[0] + "\r\n" + rows).utf8)).path
      let run = try RunningCommand(Sniffer.url, ["diff", report, report])
      let isConfined = eventually {
        let status = (try? String(contentsOfFile: "/proc/\(run.identifier)/status", encoding: .utf8)) ?? ""
        return status.contains("NoNewPrivs:\t1") && status.contains("Seccomp:\t2")
      }
      let outcome = try run.wait()
      #expect(outcome.status == 0 && outcome.error.isEmpty, "\(outcome.error)")
      let log = try attempt([]).outcome.error
      guard Self.holds(log) else {
        return Environment.skip("diffIsConfined", because: "this system does not confine: \(log)")
      }
      #expect(isConfined)
    }

    /// SQLite sorts in files of its own when there is much to sort; they are in the output folder, too.
    @Test func everyFormatIsWritten() throws {
      let capture = try Corpus.capture("mixed-2000")
      let outcome = try Sniffer.run(
        [capture.path, "-o", scratch.path("out"), "--format", "csv,ndjson,sqlite,har"],
        environment: ["TMPDIR": "/var/tmp", "SQLITE_TMPDIR": "/nowhere"])
      #expect(outcome.status == 0 && outcome.error.isEmpty, "\(outcome.error)")
      let names = try FileManager.default.visibleNames(scratch.path("out"))
      #expect(names == (Report.fileNames + Report.ndjsonNames + ["report.har", "report.sqlite"]).sorted())
    }

    private func expectConfined(_ run: RunningCommand, threads: Int, filters: Int) {
      let before = Self.filters("/proc/self/status")
      let tasks = "/proc/\(run.identifier)/task"
      let names = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
      #expect(names.count >= threads)
      for name in names {
        let path = "\(tasks)/\(name)/status"
        let status = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        #expect(status.contains("NoNewPrivs:\t1") && status.contains("Seccomp:\t2"), "\(status)")
        // Linux 5.9 and later say how many there are.
        if let before { #expect(Self.filters(path) == before + filters, "\(status)") }
        for set in ["CapInh", "CapPrm", "CapEff", "CapAmb"] + (Environment.isRoot ? ["CapBnd"] : []) {
          #expect(status.contains("\(set):\t0000000000000000"), "\(set): \(status)")
        }
      }
    }

    /// How many filters of system calls a thread has.
    private static func filters(_ path: String) -> Int? {
      let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      let line = text.split(separator: "\n").first { $0.hasPrefix("Seccomp_filters:") }
      return line.flatMap { Int($0.split(separator: "\t").last ?? "") }
    }
  }
#endif
