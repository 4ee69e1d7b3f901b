import HTTPReassembly

/// Who sends a segment.
package enum Peer: Sendable {
  case client
  case server

  package var other: Peer { self == .client ? .server : .client }
}

/// A TCP connection as a script: what each peer sends, made into segments in the order of sending.
///
/// Each segment acknowledges everything that was sent to its sender before, unless it is said otherwise. Segments can
/// be sent without being captured, and captured without being received.
package struct Dialogue: Sendable {
  package var client = Endpoint(address: IPAddress(v4: 0xc000_0201), port: 40_000)
  package var server = Endpoint(address: IPAddress(v4: 0xc633_6401), port: 80)
  /// The captured segments.
  package var segments: [Segment] = []
  /// Sequence number that each peer sends next.
  package var next: [Peer: UInt32]
  /// Sequence number up to which each peer has received.
  package var received: [Peer: UInt32] = [:]
  /// Capture time of the next segment.
  package var now: Int64 = 1_700_000_000_000_000_000
  /// Nanoseconds from one segment to the next.
  package var step: Int64 = 1_000_000

  package init(clientSequence: UInt32 = 1000, serverSequence: UInt32 = 500_000) {
    next = [.client: clientSequence, .server: serverSequence]
  }

  /// A connection with IPv6 addresses.
  package static var overIPv6: Dialogue {
    var dialogue = Dialogue()
    dialogue.client.address = IPAddress(high: 0x2001_0db8_0000_0000, low: 1)
    dialogue.server.address = IPAddress(high: 0x2001_0db8_0000_0000, low: 2)
    return dialogue
  }

  /// A connection whose handshake was captured.
  package static func opened(clientSequence: UInt32 = 1000, serverSequence: UInt32 = 500_000) -> Dialogue {
    var dialogue = Dialogue(clientSequence: clientSequence, serverSequence: serverSequence)
    dialogue.open()
    return dialogue
  }

  package func endpoint(_ peer: Peer) -> Endpoint { peer == .client ? client : server }

  /// A segment of `peer` at the current place of the script; nothing is sent.
  package func segment(_ peer: Peer, _ flags: TCPFlags = .ack, _ payload: [UInt8] = []) -> Segment {
    Segment(
      from: endpoint(peer), to: endpoint(peer.other), sequence: next[peer] ?? 0,
      acknowledgment: flags.contains(.ack) ? received[peer] ?? 0 : 0, flags: flags, payload: payload, time: now)
  }

  /// Sends a segment: numbers and time go on, and it is captured and received unless said otherwise.
  package mutating func send(
    _ peer: Peer, _ payload: [UInt8], flags: TCPFlags = [.ack, .push], isCaptured: Bool = true,
    isReceived: Bool = true, uncaptured: Int = 0
  ) {
    var segment = segment(peer, flags, payload)
    segment.uncaptured = uncaptured
    let numbers = payload.count + (flags.contains(.syn) ? 1 : 0) + (flags.contains(.fin) ? 1 : 0)
    next[peer] = segment.sequence &+ UInt32(numbers)
    if isReceived, !flags.contains(.rst) { received[peer.other] = next[peer] }
    if isCaptured { capture(segment) }
  }

  /// Sends text.
  package mutating func send(
    _ peer: Peer, _ text: String, flags: TCPFlags = [.ack, .push], isCaptured: Bool = true, isReceived: Bool = true,
    uncaptured: Int = 0
  ) {
    send(
      peer, Array(text.utf8), flags: flags, isCaptured: isCaptured, isReceived: isReceived, uncaptured: uncaptured)
  }

  /// Captures a segment as it is, at the current time.
  package mutating func capture(_ segment: Segment) {
    var segment = segment
    segment.time = now
    segments.append(segment)
    now += step
  }

  /// Captures the segment at `index`, counted from the end when negative, once more.
  package mutating func repeatSegment(_ index: Int) {
    capture(segments[index < 0 ? segments.count + index : index])
  }

  /// Lets time pass.
  package mutating func wait(_ nanoseconds: Int64) { now += nanoseconds }

  /// SYN, SYN-ACK, ACK.
  package mutating func open() {
    send(.client, [], flags: .syn)
    send(.server, [], flags: [.syn, .ack])
    acknowledge(.client)
  }

  /// A segment without payload.
  package mutating func acknowledge(_ peer: Peer) { send(peer, [], flags: .ack) }

  /// FIN, FIN with ACK, ACK.
  package mutating func close(_ first: Peer = .client) {
    send(first, [], flags: [.fin, .ack])
    send(first.other, [], flags: [.fin, .ack])
    acknowledge(first)
  }

  /// The packets, in the order of capture.
  package func packets(_ linkType: LinkType = .raw) -> [TestPacket] { segments.map { $0.packet(linkType) } }
}

extension Dialogue {
  /// The packets of `count` connections that do the same, each opened `spacing` nanoseconds after the one before, and left open.
  package static func connections(
    _ count: Int, spacing: Int64, _ script: (inout Dialogue) -> Void
  ) -> [TestPacket] {
    var packets: [TestPacket] = []
    for number in 0..<count {
      var dialogue = Dialogue()
      dialogue.client.port = UInt16(10_000 + number)
      dialogue.now += Int64(number) * spacing
      dialogue.step = 1000
      dialogue.open()
      script(&dialogue)
      packets += dialogue.packets()
    }
    return packets
  }
}
