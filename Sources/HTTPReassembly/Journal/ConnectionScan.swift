import Packets

/// Finds out which packets of a capture depend on nothing that another capture says: a look at all packets, before they are analysed.
///
/// A TCP connection does not if its SYN is the first packet between its endpoints, and if it has closed, or been idle, for so long before
/// the capture ends that the analysis is done with it. What is neither UDP nor a fragment nor of another connection does not either. All
/// others are kept as they are: UDP because a name or a QUIC connection may be another capture's, too.
package struct ConnectionScan {
  /// What was seen between two endpoints.
  private struct Flow {
    var lastSeen: Int64
    var marks: Marks
  }

  private struct Marks: OptionSet {
    var rawValue: UInt8
    static let dependent = Marks(rawValue: 1)
    static let lowFin = Marks(rawValue: 2)
    static let highFin = Marks(rawValue: 4)
    static let reset = Marks(rawValue: 8)
  }

  private var decoder: PacketDecoder
  private var ledger = Ledger()
  private var anomalies = AnomalyLog()
  private var flows: [ConnectionKey: Flow] = [:]
  private var clock = Int64.min
  private let idleTimeout: Int64
  private let closedTimeout: Int64

  /// Whether every packet is kept: the capture names processes, whose numbers and apps are a matter of all captures together, or its times
  /// are too much out of order.
  package var keepsAll = false

  /// What tells this capture from others: the mark of its packets' times, lengths and octets.
  package private(set) var mark: UInt64 = 0

  /// Pairs of endpoints that are told apart; packets of further ones are kept.
  static let flowLimit = 1 << 19
  /// How far times may go back, in nanoseconds.
  private static let disorder: Int64 = 1_000_000_000

  /// A scan of a capture that is analysed with `configuration`.
  package init(configuration: Configuration) {
    decoder = PacketDecoder(configuration: configuration)
    idleTimeout = configuration.idleTimeout
    closedTimeout = configuration.closedTimeout
  }

  /// Takes the next packet of the capture.
  package mutating func look(_ packet: Packet, _ octets: RawSpan) {
    let time = UInt64(bitPattern: packet.timestamp)
    let facts = OctetMark.mix(time, UInt64(bitPattern: Int64(packet.originalLength)))
    mark = OctetMark.mix(OctetMark.mix(mark, facts) &+ UInt64(octets.byteCount), OctetMark.of(octets))
    guard !keepsAll else { return }
    if packet.origin.concernsPacket { return keepsAll = true }
    if clock > packet.timestamp.addingSaturated(Self.disorder) { return keepsAll = true }
    clock = max(clock, packet.timestamp)
    switch decoded(packet, octets) {
    case .tcp(let segment): look(segment, at: packet.timestamp)
    case .reassembledTCP(let segment):
      look(segment, at: packet.timestamp)
      flows[ConnectionKey(segment.source, segment.destination)]?.marks.insert(.dependent)
    case .nothing, .udp, .reassembledUDP: break
    }
    if decoder.process != nil { keepsAll = true }
  }

  private mutating func decoded(_ packet: Packet, _ octets: RawSpan) -> DecodedPacket {
    decoder.decode(packet, octets, ledger: &ledger, anomalies: &anomalies)
  }

  private mutating func look(_ segment: TCPSegment, at time: Int64) {
    let key = ConnectionKey(segment.source, segment.destination)
    guard var flow = flows[key] else {
      guard flows.count < Self.flowLimit else { return }
      let begins = segment.flags.contains(.syn) && segment.flags.isDisjoint(with: [.ack, .rst, .fin])
      flows[key] = Flow(lastSeen: time, marks: begins ? [] : .dependent)
      return
    }
    flow.lastSeen = max(flow.lastSeen, time)
    // Whether the last of several connections between these endpoints is closed: a SYN begins another one.
    if segment.flags.contains(.syn), !segment.flags.contains(.ack) {
      flow.marks.subtract([.lowFin, .highFin, .reset])
    }
    if segment.flags.contains(.rst) { flow.marks.insert(.reset) }
    if segment.flags.contains(.fin) { flow.marks.insert(segment.source == key.low ? .lowFin : .highFin) }
    flows[key] = flow
  }

  /// The look is over: `keeps` can be asked for each packet, in the same order.
  package mutating func finish(_ configuration: Configuration) {
    decoder = PacketDecoder(configuration: configuration)
    for (key, flow) in flows where !isSettled(flow) { flows[key] = nil }
  }

  private func isSettled(_ flow: Flow) -> Bool {
    if flow.marks.contains(.dependent) { return false }
    let isClosed = flow.marks.contains(.reset) || flow.marks.isSuperset(of: [.lowFin, .highFin])
    return flow.lastSeen.addingSaturated(isClosed ? closedTimeout : idleTimeout) < clock
  }

  /// Keeps the packets of connections, too, that turned out to depend on what others say.
  mutating func keep(_ keys: Set<ConnectionKey>) {
    for key in keys { flows[key] = nil }
  }

  /// Whether a packet is kept as it is.
  package mutating func keeps(_ packet: Packet, _ octets: RawSpan) -> Bool {
    if keepsAll { return true }
    return switch decoded(packet, octets) {
    case .tcp(let segment): flows[ConnectionKey(segment.source, segment.destination)] == nil
    case .nothing: decoder.isFragment
    case .reassembledTCP, .udp, .reassembledUDP: true
    }
  }
}
