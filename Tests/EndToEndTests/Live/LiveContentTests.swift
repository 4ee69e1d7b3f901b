import Foundation
import TestSupport
import Testing

/// Responses that decode to far more than they are, in a live run: packets, intervals and signals have their turn all the same.
@Suite(.enabled(if: LiveRun.isPossible, "needs root, Python and the permission to capture on lo"))
struct LiveContentTests {
  /// Sends bombs, and answers each request with one of them or with a few octets; the bombs are those of `captures/attacks`.
  private static let server = """
    import gzip, socket, sys
    sys.dont_write_bytecode = True
    sys.path.insert(0, sys.argv[1])
    from coded import brotli_zeros, zstandard_zeros
    from messages import zeros
    inner = zeros(512 << 20)
    for _ in range(3): inner = gzip.compress(inner, mtime=0)
    bombs = {
        b'/br': ('br', brotli_zeros(1024)), b'/zstd': ('zstd', zstandard_zeros(65536)),
        b'/gzip': ('gzip, gzip, gzip, gzip', inner)}
    listener = socket.create_server(('127.0.0.1', 0))
    print(listener.getsockname()[1], flush=True)
    while True:
        connection, _ = listener.accept()
        with connection, connection.makefile('rb') as lines:
            while line := lines.readline():
                while lines.readline() not in (b'\\r\\n', b''): pass
                coding, body = bombs.get(line.split()[1], ('identity', b'hello'))
                head = f'HTTP/1.1 200 OK\\r\\nContent-Encoding: {coding}\\r\\nContent-Length: {len(body)}\\r\\n\\r\\n'
                connection.sendall(head.encode() + body)
    """

  private static let client = """
    import http.client, sys
    connection = http.client.HTTPConnection('127.0.0.1', int(sys.argv[1]), timeout=300)
    for path in sys.argv[2:]:
        connection.request('GET', path)
        connection.getresponse().read()
    """

  @Test func bombsDoNotStopARun() throws {
    let python = try #require(LocalServer.python)
    let attacks = Document.root.appendingPathComponent("captures/attacks").path
    let server = try RunningCommand(python, ["-u", "-c", Self.server, attacks])
    let port = try #require(Int(server.firstLine()))
    let scratch = try Scratch()
    let saved = scratch.path("saved.pcapng")
    let run = try LiveRun(port: port, in: scratch, ["--allow-root", "--interval", "0.1", "--write", saved])
    let bombs = ["/br", "/zstd", "/gzip"]
    let paths = bombs + bombs + (0..<20).map { "/\($0)" }
    let client = try Command.run(python, ["-c", Self.client, "\(port)"] + paths)
    try #require(client.status == 0, "\(client.error)")
    #expect(try run.hasRequests(paths.count))
    // One of them decoded to its end would take half a minute of a processor; all six up to the limit take some hundredths of a second.
    #expect(run.process.processorTime < 20)
    let outcome = try run.stop()
    #expect(outcome.status == 0 && !outcome.wasKilled, "\(outcome.error)")

    let live = try Report(folder: run.report)
    #expect(live.ledger("difference") == 0 && live.ledger("dropped_packets") == 0)
    let responses = live.messages.rows.filter { $0["type"] == "response" }
    #expect(
      responses.map { $0["decoded_body_bytes"] } == Array(repeating: "", count: 6) + Array(repeating: "5", count: 20))
    #expect(responses.prefix(6).allSatisfy { $0["flags"] == "coding_beyond_limit" && $0["exactness"] == "exact" })
    #expect(responses.map { $0["body_bytes"] }.prefix(3) == responses.map { $0["body_bytes"] }.dropFirst(3).prefix(3))
    // And what is beyond a limit is so when the packets are read again.
    for jobs in ["1", "3"] {
      #expect(try FileAnalysis([saved, "--jobs", jobs]).report.differences(fromLive: live) == [])
    }
  }
}
