import Foundation
import TestSupport
import Testing

/// `sniffer live --write-keys`: a saved capture opens by itself what the run opened, and nothing else.
@Suite(
  .enabled(if: LiveRun.isPossible, "needs root, Python and the permission to capture on lo"),
  .enabled(if: Environment.tool("openssl") != nil, "openssl is not installed"),
  .enabled(if: Environment.tool("curl") != nil, "curl is not installed"))
struct LiveSecretTests {
  private let scratch: Scratch
  private let server: RunningCommand
  private let port: Int

  init() throws {
    let scratch = try Scratch()
    self.scratch = scratch
    let made = try Command.run(
      try #require(Environment.tool("openssl")),
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
        "/CN=live.example", "-keyout",
        scratch.path("key.pem"), "-out", scratch.path("certificate.pem"),
      ])
    try #require(made.status == 0, "\(made.error)")
    server = try RunningCommand(
      try #require(LocalServer.python),
      ["-u", "-c", Self.program, scratch.path("certificate.pem"), scratch.path("key.pem")])
    port = try #require(Int(server.firstLine()))
  }

  private static let program = """
    import http.server, ssl, sys
    class Handler(http.server.BaseHTTPRequestHandler):
      protocol_version = 'HTTP/1.1'
      def do_GET(self):
        body = b'x' * 5000
        self.send_response(200)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
      def log_message(self, *arguments): pass
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    class Server(http.server.ThreadingHTTPServer):
      daemon_threads = True
      def get_request(self):
        connection, address = super().get_request()
        return context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False), address
    server = Server(('127.0.0.1', 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()
    """

  private func ask(_ path: String, _ options: [String], keys: String?) throws {
    let outcome = try Command.run(
      try #require(Environment.tool("curl")),
      ["-q", "-s", "-k", "--http1.1", "--noproxy", "*", "-o", "/dev/null"] + options
        + ["https://127.0.0.1:\(port)/\(path)"],
      environment: keys.map { ["SSLKEYLOGFILE": $0] } ?? [:])
    try #require(outcome.status == 0, "\(outcome.error)")
  }

  private func rows(_ report: Report) -> [String] {
    report.messages.rows.map { row in
      ["connection", "type", "scheme", "path", "status", "message_bytes", "tls_bytes", "exactness"].map { row[$0] }
        .joined(separator: " ")
    }
    // Messages that waited have later numbers.
    .sorted()
  }

  @Test(arguments: [[], ["--rotate-interval", "1"]])
  func whatWasOpenedOpensItself(_ rotation: [String]) throws {
    let (saved, log) = (scratch.path("saved.pcapng"), try scratch.file("log").path)
    // Somebody else's connection, which is not captured.
    let other = "CLIENT_RANDOM " + String(repeating: "ab", count: 32) + " " + String(repeating: "cd", count: 48)
    try Data((other + "\n").utf8).write(to: URL(fileURLWithPath: log))
    let run = try LiveRun(
      port: port, in: scratch,
      ["--allow-root", "--interval", "3600", "--keys", log, "--write", saved, "--write-keys"] + rotation)
    for number in 0..<4 {
      try ask("\(number)", number % 2 == 0 ? ["--tlsv1.3"] : ["--tls-max", "1.2"], keys: log)
    }
    try ask("closed", [], keys: nil)
    if !rotation.isEmpty {
      // Packets from now on are by more than the interval later than the first one.
      Thread.sleep(forTimeInterval: 1.1)
      try ask("4", [], keys: log)
    }
    let outcome = try run.stop()
    #expect(outcome.status == 0, "\(outcome.error)")
    #expect(outcome.error.contains("gets the secrets of connections"))
    let live = try Report(folder: run.report)
    #expect(
      live.messages.rows.count { $0["type"] == "request" && $0["scheme"] == "https" } == (rotation.isEmpty ? 4 : 5))
    let files = try FileManager.default.contentsOfDirectory(atPath: scratch.url.path)
      .filter { $0.hasPrefix("saved") }.sorted().map(scratch.path)
    #expect(rotation.isEmpty ? files.count == 1 : files.count > 1)
    #expect(rows(try FileAnalysis(files).report) == rows(live))
    for file in files {
      let octets = try Data(contentsOf: URL(fileURLWithPath: file))
      #expect(octets.range(of: Data(String(repeating: "ab", count: 32).utf8)) == nil)
      #expect(octets.range(of: Data("TRAFFIC_SECRET_0 ".utf8)) != nil)
    }
    guard rotation.isEmpty, let tshark = Environment.tool("tshark") else { return }
    // In one pass: every secret is there before what it opens.
    let seen = try Command.run(
      tshark,
      [
        "-n", "-r", files[0], "-d", "tcp.port==\(port),tls", "-Y", "http.request", "-T", "fields", "-e",
        "http.request.uri",
      ])
    #expect(seen.outputLines == ["/0", "/1", "/2", "/3"], "\(seen.error)")
  }

  @Test func itNeedsAFileAndALog() throws {
    for arguments in [["--write", scratch.path("x.pcapng")], ["--keys", try scratch.file("log").path], []] {
      let outcome = try Sniffer.run(
        ["live", "-i", "lo", "--write-keys"] + arguments, environment: ["SSLKEYLOGFILE": ""])
      #expect(outcome.status == 64, "\(outcome.error)")
    }
  }
}
