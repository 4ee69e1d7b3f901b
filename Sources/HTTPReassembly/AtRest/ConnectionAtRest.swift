/// A connection that is not being worked on, in a seventh of its memory.
///
/// A capture has far more connections that wait, for the next request or for late copies after their end, than busy ones.
/// What a connection is at rest is said by the `code(_:)` of each part of it; a part that is added needs its line there.
struct ConnectionAtRest {
  /// Its number in reports.
  let number: Int
  /// Capture time of its latest segment.
  let lastSeen: Int64
  /// What `StateCoder` wrote.
  let octets: [UInt8]

  /// Writes down a connection between the endpoints of `key`; nil if there is something of it that only its whole state has.
  init?(
    _ connection: inout TCPConnection, for key: ConnectionKey, _ coder: inout StateCoder, configuration: Configuration
  ) {
    guard connection.isAtRest() else { return nil }
    number = connection.record.number
    lastSeen = connection.lastSeen
    coder.startWriting(near: lastSeen, number)
    var isReversed = connection.endpoints[0] != key.low
    coder.flag(&isReversed)
    connection.code(&coder, configuration)
    octets = coder.written()
  }
}

extension TCPConnection {
  /// Whether nothing of it waits for more, be it payload behind a hole, the rest of a message or an answer to a SYN.
  ///
  /// It changes nothing, but is handed a copy of the connection when it says so (Swift 6.3).
  mutating func isAtRest() -> Bool {
    guard pendingReopen == nil, held[0].isEmpty, held[1].isEmpty, holes[0].isEmpty, holes[1].isEmpty else {
      return false
    }
    return application?.layer.isAtRest() ?? true
  }

  /// What is counted for it in `Run.stateOctets`, but for holes and lines: see `StateCost`.
  var stateCost: Int {
    StateCost.connection + (application.map { StateCost.application + $0.layer.conversation.roomCost } ?? 0)
  }

  /// Its state, at rest, but for its endpoints and what `ConnectionAtRest` says.
  mutating func code(_ coder: inout StateCoder, _ configuration: Configuration) {
    record.code(&coder)
    for side in 0..<2 { streams[side].code(&coder) }
    coder.time(&synTime)
    coder.integer(&opener)
    coder.integer(&connectDuration)
    coder.integer(&lookupDuration)
    var hasApplication = application != nil
    coder.flags(&hasSynAck, &isEstablished, &isClosed, &hasApplication)
    if hasApplication, application == nil {
      application = ApplicationPlace(
        ApplicationLayer(configuration: configuration, connectDuration: nil, lookupDuration: nil))
    }
    application?.layer.code(&coder, connection: record.number)
  }
}
