// Unsafe sites: sets of signals that are lent to the system for the time of a call.

import Shared
import Testing

@testable import MetricsEndpoint

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A server whose turns the test takes itself, by a clock that the test sets: nothing depends on how fast anything is.
final class TurnsOfServer {
  let address: MetricsAddress
  private let loop: ConnectionLoop
  private let calls: Socket
  private let clock: Locked<ContinuousClock.Instant>

  /// Serves for as long as `body` takes. Turns are for one thread, which a write to a client that is gone must not end the process on.
  static func serve(
    _ service: any Service, connections: Int = 32, patience: Duration = .seconds(30),
    _ body: (TurnsOfServer) throws -> Void
  ) throws {
    var (pipe, before, pending) = (sigset_t(), sigset_t(), sigset_t())
    unsafe sigemptyset(&pipe)
    unsafe sigaddset(&pipe, SIGPIPE)
    unsafe pthread_sigmask(SIG_BLOCK, &pipe, &before)
    defer {
      unsafe sigpending(&pending)
      var signal: CInt = 0
      if unsafe sigismember(&pending, SIGPIPE) == 1 { unsafe sigwait(&pipe, &signal) }
      unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    }
    let server = try TurnsOfServer(service, ConnectionLimits(connections: connections, patience: patience))
    defer { server.end() }
    try body(server)
  }

  private init(_ service: any Service, _ limits: ConnectionLimits) throws {
    let asked = try MetricsAddress("127.0.0.1:0")
    let port = try ListeningSocket(asked.address, port: 0)
    let pipe = try Socket.pipe()
    let clock = Locked(ContinuousClock.now)
    address = asked.with(port: port.port)
    calls = pipe.writing
    self.clock = clock
    loop = ConnectionLoop(port, calls: pipe.reading, limits, service) { clock.withLock { $0 } }
  }

  private func end() {
    loop.end()
    calls.close()
  }

  var connections: [ClientConnection] { loop.connections }

  /// Lets time pass, so often until something holds: where the system finds room for what a client does not take, it is as if it took it.
  func pass(_ duration: Duration, until holds: () -> Bool) throws {
    try turn {
      pass(duration)
      return holds()
    }
  }

  /// Lets time pass, and takes a turn.
  func pass(_ duration: Duration) {
    clock.withLock { $0 += duration }
    _ = loop.turn(atMost: 0)
  }

  /// Takes turns until something holds.
  func turn(until holds: () -> Bool) throws {
    let deadline = ContinuousClock.now + .seconds(180)
    while !holds() {
      try #require(ContinuousClock.now < deadline, "it never came to be")
      _ = loop.turn(atMost: 1)
    }
  }

  // MARK: Clients

  /// A client whom the server has taken, and who has sent octets.
  func client(_ octets: String = "") throws -> RawClient {
    let client = try RawClient(address)
    try send(octets, by: client)
    try turn { has(client) || client.take() > 0 || client.isOver }
    return client
  }

  /// Has a client send octets, as fast as the server takes them, unless that closes.
  func send(_ octets: String, by client: RawClient) throws {
    var rest = Array(octets.utf8)[...]
    try turn {
      rest = rest.dropFirst(client.send(rest))
      return rest.isEmpty || client.take() == 0 && client.isOver
    }
  }

  /// The server's end of a client's connection, if it is open.
  func connection(of client: RawClient) -> ClientConnection? {
    let port = client.port
    return connections.first { RawClient.port(ofPeerOf: $0.socket.descriptor) == port }
  }

  func has(_ client: RawClient) -> Bool { connection(of: client) != nil }

  func standing(of client: RawClient) -> ClientConnection.Standing? {
    connection(of: client)?.standing(at: clock.withLock { $0 }).0
  }

  /// Takes turns until something holds of a client, which takes meanwhile what comes.
  func turn(_ client: RawClient, until holds: (RawClient) -> Bool) throws {
    try turn {
      client.take()
      return holds(client)
    }
  }

  /// Takes turns until a client's connection is closed, and the client has all that came before. Returns it.
  func turnToEnd(of client: RawClient) throws -> String {
    try turn(client) { $0.isOver }
    return client.text
  }

  /// Takes turns until a client that takes nothing is sent nothing.
  func fill(_ client: RawClient) throws {
    try turn { connection(of: client)?.phase == .answering }
    // Nobody knows how much the system has room for, and it may find some later.
    var (last, turns) = (-1, 0)
    while turns < 20 {
      _ = loop.turn(atMost: 1)
      let count = connection(of: client)?.outputCount ?? 0
      turns = count == last ? turns + 1 : 0
      last = count
    }
  }
}
