import Packets

/// Finds the packets of a capture that depend on no other capture, by reading all packets before the analysis.
///
/// A TCP connection is independent if it begins with a SYN, as the first packet between its endpoints. It must also be closed, or idle, for
/// so long before the end of the capture that the analysis is done with it. Packets that are neither UDP nor a fragment nor part of a
/// connection are independent, too. All others are kept as they are. UDP is kept because a name or a QUIC connection may belong to another
/// capture, too.
package struct ConnectionScan {
  /// Facts about the packets between two endpoints.
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

  /// Whether every packet is kept. It is so if the capture names processes: their numbers and apps concern all captures together. It is
  /// also so if its times are too much out of order.
  package var keepsAll = false

  /// The mark of the capture, from the times, lengths and octets of its packets.
  package private(set) var mark: UInt64 = 0

  /// Pairs of endpoints that are told apart. Packets of further pairs are kept.
  static let flowLimit = 1 << 19
  /// The farthest that times may go back, in nanoseconds.
  private static let disorder: Int64 = 1_000_000_000

  /// Creates a scan for an analysis with `configuration`.
  package init(configuration: Configuration) {
    decoder = PacketDecoder(configuration: configuration)
    idleTimeout = configuration.idleTimeout
    closedTimeout = configuration.closedTimeout
  }

  /// Reads the next packet of the capture.
  package mutating func look(_ packet: Packet, _ octets: RawSpan) {
    let time = UInt64(bitPattern: packet.timestamp)
    let facts = OctetMark.mix(time, UInt64(bitPattern: Int64(packet.originalLength)))
    mark = OctetMark.mix(OctetMark.mix(mark, facts) &+ UInt64(octets.byteCount), OctetMark.of(octets))
    guard !keepsAll else { return }
    if packet.origin.concernsPacket { return keepsAll = true }
    if clock > packet.timestamp.addingSaturated(Self.disorder) { return keepsAll = true }
    clock = max(clock, packet.timestamp)
    switch decoded(packet, octets) {
    case .tcp(let segment):
      look(segment, at: packet.timestamp)
      if MultipathConnections.isDependent(segment, octets) {
        flows[ConnectionKey(segment.source, segment.destination)]?.marks.insert(.dependent)
      }
    case .reassembledTCP(let segment):
      look(segment, at: packet.timestamp)
      flows[ConnectionKey(segment.source, segment.destination)]?.marks.insert(.dependent)
    case .nothing, .udp, .reassembledUDP: break
    }
    // Several frames in one packet may belong to several connections.
    if decoder.hasLaterFrames { keepsAll = true }
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
    // A SYN begins another connection between these endpoints, so only the last one's state counts.
    if segment.flags.contains(.syn), !segment.flags.contains(.ack) {
      flow.marks.subtract([.lowFin, .highFin, .reset])
    }
    if segment.flags.contains(.rst) { flow.marks.insert(.reset) }
    if segment.flags.contains(.fin) { flow.marks.insert(segment.source == key.low ? .lowFin : .highFin) }
    flows[key] = flow
  }

  /// Ends the scan. `keeps` can then be asked for each packet, in the same order.
  package mutating func finish(_ configuration: Configuration) {
    decoder = PacketDecoder(configuration: configuration)
    for (key, flow) in flows where !isSettled(flow) { flows[key] = nil }
  }

  private func isSettled(_ flow: Flow) -> Bool {
    if flow.marks.contains(.dependent) { return false }
    let isClosed = flow.marks.contains(.reset) || flow.marks.isSuperset(of: [.lowFin, .highFin])
    return flow.lastSeen.addingSaturated(isClosed ? closedTimeout : idleTimeout) < clock
  }

  /// Keeps the packets of connections that proved to depend on other captures.
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
