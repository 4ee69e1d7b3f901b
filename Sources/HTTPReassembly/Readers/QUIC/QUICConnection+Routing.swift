// Whether a datagram belongs to a connection, where several share their addresses (RFC 9000 §5.2).

import Packets

extension QUICConnection {
  /// How well the connection IDs of a datagram fit a connection.
  enum Fit: Int {
    /// Its IDs are others. The connection may have taken new ones in packets that were not opened.
    case unknown
    /// The receiver has no ID, or none that is known.
    case possible
    case certain
  }

  /// Whether an ID is one that the client chose for itself.
  func isClient(_ id: QUICConnectionID) -> Bool {
    guard let client, let opener else { return false }
    return opener.look { $0.has(id, of: client) }
  }

  /// How well a datagram from a side fits by the IDs of its first packet. `header` is that packet's, if it has the long form.
  func fit(_ header: QUICPacketHeader?, _ payload: RawSpan, from side: Side) -> Fit {
    guard let opener else { return .possible }
    let isToServer = side == client
    return opener.look { opener in
      if let header {
        let (destination, source) = (header.destinationID, header.sourceID)
        let isFirst = isToServer && destination == opener.keySource || destination == opener.formerSource
        let isAnswer = header.kind == .versionNegotiation && !isToServer && source == opener.keySource
        if destination.count > 0, isFirst || opener.has(destination, of: 1 - side) { return .certain }
        if source.count > 0, isAnswer || opener.has(source, of: side) { return .certain }
        return opener.mayReceive(destination, at: 1 - side) ? .possible : .unknown
      }
      return opener.sides.look(1 - side) { receiver in
        var mayBeEmpty = receiver.ids.isEmpty
        for index in receiver.ids.indices.reversed() {
          if receiver.ids[index].id.count == 0 {
            mayBeEmpty = true
          } else if receiver.ids[index].id.matches(payload, at: 1) {
            return .certain
          }
        }
        return mayBeEmpty ? .possible : .unknown
      }
    }
  }

  /// Whether a known key opens the first packet of a datagram from a side, or a known token is in it. Nothing is counted, and no key changes.
  mutating func opens(
    _ header: QUICPacketHeader?, _ payload: RawSpan, length: Int, from side: Side, _ room: inout PacketRoom,
    _ run: inout Run
  ) -> Bool {
    guard let opener, let client, (header?.end ?? length) <= payload.byteCount else { return false }
    guard let header else {
      if opener.look({ $0.isStatelessReset(payload.extracting(0..<length), from: side) }) { return true }
      guard let count = opener.value.idLength(to: 1 - side, payload, at: 0) else { return false }
      let place = PacketPlace(start: 0, numberOffset: 1 + count, end: length, isLong: false)
      return mayOpen(.application, version, place, payload, from: side, &room, &run)
    }
    let place = PacketPlace(
      start: header.start, numberOffset: header.numberOffset, end: header.end, isLong: true)
    switch header.kind {
    // The IDs of a client's Initial packet are known, or it begins another connection.
    case .initial where side == client: return false
    case .versionNegotiation, .retry: return false
    case .initial:
      guard let version = QUICVersion(header.version), let source = opener.value.keySource,
        var keys = KeyPhases(initial: source, version, ofClient: false)
      else { return false }
      var trials = 0
      let largest = opener.value.sides[side].numbers[QUICLevel.initial.space].largest
      return keys.open(place, in: payload, after: largest, trials: &trials, &room) != nil
    case .zeroRTT: return mayOpen(.early, header.version, place, payload, from: side, &room, &run)
    case .handshake: return mayOpen(.handshake, header.version, place, payload, from: side, &room, &run)
    }
  }
}

extension QUICOpener {
  /// Whether a side chose an ID for itself.
  fileprivate func has(_ id: QUICConnectionID, of side: Side) -> Bool {
    sides.look(side) { $0.ids.contains { $0.id == id } }
  }

  /// Whether a side that is sent to by an ID may be this connection's, although the ID is not among its known ones.
  fileprivate func mayReceive(_ id: QUICConnectionID, at side: Side) -> Bool {
    sides.look(side) { side in side.ids.isEmpty || id.count == 0 && side.ids.contains { $0.id.count == 0 } }
  }
}
