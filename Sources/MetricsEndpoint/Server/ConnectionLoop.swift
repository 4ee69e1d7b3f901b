/// The limits of a server for its clients.
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
    var waits = connections.map { (socket: $0.socket, isToSend: $0.phase == .answering) }
    waits.append((socket: calls, isToSend: false))
    if begun >= takesFrom { waits.append((socket: port.socket, isToSend: false)) }
    let areReady = Socket.wait(for: waits, milliseconds: min(milliseconds, pause(from: begun)))

    let around = ClientConnection.Surroundings(service: service, patience: limits.patience, time: now())
    let count = connections.count
    if areReady[count], calls.receive(into: &buffer, limit: buffer.count) == .over { return false }
    for index in connections.indices { connections[index].step(isReady: areReady[index], &buffer, around) }
    connections.removeAll { $0.phase == .closed }
    if areReady.dropFirst(count + 1).first == true { takeClients(around) }
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
        // Its request may be here already.
        connection.step(isReady: true, &buffer, around)
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

  /// Milliseconds until something is to be looked at though nothing comes.
  private func pause(from time: ContinuousClock.Instant) -> CInt {
    var next = connections.map { $0.deadline(limits.patience) }
    if takesFrom > time { next.append(takesFrom) }
    guard let first = next.min() else { return .max }
    return CInt(max(0, min(((first - time) / .milliseconds(1)).rounded(.up), Double(CInt.max))))
  }
}
