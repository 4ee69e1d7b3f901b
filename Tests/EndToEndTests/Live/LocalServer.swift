import Foundation
import Testing

/// A server of this test's own on the loopback, and clients that make mixed requests of it.
final class LocalServer {
  /// Python, by which server and clients run.
  static let python =
    ["/usr/bin/python3"].map { URL(fileURLWithPath: $0) }
    .first { FileManager.default.isExecutableFile(atPath: $0.path) } ?? Environment.tool("python3")

  private let process: RunningCommand
  /// The port that it listens on.
  let port: Int

  init() throws {
    process = try RunningCommand(try #require(Self.python), ["-u", "-c", Self.server])
    port = try #require(Int(process.firstLine()))
  }

  /// Makes `count` mixed requests, one by one; the client says how many were answered.
  func makeRequests(_ count: Int) throws {
    let client = try startRequests(count)
    let outcome = try client.wait()
    try #require(outcome.status == 0 && outcome.output == "\(count)\n", "\(outcome.error)")
  }

  /// Starts to make `count` mixed requests, with a pause in seconds after each.
  func startRequests(_ count: Int, pause: Double = 0) throws -> RunningCommand {
    try RunningCommand(try #require(Self.python), ["-c", Self.client, "\(port)", "\(count)", "\(pause)"])
  }

  /// Opens connections, makes a request on each, and returns the client when these are answered. It keeps the connections until it is ended,
  /// and says nothing more on them but a request on each at SIGUSR1.
  func openConnections(_ count: Int) throws -> RunningCommand {
    let client = try RunningCommand(try #require(Self.python), ["-u", "-c", Self.stayingClient, "\(port)", "\(count)"])
    try #require(client.firstLine() == "1", "\(client.error)")
    return client
  }

  private static let server = """
    import gzip, http.server
    class Handler(http.server.BaseHTTPRequestHandler):
      protocol_version, disable_nagle_algorithm = 'HTTP/1.1', True
      def answer(self):
        length = int(self.headers.get('Content-Length', 0))
        self.rfile.read(length)
        kind, _, size = self.path.strip('/').partition('/')
        body = (b'all work and no play ' * 5000)[:int(size or 0)]
        self.send_response(404 if kind == 'missing' else 200)
        if kind == 'chunked':
          self.send_header('Transfer-Encoding', 'chunked')
          self.end_headers()
          for start in range(0, len(body), 1000):
            part = body[start:start + 1000]
            self.wfile.write(b'%x\\r\\n%s\\r\\n' % (len(part), part))
          return self.wfile.write(b'0\\r\\n\\r\\n')
        if kind == 'gzip':
          body = gzip.compress(body)
          self.send_header('Content-Encoding', 'gzip')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        if self.command != 'HEAD': self.wfile.write(body)
      do_GET = do_HEAD = do_POST = answer
      def log_message(self, *arguments): pass
    class Server(http.server.ThreadingHTTPServer):
      daemon_threads = True
    server = Server(('127.0.0.1', 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()
    """

  private static let client = """
    import http.client, socket, sys, time
    port, count, pause = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    connection, answered = None, 0
    for number in range(count):
      kind = number % 8
      if connection is None: connection = http.client.HTTPConnection('127.0.0.1', port, timeout=300)
      path = '/%s/%d' % (['plain', 'gzip', 'chunked', 'missing'][number % 4], number * 97 % 40000)
      method = 'POST' if kind == 5 else 'HEAD' if kind == 4 else 'GET'
      connection.request(method, path, body=b'x' * (number * 31 % 9000) if kind == 5 else None)
      connection.getresponse().read()
      answered += 1
      if kind == 7:
        connection.close()
        connection = None
      if pause: time.sleep(pause)
    if connection: connection.close()
    print(answered)
    """

  private static let stayingClient = """
    import http.client, signal, sys
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
    port, count, rounds = int(sys.argv[1]), int(sys.argv[2]), 0
    connections = [http.client.HTTPConnection('127.0.0.1', port, timeout=300) for _ in range(count)]
    while True:
      rounds += 1
      for connection in connections:
        connection.request('GET', '/plain/10')
        connection.getresponse().read()
      print(rounds)
      signal.sigwait([signal.SIGUSR1])
    """
}
