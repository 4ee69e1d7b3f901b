#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Limits for the clients of a server.
struct ConnectionLimits {
  /// Connections that may be open at the same time. Beyond, the one with the lowest rank gives way (`ClientConnection.Standing`).
  var connections: Int
  /// The time that a client has to send a whole request, or to take octets, before its connection is closed.
  var patience: Duration
}

/// Serves all clients of a port on the calling thread. Only one call waits, and it waits for all of them.
final class ConnectionLoop {
  /// The most octets that one call receives or sends.
  static let pieceLength = 64 << 10
  /// The most clients that are accepted in one turn, so that earlier clients have their turn, too.
  private static let arrivalLimit = 8
  /// The time without new clients after the process has run out of descriptors.
  private static let scarcity = Duration.seconds(1)

  private let port: ListeningSocket
  private let calls: Socket
  private let limits: ConnectionLimits
  private let service: any Service
  private let now: @Sendable () -> ContinuousClock.Instant
  private(set) var connections: [ClientConnection] = []
  private var buffer = [UInt8](repeating: 0, count: pieceLength)
  /// The time from which clients are accepted.
  private var takesFrom: ContinuousClock.Instant

  /// Makes the loop, which closes the port and `calls` at its end.
  ///
  /// - Parameters:
  ///   - port: The port of the clients.
  ///   - calls: The end of a pipe. Each octet announces an update; its end ends the loop.
  ///   - limits: Limits for clients.
  ///   - service: The service that answers requests.
  ///   - now: The time.
  init(
    _ port: ListeningSocket, calls: Socket, _ limits: ConnectionLimits, _ service: any Service,
    now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    self.port = port
    self.calls = calls
    self.limits = limits
    self.service = service
    self.now = now
    takesFrom = now()
  }

  /// Serves until `calls` ends.
  func run() {
    while turn() {}
    end()
  }

  /// Waits for events, though no longer than `milliseconds`, and handles them. Returns false when `calls` has ended.
  func turn(atMost milliseconds: CInt = .max) -> Bool {
    let begun = now()
    var waits = [
      pollfd(fd: calls.descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: -1, events: 0, revents: 0),
    ]
    if begun >= takesFrom { waits[1] = pollfd(fd: port.socket.descriptor, events: Int16(POLLIN), revents: 0) }
    waits += connections.map(\.wait)
    Socket.wait(for: &waits, milliseconds: min(milliseconds, pause(from: begun)))

    let around = ClientConnection.Surroundings(service: service, patience: limits.patience, time: now())
    if waits[0].revents != 0, calls.receive(into: &buffer, limit: buffer.count) == .over { return false }
    for index in connections.indices { connections[index].step(waits[index + 2].revents, &buffer, around) }
    connections.removeAll { $0.phase == .closed }
    if waits[1].revents != 0 { takeClients(around) }
    return true
  }

  /// Closes the port and all connections.
  func end() {
    let around = ClientConnection.Surroundings(service: service, patience: limits.patience, time: now())
    for index in connections.indices { connections[index].close(around) }
    connections = []
    port.socket.close()
    calls.close()
  }

  private func takeClients(_ around: ClientConnection.Surroundings) {
    for _ in 0..<Self.arrivalLimit {
      switch port.accept() {
      case .nobody: return
      case .noRoom:
        // An idle connection frees a descriptor.
        if giveWay(around, upTo: .idle) { continue }
        takesFrom = around.time + Self.scarcity
        return
      case .client(let socket):
        if connections.count >= max(limits.connections, 1) { giveWay(around, upTo: .following) }
        var connection = ClientConnection(socket, at: around.time)
        // Its request may have come already.
        connection.step(Int16(POLLIN), &buffer, around)
        if connection.phase != .closed { connections.append(connection) }
      }
    }
  }

  /// Closes the connection with the lowest rank, if it is at most `best`. Returns whether there was one.
  @discardableResult
  private func giveWay(_ around: ClientConnection.Surroundings, upTo best: ClientConnection.Standing) -> Bool {
    let standings = connections.map { $0.standing(at: around.time) }
    guard let index = standings.indices.min(by: { standings[$0] < standings[$1] }), standings[index].0 <= best else {
      return false
    }
    connections[index].close(around)
    connections.remove(at: index)
    return true
  }

  /// Milliseconds until the next step if no event comes; a minute at most.
  private func pause(from time: ContinuousClock.Instant) -> CInt {
    var next = connections.map { $0.deadline(limits.patience) }
    if takesFrom > time { next.append(takesFrom) }
    let rest = ((next.min() ?? time + .seconds(60)) - time) / .milliseconds(1)
    return CInt(max(0, min(rest.rounded(.up), 60_000)))
  }
}
