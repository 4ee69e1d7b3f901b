import Foundation
import TestSupport
import Testing

/// `live --processes`: who is named, and with which rights.
@Suite(
  .enabled(if: LiveRun.namesProcesses, "needs root, Python and the permission to capture on lo, and to ask for sockets")
)
struct LiveProcessTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private static let arguments = ["--allow-root", "--processes", "--interval", "0.1"]

  private func run(_ port: Int) throws -> LiveRun {
    try LiveRun(port: port, in: scratch, Self.arguments)
  }

  /// Whether the run knows, sooner or later, whose the connections of a client of `openConnections` are. A message that began before that
  /// tells it only when it is final, so the client makes requests until one does of each connection.
  private func names(_ count: Int, of client: RunningCommand, _ run: LiveRun) throws -> Bool {
    try eventually {
      let named = try run.requests().filter { !$0["pid"].isEmpty }
      if Set(named.map { $0["connection"] }).count == count { return true }
      let rounds = client.output
      client.signal(SIGUSR1)
      _ = eventually { client.output != rounds || !client.isRunning }
      return false
    }
  }

  /// A connection has the process of its client, and so have its messages; those that were open before, too.
  @Test(arguments: [false, true]) func aProcessThatLasts(isOpenBefore: Bool) throws {
    let server = try LocalServer()
    var client: RunningCommand?
    if isOpenBefore { client = try server.openConnections(8) }
    let run = try run(server.port)
    let mine = try client ?? server.openConnections(8)
    #expect(try names(8, of: mine, run))
    mine.signal(SIGTERM)
    _ = try mine.wait()
    #expect(try run.stop().status == 0)
    let connections = try run.file("connections.csv").rows.filter { $0.integer("messages") > 0 }
    #expect(connections.count == 8)
    for row in connections {
      #expect(row["process"].hasPrefix("python3") && row["process_source"] == "live" && row["app"] == "")
      #expect(row["pid"] == "\(mine.identifier)", "\(row["client"])")
    }
    let messages = try run.file("messages.csv").rows
    #expect(!messages.isEmpty && messages.allSatisfy { $0["pid"] == "\(mine.identifier)" })
  }

  /// A connection of QUIC has the process that sent its first packet, and not one of its threads, which are numbered later.
  @Test func aProcessThatSpeaksQUIC() throws {
    let python = try #require(LocalServer.python)
    let taker = try RunningCommand(python, ["-u", "-c", Self.taker])
    let port = try #require(Int(taker.firstLine()))
    let server = try LocalServer()
    let run = try LiveRun(filter: "udp port \(port) or tcp port \(server.port)", in: scratch, Self.arguments)
    let client = try RunningCommand(python, ["-u", "-c", Self.sender, "\(port)"])
    #expect(try client.firstLine() == "sent")
    // No row tells of a connection of QUIC that goes on. Processes are told in the order of packets: who knows this one's knows that one's.
    let later = try server.openConnections(1)
    #expect(try names(1, of: later, run))
    client.signal(SIGKILL)
    later.signal(SIGTERM)
    #expect(try run.stop().status == 0)
    let rows = try run.file("connections.csv").rows.filter { $0["protocol"] == "quic" }
    #expect(rows.count == 1)
    for row in rows {
      #expect(row["process"].hasPrefix("python3") && row["process_source"] == "live")
      #expect(row["pid"] == "\(client.identifier)" && !row["flags"].contains("several_processes"))
    }
  }

  /// Takes datagrams at a port that it says, and answers none.
  private static let taker = """
    import signal, socket
    taker = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    taker.bind(('127.0.0.1', 0))
    print(taker.getsockname()[1])
    signal.pause()
    """

  /// Sends an Initial packet of version 1 three times, which nobody can open, while a thread waits.
  private static let sender = """
    import signal, socket, sys, threading
    threading.Thread(target=threading.Event().wait).start()
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.connect(('127.0.0.1', int(sys.argv[1])))
    initial = bytes([0xc0, 0, 0, 0, 1, 8, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0x44, 0x96]) + bytes(1174)
    for _ in range(3): sender.send(initial)
    print('sent')
    signal.pause()
    """

  /// Short processes are named, or are not; nobody else is named instead of them but the server, which has the other end.
  @Test(.enabled(if: Environment.tool("curl") != nil, "needs curl"))
  func shortProcesses() throws {
    let server = try LocalServer()
    let run = try run(server.port)
    let script = """
      for n in $(seq 40); do curl -s -o /dev/null "http://127.0.0.1:$1/plain/$n" & echo $!; wait $!; done
      """
    var mine: [String] = []
    // How many of them are named depends on the machine; sooner or later, one is.
    let isOneNamed = try eventually {
      let outcome = try Command.shell(script, ["\(server.port)"])
      try #require(outcome.status == 0, "\(outcome.error)")
      mine += outcome.outputLines
      #expect(try run.hasRequests(mine.count))
      return try run.requests().contains { $0["process"] == "curl" }
    }
    #expect(isOneNamed)
    #expect(try run.stop().status == 0)
    let rows = try run.file("connections.csv").rows
    #expect(rows.count == mine.count)
    let named = rows.filter { $0["process"] == "curl" }
    print("\(named.count) of \(mine.count) curl processes are named")
    #expect(!named.isEmpty && Set(named.map { $0["pid"] }).count == named.count)
    #expect(named.allSatisfy { mine.contains($0["pid"]) })
    #expect(rows.allSatisfy { $0["process"] == "curl" || $0["process"] == "" || $0["process"].hasPrefix("python3") })
  }

  /// The helper has two rights, is confined by seccomp, may start nothing, and ends with the run; the run has none.
  @Test func theHelperHasItsDutyAlone() throws {
    let server = try LocalServer()
    let run = try run(server.port)
    let helper = try #require(try Self.children(of: run.process.identifier).first)
    let status = try String(contentsOfFile: "/proc/\(helper)/status", encoding: .utf8)
    func value(_ name: String, of status: String) -> String? {
      status.split(separator: "\n").first { $0.hasPrefix(name + ":") }?.split(whereSeparator: \.isWhitespace).last.map(
        String.init)
    }
    let rights = String(1 << 2 | 1 << 19, radix: 16)
    for set in ["CapPrm", "CapEff"] {
      #expect(value(set, of: status).map { String($0.drop { $0 == "0" }) } == rights, "\(set)")
    }
    #expect(value("CapBnd", of: status) == "0000000000000000" && value("NoNewPrivs", of: status) == "1")
    #expect(value("Seccomp", of: status) == "2")
    let own = try String(contentsOfFile: "/proc/\(run.process.identifier)/status", encoding: .utf8)
    #expect(value("CapEff", of: own) == "0000000000000000")
    #expect(try run.stop().status == 0)
    #expect(eventually { !FileManager.default.fileExists(atPath: "/proc/\(helper)/exe") })
  }

  private static func children(of process: Int32) throws -> [Int32] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }.filter { other in
      guard let text = try? String(contentsOfFile: "/proc/\(other)/stat", encoding: .utf8),
        let end = text.lastIndex(of: ")")
      else { return false }
      return text[end...].split(separator: " ").dropFirst(2).first == "\(process)"
    }
  }
}

extension LiveRun {
  /// Whether this user may also ask whose connections there are.
  fileprivate static let namesProcesses: Bool = {
    #if os(Linux)
      guard LiveRun.isPossible else { return false }
      let outcome = try? Sniffer.run(["live", "-i", "lo", "--allow-root", "--duration", "0.1", "-q", "--processes"])
      return outcome?.status == 0 && outcome?.error == ""
    #else
      return false
    #endif
  }()
}
