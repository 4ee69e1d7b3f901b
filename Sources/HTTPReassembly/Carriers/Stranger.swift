/// A segment whose numbers do not fit its connection. The next segment shows its meaning.
///
/// It may start another connection between the same endpoints, come behind a long gap, or be spoofed. A receiver
/// ignores it (RFC 9293 §3.10.7.4).
struct Stranger {
  var segment: TCPSegment
  /// Its captured payload; `segment.payloadOffset` is 0.
  var octets: [UInt8]
  /// Capture time in nanoseconds since the Unix epoch.
  var time: Int64
  /// The place of its payload in the capture.
  var source: CaptureOffset?
  /// Whether its acknowledgment number fits the connection. Such a segment comes behind a long gap if it is confirmed.
  var isAcknowledging: Bool

  /// The number of octets that may be lost between this segment and the segment that confirms it.
  static let slack = 1 << 20

  /// Whether it opens a connection, as a SYN with or without ACK.
  var isSyn: Bool { segment.flags.contains(.syn) }

  /// Whether a segment continues this one, as the sender's next segment or an answer to it.
  func isConfirmed(by next: TCPSegment) -> Bool {
    let end = segment.sequence &+ UInt32(truncatingIfNeeded: segment.payloadLength) &+ (isSyn ? 1 : 0)
    guard next.source == segment.source else {
      let isAnswer = next.flags.contains(.ack) && next.acknowledgment &- segment.sequence &- 1 < Self.slack
      guard segment.flags.contains(.ack) else {
        return isAnswer && next.flags.contains(.syn) && next.acknowledgment == end
      }
      return isAnswer && !next.flags.contains(.syn) && next.sequence &- segment.acknowledgment < Self.slack
    }
    guard !next.flags.contains(.syn), next.sequence == end else { return false }
    return isSyn || next.flags.contains(.ack) && next.acknowledgment &- segment.acknowledgment < Self.slack
  }
}

extension TCPConnection {
  /// Whether a segment came that may belong to another connection.
  @inline(__always)
  var hasStranger: Bool { disorder?.value.stranger != nil }

  /// Whether a segment starts a new connection between the same endpoints (port reuse), or confirms that the stranger did.
  ///
  /// A SYN alone does not end an open connection. Its receiver only challenges it (RFC 5961 §4.2). An answered SYN ends
  /// it. A SYN also ends a connection that had closed, never opened, or been silent for long. A SYN-ACK always needs an answer.
  func isReopened(by segment: TCPSegment, clock: Int64, silence: Int64) -> Bool {
    if let stranger = disorder?.value.stranger, !stranger.isAcknowledging, stranger.isConfirmed(by: segment) {
      return true
    }
    let side = side(of: segment)
    let stream = streams[side]
    // A late or repeated SYN of this connection does not count.
    guard segment.flags.contains(.syn), !segment.flags.contains(.ack), stream.isStarted,
      stream.space.position(of: segment.sequence &+ 1, near: stream.start) != stream.start
    else { return false }
    return isClosed || !isEstablished && streams[0].payloadLength + streams[1].payloadLength == 0
      || clock - lastSeen > silence
  }

  /// Keeps a segment with payload that does not fit, until the next segment comes.
  ///
  /// Returns whether the segment was kept; it is not counted then. A segment that fits, but lies less than a window behind,
  /// is a copy or an answer to a copy. It is no stranger.
  @inline(never)
  mutating func keepStranger(
    _ segment: TCPSegment, _ octets: RawSpan, at time: Int64, _ source: CaptureOffset?, _ run: inout Receiver.Context
  ) -> Bool {
    let side = side(of: segment)
    guard segment.flags.isDisjoint(with: [.syn, .rst]), segment.flags.contains(.ack),
      streams[side].isStarted || streams[side].acknowledged != .unknown, !segment.hasBadChecksum
    else { return false }
    let position = expected(segment.sequence, of: side)
    let isUnscaled = streams[0].windowScale == nil || streams[1].windowScale == nil
    guard isUnscaled || !fits(position, side) else { return false }
    let end = expected(segment.acknowledgment, of: 1 - side)
    let isFar = isUnscaled && isFar(position, side) && isFar(end, 1 - side)
    guard isFar || !fits(position, side) else { return false }
    let isAcknowledging = !isFar && fits(end, 1 - side)
    guard !isAcknowledging || position >= streams[side].next && !isInReach(position, side) else { return false }
    var stranger = Stranger(
      segment: segment, octets: [], time: time, source: source, isAcknowledging: isAcknowledging)
    octets.append(segment.capturedPayload, to: &stranger.octets)
    stranger.source?.offset += segment.payloadOffset
    stranger.segment.payloadOffset = 0
    openDisorder(&run).value.stranger = stranger
    run.shared.heldOctets += stranger.octets.count
    return true
  }

  /// Takes the kept segment into this connection, after the next segment or the end of the connection.
  mutating func settleStranger(_ next: TCPSegment?, _ run: inout Receiver.Context) {
    guard let disorder, let stranger = disorder.value.stranger, !stranger.isSyn else { return }
    forgetStranger(&run)
    let isConfirmed = stranger.isAcknowledging && next.map { stranger.isConfirmed(by: $0) } ?? false
    stranger.octets.withOctets {
      take(stranger.segment, $0, at: stranger.time, source: stranger.source, isConfirmed: isConfirmed, &run)
    }
  }

  /// Removes and returns the kept segment if it belongs to the next connection, else nil. This connection no longer counts it.
  mutating func takeStranger(confirmedBy next: TCPSegment, _ run: inout Receiver.Context) -> Stranger? {
    guard let stranger = disorder?.value.stranger, stranger.isConfirmed(by: next) else { return nil }
    forgetStranger(&run)
    guard stranger.isSyn else { return stranger }
    // A SYN was counted when it came.
    let side = side(of: stranger.segment)
    let overhead = stranger.segment.networkLength + stranger.segment.headerLength
    streams[side].packets -= 1
    streams[side].ipLength -= overhead
    record.setup -= overhead
    return stranger
  }

  private mutating func forgetStranger(_ run: inout Receiver.Context) {
    run.shared.heldOctets -= disorder?.value.stranger?.octets.count ?? 0
    disorder?.value.stranger = nil
  }

  /// Whether the SYN of a side is another connection's: another number than its first octet's belongs to it.
  @inline(__always)
  func isForeign(_ syn: TCPSegment, _ side: Side) -> Bool { streams[side].isStarted && isOther(syn, side) }

  private func isOther(_ syn: TCPSegment, _ side: Side) -> Bool {
    let stream = streams[side]
    // A stream without a SYN and without octets may have a spoofed start.
    return (stream.hasSyn || stream.payloadLength > 0)
      && stream.space.position(of: syn.sequence &+ 1, near: stream.start) != stream.start
  }

  /// Whether a position is far from all known ones of a side. Where the handshake was not captured, its window is a guess. One side may get
  /// there behind a long gap. Where both do at once, it is another connection.
  private func isFar(_ position: StreamPosition, _ side: Side) -> Bool {
    let stream = streams[side]
    guard stream.isStarted || stream.acknowledged != .unknown else { return false }
    let first = stream.isStarted ? stream.next : stream.acknowledged
    return !(first - Stranger.slack...knownEnd(side) + Stranger.slack).contains(position)
  }

  /// Whether a side could be at this position: no further from known positions than a window allows.
  private func fits(_ position: StreamPosition, _ side: Side) -> Bool {
    let stream = streams[side]
    guard stream.isStarted || stream.acknowledged != .unknown else { return false }
    // Without the handshake the window is a guess, up to 2³⁰.
    let window = min(max(Int(streams[1 - side].advertisedWindow), 1 << 16), 1 << 24) + 1 << 20
    // Behind an end there is only the number of the FIN.
    guard stream.fin == .never || position <= stream.fin + 1 else { return false }
    return position >= (stream.isStarted ? stream.next : stream.acknowledged) - window
      && position <= knownEnd(side) + window
  }
}
