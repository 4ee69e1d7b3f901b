#if os(Linux)
  import Foundation
  import TestSupport
  import Testing

  /// As whom captures are read when it is root who starts a run, and that no capability is left in any command.
  @Suite(.enabled(if: Environment.isRoot, "needs root, to be left"))
  struct RootTests {
    private let scratch: Scratch
    private let fifo: String
    /// A user without a name, as files in containers often have.
    private static let stranger = 54_321
    private static let nobody = 65_534

    init() throws {
      scratch = try Scratch()
      // Whoever runs may get at what is in it.
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: scratch.url.path)
      fifo = scratch.path("fifo")
      try #require(unsafe mkfifo(fifo, 0o644) == 0 && chmod(fifo, 0o644) == 0)
    }

    /// Commands that read captures, without their output.
    private func commands() throws -> [[String]] {
      let budget = try scratch.file("budget.yaml", Array("limits:\n  - host: \"*\"\n    requests: 1\n".utf8))
      let messages = try FileAnalysis.of(Corpus.capture("nginx-keepalive")).report.messages
      let log = try scratch.file("app.csv", Array(AppLogFile(messages).text.utf8))
      return [
        ["analyze"], ["analyze", "--follow"], ["models"], ["budget", "--budget", budget.path],
        ["verify", "--log", log.path],
      ]
    }

    /// Where only root may enter, all inputs are read, by names that do not begin with a slash, too.
    @Test func whereOnlyRootMayEnterAllInputsAreRead() throws {
      let home = try folder("home", of: 0)
      let capture = try Corpus.capture("nginx-keepalive")
      let messages = try FileAnalysis.of(capture).report.messages
      try FileManager.default.copyItem(atPath: capture.path, toPath: home + "/" + capture.url.lastPathComponent)
      try Data(AppLogFile(messages).text.utf8).write(to: URL(fileURLWithPath: home + "/app.csv"))
      for arguments in [["verify", "--log", "app.csv"], ["models"], ["analyze", "-o", "report"]] {
        let outcome = try Command.run(
          URL(fileURLWithPath: "/bin/sh"),
          ["-c", "cd \"$1\"; shift; exec \"$0\" \"$@\"", Sniffer.url.path, home] + arguments.prefix(1)
            + [capture.url.lastPathComponent] + arguments.dropFirst())
        #expect(outcome.status == 0 && outcome.error.isEmpty, "\(arguments): \(outcome.error)")
      }
    }

    /// Anybody may enter the folder, but only root may read the captures in it, and the write-ahead log beside the log.
    @Test func filesThatOnlyRootMayReadAreReadInAnOpenFolder() throws {
      let open = scratch.path("open")
      let nested = open + "/nested"
      try FileManager.default.createDirectory(atPath: nested, withIntermediateDirectories: true)
      let capture = try Corpus.capture("nginx-keepalive")
      let copies = [open + "/a.pcap.gz", nested + "/b.pcap.gz"]
      for copy in copies {
        try FileManager.default.copyItem(atPath: capture.path, toPath: copy)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy)
      }
      for name in [open, open + "/*.gz", open + "/**", nested] {
        let outcome = try Sniffer.run([name, "-q", "--deduplicate"])
        #expect(outcome.status == 0 && outcome.error.isEmpty, "\(name): \(outcome.error)")
      }
      let log = open + "/app.sqlite"
      let rows = try scratch.file("app.csv", Array(AppLogFile(FileAnalysis.of(capture).report.messages).text.utf8))
      // The files are copied while the database is open: its log is merged when it is closed.
      let made = try Command.shell(
        #"""
        sqlite3 "$1.first" "PRAGMA journal_mode = WAL" ".import --csv $2 log" \
          ".shell cp $1.first $1; cp $1.first-wal $1-wal; chmod 600 $1-wal; chmod 644 $1"
        """#, [log, rows.path])
      #expect(made.status == 0 && made.error.isEmpty, "\(made.error)")
      let outcome = try Sniffer.run(["verify", capture.path, "--log", log])
      #expect(outcome.status == 0 && outcome.output.contains("The log is exact"), "\(outcome.output)\(outcome.error)")
    }

    /// A folder that belongs to somebody, for them alone.
    private func folder(_ name: String, of user: Int) throws -> String {
      let path = scratch.path(name)
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700, .ownerAccountID: user, .groupOwnerAccountID: user])
      return path
    }

    /// Starts a command that waits for its capture, and says what the kernel says of it then.
    private func status(
      _ arguments: [String], setting variables: [String: String?] = [:]
    ) throws -> (user: [String], capabilities: Set<String>) {
      let variables = ["SUDO_UID": nil].merging(variables) { $1 }
      let run = try RunningCommand(Sniffer.url, arguments + ["--log-level", "info"], setting: variables)
      #expect(eventually { run.error.contains("system calls are") || !run.isRunning })
      guard run.isRunning else {
        Issue.record("\(arguments): \(run.error)")
        return ([], [])
      }
      let text = try String(contentsOfFile: "/proc/\(run.identifier)/status", encoding: .utf8)
      let lines = text.split(separator: "\n").map { $0.split(separator: "\t").map(String.init) }
      run.signal(SIGKILL)
      _ = try run.wait()
      let users = lines.filter { ["Uid:", "Gid:"].contains($0[0]) }.flatMap { $0.dropFirst() }
      return (users, Set(lines.filter { $0[0].hasPrefix("Cap") }.flatMap { $0.dropFirst() }))
    }

    private static let none: Set<String> = ["0000000000000000"]

    private func all(_ user: Int) -> [String] { Array(repeating: "\(user)", count: 8) }

    /// The FIFO, or for `--follow` a file, which has to be one.
    private func capture(_ command: [String]) throws -> String {
      guard command.contains("--follow") else { return fifo }
      let copy = scratch.path("growing.pcap")
      guard !FileManager.default.fileExists(atPath: copy) else { return copy }
      let plain = try Command.shell("gzip -dcf \"$1\"", [Corpus.capture("nginx-keepalive").path]).outputOctets
      try Data(plain).write(to: URL(fileURLWithPath: copy))
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: copy)
      return copy
    }

    @Test func rootIsLeftWhereNothingIsWritten() throws {
      for command in try commands() {
        let (user, capabilities) = try status(command + [try capture(command)])
        #expect(user == all(Self.nobody), "\(command)")
        #expect(capabilities == Self.none, "\(command)")
      }
    }

    @Test func reportsAreTheFoldersOwners() throws {
      for (number, command) in try commands().enumerated() {
        let output = try folder("out-\(number)", of: Self.stranger) + "/report"
        let (user, capabilities) = try status(command + [try capture(command), "-o", output])
        #expect(user == all(Self.stranger), "\(command)")
        #expect(capabilities == Self.none, "\(command)")
        #expect(try owner(output) == Self.stranger, "\(command)")
      }
    }

    @Test func sudosCallerIsBecome() throws {
      let output = try folder("out", of: Self.nobody)
      let (user, capabilities) = try status(["analyze", fifo, "-o", output], setting: ["SUDO_UID": "\(Self.nobody)"])
      #expect(user == all(Self.nobody) && capabilities == Self.none)
      // Not where they may not write: then it is for the folder's owner.
      let other = try folder("other", of: Self.stranger)
      #expect(
        try status(["analyze", fifo, "-o", other], setting: ["SUDO_UID": "\(Self.nobody)"]).user == all(Self.stranger))
    }

    @Test func rootStaysWithoutCapabilities() throws {
      let output = try folder("out", of: 0)
      for command in try commands() {
        let (user, capabilities) = try status(command + [try capture(command), "-o", output])
        #expect(user == all(0), "\(command)")
        #expect(capabilities == Self.none, "\(command)")
      }
      // What nobody else may read.
      try #require(unsafe chmod(fifo, 0o600) == 0)
      let (user, capabilities) = try status([fifo])
      #expect(user == all(0) && capabilities == Self.none)
    }

    /// The owner of the capture, where nobody may read it.
    @Test func anOwnerOfTheCaptureIsBecome() throws {
      try #require(unsafe chmod(fifo, 0o600) == 0 && chown(fifo, uid_t(Self.stranger), gid_t(Self.stranger)) == 0)
      let (user, capabilities) = try status([fifo])
      #expect(user == all(Self.stranger) && capabilities == Self.none)
    }

    @Test func whatNobodyMayReachIsSaid() throws {
      let closed = try folder("closed", of: Self.stranger)
      let copy = "\(closed)/capture.pcap"
      try FileManager.default.copyItem(atPath: try Corpus.capture("nginx-keepalive").path, toPath: copy)
      let outcome = try Sniffer.run([copy, "-o", scratch.path("out")], environment: ["SUDO_UID": ""])
      #expect(outcome.status == 1)
      let reason = "no unprivileged user can both read the capture and write the output"
      #expect(outcome.error.contains(reason), "\(outcome.error)")
      #expect(outcome.error.contains("\(copy): cannot open: Permission denied"), "\(outcome.error)")
    }

    /// `diff` has no threads and no packets, and is as little root's.
    @Test func comparisonsAreMadeByOthersToo() throws {
      let report = scratch.path("report")
      #expect(try Sniffer.run([Corpus.capture("nginx-keepalive").path, "-q", "-o", report]).status == 0)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: report)
      let outcome = try Sniffer.run(["diff", report, report])
      #expect(outcome.status == 0 && outcome.error.isEmpty, "\(outcome.error)")
    }

    private func owner(_ path: String) throws -> Int? {
      (try FileManager.default.attributesOfItem(atPath: path)[.ownerAccountID] as? NSNumber)?.intValue
    }
  }
#endif
