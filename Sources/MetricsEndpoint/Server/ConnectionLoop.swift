/// What a server puts up with from its clients.
struct ConnectionLimits {
  /// Connections that may be open at the same time. For another one the least good one gives way (`ClientConnection.Standing`).
  var connections: Int
  /// How long a connection waits for a whole request, and for its client to take something, before it is closed.
  var patience: Duration
}

/// Serves the clients of a port, all of them on the thread that calls it. No call waits but the one that waits for all.
final class ConnectionLoop {
  /// Octets that are received or sent by one call.
  static let pieceLength = 64 << 10
  /// Clients that are taken in one turn, so that those before have their turn, too.
  private static let arrivalLimit = 8
  /// How long nobody is taken when the process has no descriptors left.
  private static let scarcity = Duration.seconds(1)

  private let port: ListeningSocket
  private let calls: Socket
  private let limits: ConnectionLimits
  private let service: any Service
  private let now: @Sendable () -> ContinuousClock.Instant
  private(set) var connections: [ClientConnection] = []
  private var buffer = [UInt8](repeating: 0, count: pieceLength)
  /// When clients are taken again.
  private var takesFrom: ContinuousClock.Instant

  /// Makes the loop, which closes what it is given in the end.
  ///
  /// - Parameters:
  ///   - port: Where clients come.
  ///   - calls: Where an octet comes when there is something newer, and the end when it is to end.
  ///   - limits: What clients may do.
  ///   - service: What is served.
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

  /// Serves until it is to end.
  func run() {
    while turn() {}
    end()
  }

  /// Waits until there is something to do, though no longer than so many milliseconds, and does it. Returns whether it goes on.
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
        // One that is not at anything has a descriptor, too.
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

  /// Closes the connection that is the least good, if it is no better than that. Returns whether there was one.
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
