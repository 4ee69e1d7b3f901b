import Packets

// Damaged segments: no receiver takes them, and the sender sends their octets again.
//
// A segment is verified only where its octets begin something: a message, a frame or a record. So the content of messages costs nothing.
// A damaged one waits as if it had not come, until a copy with a right checksum replaces it or the peer acknowledges it.

extension TCPConnection {
  /// Whether a segment is damaged, by its checksum. The segment may be a copy of octets, or new.
  ///
  /// Learns from the first checksum of a direction whether wrong ones tell.
  @inline(__always)
  mutating func isSuspect(_ segment: TCPSegment, _ octets: RawSpan, _ side: Side) -> Bool {
    guard streams[side].checksums != .useless, segment.capturedPayloadLength == segment.payloadLength,
      segment.payloadOffset >= segment.headerLength,
      segment.payloadOffset + segment.payloadLength <= octets.byteCount,
      segment.payloadLength > 0
        ? !needs.contains(.more(side)) && Self.canBegin(octets.octet(segment.payloadOffset))
        : segment.flags.contains(.syn)
    else { return false }
    return verify(segment, octets, side)
  }

  /// Whether an octet can begin a message of HTTP/1, a frame of HTTP/2 or a record of TLS.
  @inline(__always)
  private static func canBegin(_ octet: UInt8) -> Bool { 0x41...0x5a ~= octet || octet == 0 || 0x14...0x17 ~= octet }

  @inline(never)
  private mutating func verify(_ segment: TCPSegment, _ octets: RawSpan, _ side: Side) -> Bool {
    guard let header = segment.header(in: octets) else { return false }
    var checksum = InternetChecksum()
    checksum.add(segment.source.address)
    checksum.add(segment.destination.address)
    checksum.add(UInt32(truncatingIfNeeded: segment.headerLength + segment.payloadLength))
    checksum.add(UInt32(IPProtocol.tcp))
    checksum.add(octets, header.lowerBound..<header.upperBound + segment.payloadLength)
    if checksum.isCorrect {
      if streams[side].checksums == .unknown { streams[side].checksums = .telling }
      return false
    }
    // A side that begins with a wrong one has unfinished ones.
    if streams[side].checksums == .unknown { streams[side].checksums = .useless }
    // Where those of one side are unfinished, the capturing machine may not have verified any.
    return tell(side) && tell(1 - side)
  }

  private func tell(_ side: Side) -> Bool { streams[side].checksums == .telling || streams[side].checksums == .damaged }

  /// Delivers a segment of `side` that waited for a copy, if the peer took it. Its acknowledgment is charged behind it.
  @inline(__always)
  mutating func deliverAcknowledged(_ side: Side, _ run: inout Receiver.Context) {
    guard streams[side].checksums == .damaged, streams[side].isHolding, let first = firstHeld(side), first.isSuspect,
      !awaitsCopy(first, side)
    else { return }
    advance(&run, isForced: false)
    if run.isDirected { run.turnPacket(to: 1 - side) }
  }

  /// Whether a held segment waits for a copy with a right checksum.
  func awaitsCopy(_ segment: HeldSegment, _ side: Side) -> Bool {
    segment.isSuspect && streams[side].acknowledged < segment.end
  }

  /// Learns that the peer took a segment with a wrong checksum.
  mutating func noteTaken(_ segment: HeldSegment, _ side: Side) {
    if segment.isSuspect, streams[side].acknowledged >= segment.end { streams[side].checksums = .useless }
  }
}
