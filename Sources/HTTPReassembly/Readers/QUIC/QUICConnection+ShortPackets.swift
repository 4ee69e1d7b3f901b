// Packets in short form (RFC 9000 §17.3). They do not tell their length: each ends with its datagram.
//
// A host may leave it to its network card to cut a long datagram into segments, or to put segments together (segmentation offload). A
// capture of that host has the long datagram: packets of the same length, and a last one that may be shorter. Only its tag shows where a
// packet ends.

extension QUICConnection {
  /// Reads a packet in short form. Returns where it ends in its datagram.
  mutating func readShort(
    _ payload: RawSpan, from start: Int, length: Int, _ account: inout DatagramAccount, _ room: inout PacketRoom,
    _ run: inout Run
  ) -> Int {
    let side = account.side
    let isGreased = payload.octet(start) & 0x40 == 0
    // Behind other packets, zeros are padding outside packets. The other side's ID or keys tell a packet with a greased bit (RFC 9287 §3.1).
    let isSurelyPacket =
      start == 0 || !isGreased || opener?.look { $0.hasID(of: 1 - side, payload, at: start) } ?? false
    guard isSurelyPacket || mayBePacket(payload, from: start, of: side) else {
      account.packet += length - start
      return length
    }
    var packet = QUICOpening.closed
    var place = PacketPlace(start: start, numberOffset: start, end: length, isLong: false)
    if length <= payload.byteCount {
      if let count = opener?.value.idLength(to: 1 - side, payload, at: start) {
        place.numberOffset = start + 1 + count
        packet = openShort(&place, payload, from: side, &room, &run)
      } else if opener?.value.hasHandshake ?? false, mayOpenLater(.application, side, run) {
        packet = .waits
      }
    }
    if start == 0, length <= payload.byteCount, case .closed = packet,
      opener?.look({ $0.isStatelessReset(payload.extracting(0..<length), from: side) }) ?? false
    {
      account.packet += length
      isReset = true
      return length
    }
    if !isSurelyPacket, case .closed = packet {
      account.packet += length - start
      return length
    }
    finish(packet, .application, place, payload, place.end - start, &account, &room, &run)
    return place.end
  }

  /// Whether octets behind another packet may be one in short form, although neither a bit nor an ID shows it. An empty ID never does.
  private func mayBePacket(_ payload: RawSpan, from start: Int, of side: Side) -> Bool {
    opener?.look { opener in
      opener.hasKeys(.application, of: side)
        || opener.sides.look(1 - side) { $0.idLength } == 0
          && (start..<payload.byteCount).contains { payload.octet($0) != 0 }
    } ?? false
  }

  /// Opens a packet in short form, which ends at `place.end` or before. Its end is then in `place`.
  private mutating func openShort(
    _ place: inout PacketPlace, _ payload: RawSpan, from side: Side, _ room: inout PacketRoom, _ run: inout Run
  ) -> QUICOpening {
    let known = opener?.look { $0.sides.look(side) { $0.segmentLength } } ?? 0
    let isSegment = known > 0 && place.mayBeFollowed(behind: known, in: payload)
    if isSegment, let packet = openSegment(of: known, &place, payload, from: side, &room, &run) { return packet }
    if !isSegment || room.trialOctets.left > 0 {
      let packet = open(.application, version, place, payload, from: side, isSearched: false, &room, &run)
      guard case .closed = packet, opener?.look({ $0.mayOpen(.application, of: side) }) ?? false else { return packet }
      if isSegment { room.trialOctets.pay(place.end - place.start) }
      if let segment = openFirstSegment(&place, payload, from: side, &room, &run) { return segment }
    }
    // The segments behind one that stays closed are read.
    if isSegment { place.end = place.start + known }
    return open(.application, version, place, payload, from: side, &room, &run)
  }

  /// Looks for the end of a packet in front of others, at lengths that are usual first.
  @inline(never)
  private mutating func openFirstSegment(
    _ place: inout PacketPlace, _ payload: RawSpan, from side: Side, _ room: inout PacketRoom, _ run: inout Run
  ) -> QUICOpening? {
    let (start, end) = (place.start, place.end)
    let shortest = place.numberOffset - start + 4 + PacketPlace.sampleLength
    for lengths in [1200..<1501, shortest..<1200, 1501..<max(end - start, 1501)] {
      for length in lengths where length < end - start {
        guard room.trialOctets.left > 0 else { return nil }
        guard let packet = openSegment(of: length, &place, payload, from: side, &room, &run) else { continue }
        // The whole rest was tried before.
        room.trialOctets.pay(end - start)
        opener?.value.sides[side].segmentLength = length
        return packet
      }
    }
    return nil
  }

  /// Opens a packet of some length in front of another one; nil if it has another length. Its end is then in `place`.
  private mutating func openSegment(
    of length: Int, _ place: inout PacketPlace, _ payload: RawSpan, from side: Side, _ room: inout PacketRoom,
    _ run: inout Run
  ) -> QUICOpening? {
    guard place.mayBeFollowed(behind: length, in: payload) else { return nil }
    var segment = place
    segment.end = place.start + length
    let packet = open(.application, version, segment, payload, from: side, isSearched: false, &room, &run)
    guard case .opened = packet else {
      room.trialOctets.pay(length)
      return nil
    }
    place = segment
    return packet
  }
}

extension PacketPlace {
  /// Whether another packet to the same connection ID may stand behind the first `length` octets.
  fileprivate func mayBeFollowed(behind length: Int, in payload: RawSpan) -> Bool {
    let (offset, count) = (start + length, numberOffset - start - 1)
    guard offset < end else { return false }
    // In the long form, the version and the ID's length come first.
    let id = offset + (payload.octet(offset) & 0x80 == 0 ? 1 : 6)
    guard id + count <= end else { return false }
    for index in 0..<count where payload.octet(id + index) != payload.octet(start + 1 + index) { return false }
    return true
  }
}
