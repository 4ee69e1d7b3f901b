import Foundation
import TestSupport
import Testing

/// The tables of a live run as others see them meanwhile, and as they are after SIGKILL at any moment: no message twice, though
/// thousands of rows become final in each interval.
@Suite(
  .enabled(
    if: LiveRun.isPossible && FormatWitness.python != nil, "needs root, Python and the permission to capture on lo"))
struct LiveKillTests {
  private let scratch: Scratch
  private let traffic: InterimTraffic

  init() throws {
    scratch = try Scratch()
    traffic = try InterimTraffic(seconds: 120)
  }

  @Test func killedAtAnyMoment() throws {
    var generator = SystemRandomNumberGenerator()
    var rows = 0
    for round in 0..<8 {
      let folder = try Scratch()
      let run = try LiveRun(
        port: traffic.port, in: folder,
        ["--allow-root", "--interval", "0.15", "--format", "csv,ndjson"])
      try #require(eventually { FileManager.default.fileExists(atPath: run.url("messages.open.ndjson").path) })
      Thread.sleep(forTimeInterval: .random(in: 0...0.8, using: &generator))
      run.process.signal(SIGKILL)
      #expect(try run.process.wait().wasKilled)
      var final: [String] = []
      for name in ["messages.csv", "exchanges.csv", "connections.csv"] {
        // Read strictly: every row that has its line end has all its cells.
        let file = try CSVFile(try Self.lines(run.url(name)))
        if name == "messages.csv" { final = file.rows.map { $0["message"] } }
      }
      // What is replaced is whole.
      let open = try run.file("messages.open.csv").rows.map { $0["message"] }
      #expect(Set(final + open).count == final.count + open.count, "round \(round)")
      rows += final.count
      var numbers: [Int] = []
      let openLines = try [UInt8](Data(contentsOf: run.url("messages.open.ndjson")))
      #expect(openLines.isEmpty || openLines.last == UInt8(ascii: "\n"))
      for line in (try Self.lines(run.url("messages.ndjson")) + openLines).split(separator: UInt8(ascii: "\n")) {
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
        numbers.append(try #require(object["message"] as? Int))
      }
      #expect(Set(numbers).count == numbers.count, "round \(round)")
    }
    #expect(rows > 10_000, "too little traffic to say anything")
  }

  /// A file up to its last line end: a row that goes on in another page of the file can be cut there.
  private static func lines(_ file: URL) throws -> [UInt8] {
    let octets = try [UInt8](Data(contentsOf: file))
    return Array(octets[..<((octets.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1)])
  }

  /// Whoever reads the database sees each message once, and the totals of the same moment.
  @Test func aReaderOfTheDatabaseSeesEachMessageOnce() throws {
    let run = try LiveRun(
      port: traffic.port, in: scratch, ["--allow-root", "--interval", "0.5", "--format", "sqlite", "--duration", "6"])
    var last = 0
    var looks = 0
    let sql = """
      SELECT count(*), count(DISTINCT message), sum(message_bytes),
        (SELECT sum(request_bytes + response_bytes) FROM apis) FROM all_messages
      """
    while run.process.isRunning, looks < 400 {
      let row = try FormatWitness.query(sql, of: run.url("report.sqlite")).first ?? ""
      let cells = row.split(separator: "|", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
      try #require(cells.count == 4)
      #expect(cells[0] == cells[1], "\(cells[0] - cells[1]) messages twice")
      #expect(cells[2] == cells[3])
      #expect(cells[0] >= last)
      last = cells[0]
      looks += 1
    }
    #expect(looks > 3 && last > 1000)
    let outcome = try run.process.wait()
    #expect(outcome.status == 0, "\(outcome.error)")
  }
}

/// A server that answers each request with a few thousand interim responses, and a client that asks for them, one after
/// another on one connection: rows become final as they come.
private final class InterimTraffic {
  private let process: RunningCommand
  /// The port that the server listens on.
  let port: Int

  /// Starts both, for so many seconds at most.
  init(seconds: Int) throws {
    process = try RunningCommand(try #require(LocalServer.python), ["-u", "-c", Self.script, "\(seconds)"])
    _ = eventually { [process] in process.output.hasSuffix("\n") }
    port = try #require(Int(process.output.dropLast()), "\(process.error)")
  }

  private static let script = """
    import socket, sys, threading, time
    end = time.monotonic() + int(sys.argv[1])
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
