import Foundation
import TestSupport
import Testing

/// As whom packets are read, and what is said when they cannot be.
@Suite(.enabled(if: LiveRun.isPossible, "needs root, Python and the permission to capture on lo"))
struct LivePrivilegeTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test func rootIsRefused() throws {
    let folder = scratch.path("report")
    let process = try RunningCommand(
      Sniffer.url, ["live", "-i", "lo", "--duration", "5", "-o", folder], setting: ["SUDO_UID": nil])
    let outcome = try process.wait()
    expectLine(outcome, saying: "refusing to read packets as root")
    #expect(outcome.output.isEmpty && !FileManager.default.fileExists(atPath: folder))
  }

  /// The user is named, or is the one who called sudo.
  @Test(arguments: [true, false]) func anotherUserHasNoPrivileges(isNamed: Bool) throws {
    let nobody = try #require(Int(Command.shell("id -u nobody", []).outputLines.first ?? ""))
    let group = try #require(Int(Command.shell("id -g nobody", []).outputLines.first ?? ""))
    let server = try LocalServer()
    let report = scratch.path("live")
    let made = try Command.shell("mkdir \"$1\" && chown nobody \"$1\"", [report])
    try #require(made.status == 0, "\(made.error)")
    let saved = "\(report)/saved.pcapng"
    let run = try LiveRun(
      port: server.port, in: scratch, (isNamed ? ["--user", "nobody"] : []) + ["--interval", "1", "--write", saved],
      // Whose number sudo gives does not matter when somebody is named.
      setting: ["SUDO_UID": isNamed ? "1" : "\(nobody)"])
    let status = try Self.status(of: run.process.identifier)
    #expect(status["Uid"] == Array(repeating: "\(nobody)", count: 4))
    #expect(status["Gid"] == Array(repeating: "\(group)", count: 4))
    for set in ["CapInh", "CapPrm", "CapEff", "CapAmb", "CapBnd"] {
      #expect(status[set] == ["0000000000000000"], "\(set)")
    }
    #expect(status["Groups"]?.contains("0") == false)
    try server.makeRequests(16)
    #expect(try run.stop().status == 0)
    #expect(try run.requests().count == 16)
    for name in Report.fileNames + ["saved.pcapng"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: run.url(name).path)
      #expect((attributes[.ownerAccountID] as? NSNumber)?.intValue == nobody, "\(name)")
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(name)")
    }
  }

  #if os(Linux)
    /// In a container of root alone there is nobody to become: it runs, and what root may is given up all the same.
    @Test(.enabled(if: Environment.canMount, "needs mount namespaces"))
    func rootAloneRunsWithoutCapabilities() throws {
      let users = try scratch.file("passwd", Array("root:x:0:0:root:/root:/bin/sh\n".utf8))
      let sources = try scratch.file("nsswitch.conf", Array("passwd: files\ngroup: files\n".utf8))
      let server = try LocalServer()
      let report = scratch.path("live")
      let line = """
        mount --bind "$1" /etc/passwd && { [ ! -e /etc/nsswitch.conf ] || mount --bind "$2" /etc/nsswitch.conf; } && shift 2 && exec "$@"
        """
      let unshare = try #require(Environment.tool("unshare"))
      let process = try RunningCommand(
        unshare,
        [
          "-m", "sh", "-c", line, "sh", users.path, sources.path, Sniffer.url.path, "live", "-i", "lo", "--filter",
          "tcp port \(server.port)", "-o", report, "--interval", "1", "--duration", "1200", "--metrics", "127.0.0.1:0",
        ], setting: ["SUDO_UID": nil])
      try #require(process.says("capturing on lo\n"), "\(process.error)")
      let notices = process.error.split(separator: "\n").filter { $0.contains("root") }
      #expect(notices.count == 1 && notices[0].contains("running as root, the only user of this system"), "\(notices)")
      let status = try Self.status(of: process.identifier)
      #expect(status["Uid"] == ["0", "0", "0", "0"])
      for set in ["CapInh", "CapPrm", "CapEff", "CapAmb", "CapBnd"] {
        #expect(status[set] == ["0000000000000000"], "\(set)")
      }
      #expect(status["NoNewPrivs"] == ["1"])
      try server.makeRequests(8)
      process.signal(SIGTERM)
      #expect(try process.wait().status == 0)
      let rows = try CSVFile([UInt8](Data(contentsOf: URL(fileURLWithPath: report + "/messages.csv")))).rows
      #expect(rows.count { $0["type"] == "request" } == 8)
    }
  #endif

  /// What the kernel says of each thread of a process: no thread may have more than the others.
  private static func status(of process: Int32) throws -> [String: [String]] {
    var result: [String: [String]] = [:]
    for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task") {
      let text = try String(contentsOfFile: "/proc/\(process)/task/\(thread)/status", encoding: .utf8)
      for line in text.split(separator: "\n") {
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, ["Uid", "Gid", "Groups", "NoNewPrivs"].contains(parts[0]) || parts[0].hasPrefix("Cap")
        else { continue }
        let values = parts[1].split(whereSeparator: \.isWhitespace).map(String.init)
        let name = String(parts[0])
        #expect((result[name] ?? values) == values, "\(name) of thread \(thread)")
        result[name] = values
      }
    }
    return result
  }

  #if os(Linux)
    /// The thread that takes packets goes first, and no other one; it keeps that when privileges are given up.
    @Test func theCaptureThreadGoesFirst() throws {
      guard try Command.shell("nice -n -10 true", []).error.isEmpty else {
        return Environment.skip("theCaptureThreadGoesFirst", because: "this user may not raise priorities")
      }
      let report = scratch.path("live")
      try #require(Command.shell("mkdir \"$1\" && chown nobody \"$1\"", [report]).status == 0)
      let run = try LiveRun(port: 9, in: scratch, ["--user", "nobody", "--metrics", "127.0.0.1:0"])
      let tasks = "/proc/\(run.process.identifier)/task"
      let threads = try FileManager.default.contentsOfDirectory(atPath: tasks)
      let values = try threads.map { thread in
        let text = try String(contentsOfFile: "\(tasks)/\(thread)/stat", encoding: .utf8)
        // Behind the name in parentheses, from the third on; the nineteenth is the nice value.
        let fields = try #require(text.split(separator: ")").last).split(separator: " ")
        return try #require(Int(fields[16]))
      }
      let own = getpriority(0 /* PRIO_PROCESS */, 0)
      #expect(values.filter { $0 == max(Int(own) - 10, -20) }.count == 1, "\(values)")
      #expect(values.filter { $0 == Int(own) }.count == values.count - 1 && values.count >= 3, "\(values)")
      #expect(try run.stop().status == 0)
    }
  #endif

  @Test func unknownUser() throws {
    let outcome = try Sniffer.run(["live", "-i", "lo", "--duration", "5", "--user", "no-such-user"])
    expectLine(outcome, saying: "there is no user no-such-user")
  }

  /// What the user who was named may not do is said with their name.
  @Test func errorsNameTheUser() throws {
    let folder = scratch.path("of-root")
    try #require(Command.shell("mkdir -m 700 \"$1\"", [folder]).status == 0)
    let outcome = try Sniffer.run([
      "live", "-i", "lo", "--duration", "5", "--user", "nobody", "-o", folder + "/report",
    ])
    expectLine(outcome, saying: "(as the user nobody)")
    let setpriv = try #require(Environment.tool("setpriv"))
    let sniffer = scratch.path("sniffer")
    try FileManager.default.copyItem(atPath: Sniffer.url.path, toPath: sniffer)
    let other = try Command.run(
      setpriv,
      [
        "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all,+net_raw", "--ambient-caps=-all,+net_raw",
        sniffer, "live", "-i", "lo", "--duration", "5", "--user", "daemon",
      ])
    expectLine(other, saying: "--user daemon: only root can become another user")
  }

  @Test func unknownInterface() throws {
    let outcome = try Sniffer.run(["live", "-i", "nosuch0", "--duration", "5", "--allow-root"])
    expectLine(outcome, saying: "nosuch0")
  }

  @Test func noPermissionSaysHowToGrantIt() throws {
    let setpriv = try #require(Environment.tool("setpriv"))
    // Nobody may not be let into the folder of the build.
    let sniffer = scratch.path("sniffer")
    try FileManager.default.copyItem(atPath: Sniffer.url.path, toPath: sniffer)
    let nobody = ["--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all"]
    let outcome = try Command.run(setpriv, nobody + [sniffer, "live", "-i", "lo", "--duration", "5"])
    #if os(Linux)
      expectLine(outcome, saying: "\"sudo setcap cap_net_raw=ep \(sniffer)\"")
      let hint = try #require(outcome.error.split(separator: "\"").first { $0.hasPrefix("sudo ") }).dropFirst(5)
      let granted = try Command.shell(String(hint), [])
      guard granted.status == 0 else {
        return Environment.skip("whether the hint suffices", because: granted.errorLines.last ?? "setcap fails")
      }
      // What it says is enough, whatever is asked for.
      for arguments in [["-i", "lo"], ["-i", "lo", "--promiscuous", "--filter", "tcp"], ["-i", "any"]] {
        let run = try RunningCommand(
          setpriv, nobody + ["--bounding-set=-all,+net_raw", sniffer, "live", "--duration", "1200"] + arguments)
        #expect(run.says("capturing on"), "\(arguments): \(run.error)")
        run.signal(SIGTERM)
        #expect(try run.wait().status == 0, "\(arguments): \(run.error)")
      }
    #endif
  }

  private func expectLine(_ outcome: Outcome, saying text: String) {
    #expect(outcome.status == 1 && !outcome.wasKilled)
    #expect(outcome.errorLines.count == 1 && outcome.error.contains(text), "\(outcome.error)")
    #expect(outcome.output.isEmpty)
  }
}
