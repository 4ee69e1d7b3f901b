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
    #expect(offline.report.differences(from: live) == [])
    // With the usual time-out they are not idle.
    #expect(try FileAnalysis([saved]).report.connections.rows.map { $0["end"] } == ["capture_end", "capture_end"])
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
