import Foundation
import Testing

/// A server that answers each request with a few thousand interim responses, and a client that asks for them, one after
/// another on one connection: rows become final as they come.
final class InterimTraffic {
  private let process: RunningCommand
  /// The port that the server listens on.
  let port: Int

  /// Starts both; they go on until this is gone.
  init() throws {
    process = try RunningCommand(try #require(LocalServer.python), ["-u", "-c", Self.script])
    port = try #require(Int(process.firstLine()))
  }

  private static let script = """
    import socket, threading, time
    # Of a test that is killed, nothing stays for good.
    end = time.monotonic() + 1200
    listener = socket.create_server(('127.0.0.1', 0))
    print(listener.getsockname()[1], flush=True)
    part = b'HTTP/1.1 103 Early Hints\\r\\nLink: </style>\\r\\n\\r\\n' * 100
    def serve():
      connection, _ = listener.accept()
      while connection.recv(4096):
        for _ in range(30):
          connection.sendall(part)
          time.sleep(0.002)
        connection.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Length: 5\\r\\n\\r\\nhello')
    threading.Thread(target=serve, daemon=True).start()
    client = socket.create_connection(listener.getsockname())
    number = 0
    while time.monotonic() < end:
      number += 1
      client.sendall(b'GET /%d HTTP/1.1\\r\\nHost: a.example\\r\\n\\r\\n' % (number % 7))
      tail = b''
      while not tail.endswith(b'hello'):
        tail = tail[-5:] + client.recv(65536)
    """
}
