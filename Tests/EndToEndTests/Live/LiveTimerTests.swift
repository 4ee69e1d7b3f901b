import Foundation
import TestSupport
import Testing

/// Connections end by time although no packet comes any more, and the saved packets tell of it.
@Suite(.enabled(if: LiveRun.isPossible, "needs root, Python and the permission to capture on lo"))
struct LiveTimerTests {
  /// A keep-alive connection that stays open and says nothing more.
  private static let client = """
    import http.client, sys, time
    connection = http.client.HTTPConnection('127.0.0.1', int(sys.argv[1]), timeout=20)
    connection.request('GET', '/plain/10')
    connection.getresponse().read()
    print('done', flush=True)
    time.sleep(60)
    """

  @Test func idleConnectionsEndWithoutAPacket() throws {
    let scratch = try Scratch()
    let server = try LocalServer()
    let saved = scratch.path("saved.pcapng")
    let run = try LiveRun(
      port: server.port, in: scratch,
      ["--allow-root", "--interval", "0.2", "--idle-timeout", "1", "--write", saved])
    let first = try RunningCommand(try #require(LocalServer.python), ["-u", "-c", Self.client, "\(server.port)"])
    try #require(eventually { first.output == "done\n" })
    // Its row comes while its end, a packet, does not.
    #expect(try eventually(within: 15) { try run.file("connections.csv").rows.count == 1 })
    #expect(first.isRunning)
    #expect(try run.file("connections.csv").rows.map { $0["end"] } == ["idle"])
    #expect(try run.file("messages.open.csv").rows.isEmpty)
    #expect(try run.file("messages.csv").rows.count == 2)
    // Another one, which is idle for so long when the run ends: packets alone would not say so.
    let second = try RunningCommand(try #require(LocalServer.python), ["-u", "-c", Self.client, "\(server.port)"])
    try #require(eventually { second.output == "done\n" })
    #expect(try eventually(within: 15) { try run.file("connections.csv").rows.count == 2 })
    let outcome = try run.stop()
    #expect(outcome.status == 0, "\(outcome.error)")
    let live = try Report(folder: run.report)
    #expect(live.connections.rows.map { $0["end"] } == ["idle", "idle"])
    #expect(live.ledger("difference") == 0 && live.ledger("pending") == 0)
    let offline = try FileAnalysis([saved, "--idle-timeout", "1"])
    #expect(offline.outcome.status == 0)
    #expect(offline.report.differences(fromLive: live) == [])
    // With the usual time-out they are not idle.
    #expect(try FileAnalysis([saved]).report.connections.rows.map { $0["end"] } == ["capture_end", "capture_end"])
  }

  /// Sends exchanges of one connection to the end of a wire, of which the response of the second lacks its last segment, and
  /// says when the last packet of each went out; then, if told so, an acknowledgment after a pause.
  private static let lossySender = """
    import socket, struct, sys, time
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    wire.bind(('v1', 0))
    def send(isUp, seq, ack, flags, payload=b''):
      ends = [(b'\\x0a\\0\\0\\1', 40000), (b'\\x0a\\0\\0\\2', 80)]
      (source, sport), (target, dport) = ends if isUp else ends[::-1]
      ip = struct.pack('>BBHHHBBH4s4s', 0x45, 0, 40 + len(payload), 0, 0, 64, 6, 0, source, target)
      tcp = struct.pack('>HHIIBBHHH', sport, dport, seq, ack, 0x50, flags, 65535, 0, 0)
      wire.send(b'\\x02\\0\\0\\0\\0\\2\\x02\\0\\0\\0\\0\\1\\x08\\0' + ip + tcp + payload)
    send(1, 0, 0, 2)
    send(0, 0, 1, 18)
    up = down = 1
    for number in range(4):
      request = b'GET /%d HTTP/1.1\\r\\nHost: h\\r\\n\\r\\n' % number
      response = b'HTTP/1.1 200 OK\\r\\nContent-Length: 2000\\r\\n\\r\\n' + b'x' * 2000
      send(1, up, down, 24, request)
      up += len(request)
      send(0, down, up, 24, response[:1400])
      if number != 1: send(0, down + 1400, up, 24, response[1400:])
      down += len(response)
      send(1, up, down, 16)
      print(number, time.time(), flush=True)
      time.sleep(0.1)
    if sys.argv[1] == 'more':
      time.sleep(0.9)
      send(1, up, down, 16)
    """

  /// Exchanges that are whole are shown soon after their last packet, whatever was lost before them, if the connection goes on.
  /// What a lost segment keeps from being read is given up a second later, whether a packet of the connection comes then or not.
  @Test(
    .enabled(if: Environment.canMakeInterfaces, "no network namespaces here"), arguments: ["more", "quiet"])
  func exchangesBehindALossAreShownSoon(_ rest: String) throws {
    let scratch = try Scratch()
    let report = scratch.path("report")
    let line = """
      ip link add v0 type veth peer name v1 && ip link set v0 up && ip link set v1 up || exit 99
      exec "$1" live -i v0 --filter tcp --allow-root --duration 60 --interval 0.2 -o "$2"
      """
    let run = try RunningCommand(
      try #require(Environment.tool("unshare")), ["-n", "/bin/sh", "-c", line, "sh", Sniffer.url.path, report])
    try #require(eventually { run.error.contains("capturing on") })
    let sender = try RunningCommand(
      try #require(Environment.tool("nsenter")),
      ["-t", "\(run.identifier)", "-n", try #require(LocalServer.python).path, "-c", Self.lossySender, rest])
    var shown: [String: Double] = [:]
    let end = ContinuousClock.now + .seconds(5)
    while ContinuousClock.now < end {
      for path in wholeExchanges(in: report) where shown[path] == nil { shown[path] = Date().timeIntervalSince1970 }
      Thread.sleep(forTimeInterval: 0.05)
    }
    run.signal(SIGTERM)
    #expect(try run.wait().status == 0)
    #expect(wholeExchanges(in: report) == ["/0", "/1", "/2", "/3"])
    let sent = try sender.wait().outputLines.map { $0.split(separator: " ") }
    try #require(sent.count == 4 && sent.allSatisfy { $0.count == 2 })
    for fields in sent where fields[0] != "1" {
      let time = try #require(Double(fields[1]))
      let delay = shown["/\(fields[0])"].map { $0 - time } ?? .infinity
      #expect(delay < 2, "/\(fields[0])")
    }
  }

  /// The paths of exchanges of which a report has both messages, final or not.
  private func wholeExchanges(in report: String) -> Set<String> {
    var rows: [String: [String: CSVFile.Row]] = [:]
    for name in ["messages.open.csv", "messages.csv"] {
      // A file that is being appended to may end in the middle of a row: then it is looked at again.
      guard let octets = try? [UInt8](Data(contentsOf: URL(fileURLWithPath: "\(report)/\(name)"))),
        let file = try? CSVFile(octets)
      else { continue }
      for row in file.rows where !row["exchange"].isEmpty { rows[row["exchange"], default: [:]][row["type"]] = row }
    }
    return Set(rows.values.compactMap { $0["response"] == nil ? nil : $0["request"]?["path"] })
  }

  /// A request each twentieth of a second, so that there is never a pause of a tenth.
  private static let slowClient = """
    import http.client, sys, time
    connection = http.client.HTTPConnection('127.0.0.1', int(sys.argv[1]), timeout=20)
    while True:
        connection.request('GET', '/plain/10')
        connection.getresponse().read()
        time.sleep(0.04)
    """

  @Test func slowTrafficWithoutAPauseIsShownInTime() throws {
    let scratch = try Scratch()
    let server = try LocalServer()
    let run = try LiveRun(port: server.port, in: scratch, ["--allow-root", "--interval", "0.2"])
    let client = try RunningCommand(try #require(LocalServer.python), ["-u", "-c", Self.slowClient, "\(server.port)"])
    let begin = ContinuousClock.now
    #expect(try run.hasRequests(5))
    // Before a thousand packets have come.
    #expect(ContinuousClock.now - begin < .seconds(5))
    #expect(client.isRunning)
    #expect(try run.stop().status == 0)
  }
}
