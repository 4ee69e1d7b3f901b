import Foundation
import TestSupport
import Testing

/// Connections end by time although no packet comes any more, and the saved packets tell of it.
@Suite(.enabled(if: LiveRun.isPossible, "needs root, Python and the permission to capture on lo"))
struct LiveTimerTests {
  @Test func idleConnectionsEndWithoutAPacket() throws {
    let scratch = try Scratch()
    let server = try LocalServer()
    let saved = scratch.path("saved.pcapng")
    let run = try LiveRun(
      port: server.port, in: scratch,
      ["--allow-root", "--interval", "0.1", "--idle-timeout", "2", "--write", saved])
    let first = try server.openConnections(1)
    // Its row comes while its end, a packet, does not.
    let isFinal = try eventually {
      try run.table("connections.csv").rows.count == 1 && run.file("messages.open.csv").rows.isEmpty
    }
    #expect(isFinal && first.isRunning)
    #expect(try run.table("connections.csv").rows.map { $0["end"] } == ["idle"])
    #expect(try run.table("messages.csv").rows.count == 2)
    // Another one, which is idle for so long when the run ends: packets alone would not say so.
    let second = try server.openConnections(1)
    #expect(try eventually { try run.table("connections.csv").rows.count == 2 })
    #expect(second.isRunning)
    let outcome = try run.stop()
    #expect(outcome.status == 0, "\(outcome.error)")
    let live = try Report(folder: run.report)
    #expect(live.connections.rows.map { $0["end"] } == ["idle", "idle"])
    #expect(live.ledger("difference") == 0 && live.ledger("pending") == 0)
    let offline = try FileAnalysis([saved, "--idle-timeout", "2"])
    #expect(offline.outcome.status == 0)
    #expect(offline.report.differences(fromLive: live) == [])
    // With the usual time-out they are not idle.
    #expect(try FileAnalysis([saved]).report.connections.rows.map { $0["end"] } == ["capture_end", "capture_end"])
  }

  /// Sends exchanges of one connection to the end of a wire, of which the response of the second lacks its last segment; then, if told so,
  /// an acknowledgment after a pause.
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
    if sys.argv[1] == 'more':
      time.sleep(1.1)
      send(1, up, down, 16)
    """

  /// Exchanges that are whole are shown while their connection goes on, whatever was lost before them, whether a packet of the connection
  /// comes afterwards or not. How soon: `PassingTimeTests.exchangesBehindALoss`.
  @Test(
    .enabled(if: Environment.canMakeInterfaces, "no network namespaces here"), arguments: ["more", "quiet"])
  func exchangesBehindALossAreShownSoon(_ rest: String) throws {
    let scratch = try Scratch()
    let report = scratch.path("report")
    let line = """
      ip link add v0 type veth peer name v1 && ip link set v0 up && ip link set v1 up || exit 99
      exec "$1" live -i v0 --filter tcp --allow-root --duration 1200 --interval 0.1 -o "$2"
      """
    let run = try RunningCommand(
      try #require(Environment.tool("unshare")), ["-n", "/bin/sh", "-c", line, "sh", Sniffer.url.path, report])
    try #require(run.says("capturing on"), "\(run.error)")
    let sender = try RunningCommand(
      try #require(Environment.tool("nsenter")),
      ["-t", "\(run.identifier)", "-n", try #require(LocalServer.python).path, "-c", Self.lossySender, rest])
    let outcome = try sender.wait()
    try #require(outcome.status == 0, "\(outcome.error)")
    // Its end would be a packet, or ten minutes without any.
    #expect(eventually { wholeExchanges(in: report).isSuperset(of: ["/0", "/2", "/3"]) })
    run.signal(SIGTERM)
    #expect(try run.wait().status == 0)
    #expect(wholeExchanges(in: report) == ["/0", "/1", "/2", "/3"])
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
    connection = http.client.HTTPConnection('127.0.0.1', int(sys.argv[1]), timeout=300)
    while True:
        connection.request('GET', '/plain/10')
        connection.getresponse().read()
        time.sleep(0.04)
    """

  @Test func slowTrafficWithoutAPauseIsShownInTime() throws {
    let scratch = try Scratch()
    let server = try LocalServer()
    let run = try LiveRun(port: server.port, in: scratch, ["--allow-root", "--interval", "0.1"])
    let client = try RunningCommand(try #require(LocalServer.python), ["-u", "-c", Self.slowClient, "\(server.port)"])
    #expect(try run.hasRequests(5))
    #expect(eventually { run.intervals.contains { $0["packets", default: 0] > 0 } })
    #expect(client.isRunning)
    // The clock was looked at before a thousand packets had come.
    let first = try #require(run.intervals.compactMap { $0["packets"] }.first { $0 > 0 })
    #expect(first < 1000)
    #expect(try run.stop().status == 0)
  }
}
