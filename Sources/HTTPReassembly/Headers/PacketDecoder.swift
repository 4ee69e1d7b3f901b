/// The result of decoding a packet, whose headers have been charged to the ledger.
package enum DecodedPacket: Sendable, Equatable {
  /// Every octet of the packet has a class, or the packet is held as a fragment.
  case nothing
  /// A TCP segment. Its payload lies in the packet and is not charged yet.
  case tcp(TCPSegment)
  /// A TCP segment that the packet, its last missing fragment, completed. Its payload is not charged yet.
  ///
  /// The payload lies in the octets that `PacketDecoder.withReassembled` lends.
  case reassembledTCP(TCPSegment)
  /// A UDP datagram that is not a tunnel. All of it is charged.
  case udp(UDPDatagram)
  /// A UDP datagram that the packet, its last missing fragment, completed.
  ///
  /// It lies in the octets that `PacketDecoder.withReassembled` lends.
  case reassembledUDP(UDPDatagram)
}

/// Decodes captured packets down to TCP and UDP, and charges every octet above a TCP payload to its class.
///
/// A packet's original length is the sum of the charged octets, the returned TCP payload, and the change of
/// `Ledger.pending` (octets held in fragments).
///
/// - A packet without an IP header is class `non_ip`, whole.
/// - Padding behind an IP packet keeps its class (`link`, or `encapsulation` inside a tunnel) even if a header inside
///   the packet is malformed. The IP header said where the packet ends.
/// - A tunnel is open when an IP header is found in it. Otherwise the payload of an IP header is class `udp` or `other_ip`.
/// - The IP headers of fragments are class `network` until the reassembled datagram turns out to hold a tunnel.
package struct PacketDecoder {
  private let limits: Dissection.Limits
  private var reassembler: FragmentReassembler
  /// The captured octets of the last reassembled datagram.
  package private(set) var reassembled: [UInt8] = []
  /// The process that owns the last dissected packet, as its link layer says.
  private(set) var process: TappedProcess?
  /// Whether the last dissected packet is a fragment, or contains one.
  private(set) var isFragment = false
  /// Frames of the last dissected packet that `decodeNext` has yet to decode.
  private var laterFrames: (frames: LaterFrames, time: Int64)?
  /// Whether `decodeNext` has something to decode.
  var hasLaterFrames: Bool { laterFrames != nil }

  package init(configuration: Configuration) {
    limits = Dissection.Limits(
      tunnelDepth: configuration.tunnelDepthLimit, extensionHeaders: configuration.extensionHeaderLimit,
      verifiesChecksums: configuration.verifiesChecksums)
    reassembler = FragmentReassembler(configuration: configuration)
  }

  /// Charges the ledger for everything but the TCP payload, and returns the rest.
  ///
  /// `decodeNext` decodes further packets in it, until it returns nil.
  /// `octets` are the packet's captured octets. Octets beyond the original length are ignored.
  package mutating func decode(
    _ packet: Packet, _ octets: RawSpan, ledger: inout Ledger, anomalies: inout AnomalyLog
  ) -> DecodedPacket {
    if let segment = ordinarySegment(packet, octets, ledger: &ledger) {
      anomalies.now = packet.timestamp
      return .tcp(segment)
    }
    return dissect(packet, octets, ledger: &ledger, anomalies: &anomalies)
  }

  /// Decodes a packet that is an `OrdinaryFrame`. Returns nil for any other packet, which `dissect` decodes.
  @inline(__always)
  func ordinarySegment(_ packet: Packet, _ octets: RawSpan, ledger: inout Ledger) -> TCPSegment? {
    let wireLength = max(0, packet.originalLength)
    let captured = min(octets.byteCount, wireLength)
    guard mayBeOrdinary(packet), let frame = OrdinaryFrame(octets, wireLength: wireLength, captured: captured) else {
      return nil
    }
    chargeOrdinary(wireLength, captured: captured, ledger: &ledger)
    ledger.charge(frame.segment.headerLength, to: .transport)
    return frame.segment
  }

  /// Decodes a packet that is an `OrdinaryDatagram`, and charges nothing. Returns nil for any other packet, which `dissect` decodes.
  @inline(__always)
  func ordinaryDatagram(_ packet: Packet, _ octets: RawSpan) -> UDPDatagram? {
    guard mayBeOrdinary(packet) else { return nil }
    let wireLength = max(0, packet.originalLength)
    return OrdinaryDatagram(octets, wireLength: wireLength, captured: min(octets.byteCount, wireLength))?.datagram
  }

  /// Whether a packet may have headers of fixed lengths, and nothing behind its payload.
  @inline(__always)
  private func mayBeOrdinary(_ packet: Packet) -> Bool {
    packet.linkType == .ethernet && packet.frameCheckSequenceLength == 0 && !limits.verifiesChecksums
  }

  /// Charges the headers before UDP of an ordinary packet with a datagram.
  func chargeDatagram(_ packet: Packet, _ octets: RawSpan, ledger: inout Ledger) {
    let wireLength = max(0, packet.originalLength)
    chargeOrdinary(wireLength, captured: min(octets.byteCount, wireLength), ledger: &ledger)
  }

  /// Charges the headers of Ethernet and IP of an ordinary packet.
  @inline(__always)
  private func chargeOrdinary(_ wireLength: Int, captured: Int, ledger: inout Ledger) {
    ledger.packets += 1
    ledger.original += wireLength
    if captured < wireLength { ledger.truncatedPackets += 1 }
    ledger.charge(OrdinaryFrame.linkLength, to: .link)
    ledger.charge(OrdinaryFrame.networkLength, to: .network)
  }

  /// Decodes any packet, header after header.
  @inline(never)
  mutating func dissect(
    _ packet: Packet, _ octets: RawSpan, ledger: inout Ledger, anomalies: inout AnomalyLog
  ) -> DecodedPacket {
    let wireLength = max(0, packet.originalLength)
    let captured = min(octets.byteCount, wireLength)
    ledger.packets += 1
    ledger.original += wireLength
    if captured < wireLength { ledger.truncatedPackets += 1 }
    anomalies.now = packet.timestamp

    var dissection = Dissection(wireLength: wireLength, captured: captured, limits: limits)
    let checkLength = packet.frameCheckSequenceLength
    if checkLength > 0, checkLength <= wireLength { dissection.trim(to: wireLength - checkLength) }
    let last = dissection.walk(from: .linkType(packet.linkType.rawValue), octets)
    process = dissection.process
    isFragment = false
    return settle(&dissection, last, octets, at: packet.timestamp, ledger: &ledger, anomalies: &anomalies)
  }

  /// Decodes the next frame of the last packet, if it is an aggregate of several; nil if there is none.
  ///
  /// The octets are the packet's.
  package mutating func decodeNext(
    _ octets: RawSpan, ledger: inout Ledger, anomalies: inout AnomalyLog
  ) -> DecodedPacket? {
    guard let (frames, time) = laterFrames.take() else { return nil }
    var dissection = Dissection(frames, captured: min(octets.byteCount, frames.wireLength), limits: limits)
    let first = dissection.aggregate(octets)
    let last = dissection.walk(from: first, octets)
    return settle(&dissection, last, octets, at: time, ledger: &ledger, anomalies: &anomalies)
  }

  /// Charges a packet, or a frame of it. A fragment is held.
  @inline(__always)
  private mutating func settle(
    _ dissection: inout Dissection, _ last: Layer, _ octets: RawSpan, at time: Int64, ledger: inout Ledger,
    anomalies: inout AnomalyLog
  ) -> DecodedPacket {
    laterFrames = dissection.laterFrames.map { ($0, time) }
    if case .fragment = last {
      isFragment = true
      return reassemble(dissection, octets, time, ledger: &ledger, anomalies: &anomalies)
    }
    return Self.settle(
      &dissection, last, octets, fragmentNetwork: nil, ledger: &ledger, anomalies: &anomalies)
  }

  /// Charges a packet that the capturing system dropped. It is no part of the traffic.
  ///
  /// All of it is class `link`, as octets that only the capture has (MEASURES §1).
  func chargeDropped(_ packet: Packet, _ octets: RawSpan, ledger: inout Ledger, anomalies: inout AnomalyLog) {
    let wireLength = max(0, packet.originalLength)
    ledger.packets += 1
    ledger.original += wireLength
    if octets.byteCount < wireLength { ledger.truncatedPackets += 1 }
    ledger.charge(wireLength, to: .link)
    ledger.synthetic += wireLength
    anomalies.note(.packetDroppedBySystem)
  }

  /// Lends the octets of the datagram that the last packet completed.
  package func withReassembled<Result>(_ body: (RawSpan) -> Result) -> Result {
    reassembled.withOctets(body)
  }

  /// Gives up every incomplete datagram at the end of the capture.
  package mutating func finish(ledger: inout Ledger, anomalies: inout AnomalyLog) {
    reassembler.finish(ledger: &ledger, anomalies: &anomalies)
  }

  /// Charges a packet or reassembled datagram whose decoding ended at `last`, which is not a fragment.
  ///
  /// `fragmentNetwork` counts the octets of its fragments' IP headers; it is nil for a packet.
  @inline(__always)
  private static func settle(
    _ dissection: inout Dissection, _ last: Layer, _ octets: RawSpan, fragmentNetwork: Int?, ledger: inout Ledger,
    anomalies: inout AnomalyLog
  ) -> DecodedPacket {
    guard case .tcp = last else {
      return settleRest(
        dissection, last, octets, fragmentNetwork: fragmentNetwork, ledger: &ledger, anomalies: &anomalies)
    }
    dissection.takeSegmentsBehind(octets)
    if dissection.limits.verifiesChecksums, dissection.tcpChecksumIsBad(octets) {
      dissection.hasBadChecksum = true
      anomalies.note(.tcpChecksumBad)
    }
    if !dissection.notes.isEmpty { dissection.note(in: &anomalies) }
    dissection.chargeHeaders(&ledger)
    ledger.charge(dissection.tcpHeaderLength(octets), to: .transport)
    guard let fragmentNetwork else { return .tcp(dissection.tcpSegment(octets, fragmentNetwork: 0)) }
    return .reassembledTCP(dissection.tcpSegment(octets, fragmentNetwork: fragmentNetwork))
  }

  /// Charges a packet or reassembled datagram whose decoding ended at anything but TCP.
  private static func settleRest(
    _ dissection: borrowing Dissection, _ last: Layer, _ octets: RawSpan, fragmentNetwork: Int?, ledger: inout Ledger,
    anomalies: inout AnomalyLog
  ) -> DecodedPacket {
    if !dissection.notes.isEmpty { dissection.note(in: &anomalies) }
    // An octet behind a UDP header is never malformed. There is just no tunnel.
    if case .malformed(let anomaly) = last, dissection.carrier != .udp {
      let start = min(dissection.offset, dissection.captured)
      anomalies.note(
        anomaly, example: octets.extracting(start..<max(start, min(dissection.end, dissection.captured))))
      dissection.chargeOpenedHeaders(&ledger)
      ledger.charge(dissection.room, to: .malformed)
      return .nothing
    }
    if dissection.holdsHiddenPacket(octets) { dissection.note(.packetNotOpened, in: &anomalies) }
    switch dissection.carrier {
    case .link:
      ledger.charge(dissection.share, to: .nonIP)
      return .nothing
    case .ip:
      dissection.chargeHeaders(&ledger)
      ledger.charge(dissection.tunnel + dissection.room, to: .otherIP)
      return .nothing
    case .udp:
      dissection.chargeHeaders(&ledger)
      let length = dissection.tunnel + dissection.room
      guard dissection.laterFrames == nil,
        let datagram = dissection.udpDatagram(octets, fragmentNetwork: fragmentNetwork ?? 0)
      else {
        ledger.charge(length, to: .udp)
        return .nothing
      }
      ledger.charge(length - datagram.length, to: .udp)
      return fragmentNetwork != nil ? .reassembledUDP(datagram) : .udp(datagram)
    }
  }

  /// Holds a fragment, and decodes the datagram that it completes, if any.
  @inline(never)
  private mutating func reassemble(
    _ first: borrowing Dissection, _ octets: RawSpan, _ now: Int64, ledger: inout Ledger, anomalies: inout AnomalyLog
  ) -> DecodedPacket {
    first.note(in: &anomalies)
    first.chargeHeaders(&ledger)
    ledger.charge(first.tunnel, to: first.fragment.octetClass)
    var completed = reassembler.add(first, octets, now: now, ledger: &ledger, anomalies: &anomalies)
    // A datagram can hold a tunnel with a fragment in it, which can complete another datagram.
    var rounds = 0
    var depth = first.depth
    while let datagram = completed {
      reassembled = datagram.octets
      let buffer = reassembled
      var dissection = Dissection(datagram, depth: depth, limits: limits)
      let last = buffer.withOctets { octets in
        let layer = datagram.frame.map { dissection.frame($0, octets) }
        return dissection.walk(from: layer ?? .ipProtocol(datagram.protocolNumber), octets)
      }
      // An IP header inside opens a tunnel. The fragments' own headers, charged as `network` and `udp` before, belong to it.
      let isTunnel = datagram.frame == nil ? dissection.depth > depth : dissection.network > 0
      if isTunnel {
        ledger.recharge(datagram.networkLength, from: .network, to: .encapsulation)
        ledger.recharge(datagram.tunnelLength, from: .udp, to: .encapsulation)
      }
      guard case .fragment = last, rounds < limits.tunnelDepth else {
        return buffer.withOctets {
          var last = last
          if case .fragment = last {
            dissection.notes.insert(.tunnelTooDeep)
            last = .payload
          }
          return Self.settle(
            &dissection, last, $0, fragmentNetwork: isTunnel ? 0 : datagram.networkLength, ledger: &ledger,
            anomalies: &anomalies)
        }
      }
      rounds += 1
      depth = dissection.depth
      dissection.note(in: &anomalies)
      dissection.chargeHeaders(&ledger)
      ledger.charge(dissection.tunnel, to: dissection.fragment.octetClass)
      completed = buffer.withOctets {
        reassembler.add(dissection, $0, now: now, ledger: &ledger, anomalies: &anomalies)
      }
    }
    return .nothing
  }
}

extension Dissection {
  /// Starts behind the IP header of a reassembled datagram. The headers of its fragments are charged already.
  fileprivate init(_ datagram: ReassembledDatagram, depth: Int, limits: Limits) {
    self.init(wireLength: datagram.length, captured: datagram.octets.count, limits: limits)
    source = datagram.source
    destination = datagram.destination
    isIPv6 = datagram.isIPv6
    carrier = datagram.frame == nil ? .ip : .udp
    isOpening = datagram.frame != nil
    if isOpening { name = .udpPort(Self.capwapPort) }
    trimsToLink = false
    mayLeaveFrames = false
    self.depth = depth
  }

  /// Charges the octets outside `offset..<end`, except a tunnel in which no IP header was found.
  @inline(__always)
  fileprivate func chargeHeaders(_ ledger: inout Ledger) {
    ledger.charge(link, to: .link)
    ledger.synthetic += synthetic
    ledger.charge(encapsulation, to: .encapsulation)
    ledger.charge(network, to: .network)
  }

  /// Charges the octets outside `offset..<end`, including a tunnel that was just entered.
  fileprivate func chargeOpenedHeaders(_ ledger: inout Ledger) {
    ledger.charge(link, to: .link)
    ledger.synthetic += synthetic
    ledger.charge(encapsulation + tunnel, to: .encapsulation)
    ledger.charge(network, to: isOpening ? .encapsulation : .network)
  }

  /// Notes the oddities that did not end the decoding.
  fileprivate func note(in anomalies: inout AnomalyLog) {
    if notes.contains(.unsupportedLinkType) { note(.unsupportedLinkType, in: &anomalies) }
    if notes.contains(.linkHeaderMissing) { anomalies.note(.linkHeaderMissing) }
    if notes.contains(.tunnelLengthOfSegment) { anomalies.note(.tunnelLengthOfSegment) }
    if notes.contains(.linkPayloadEncrypted) { anomalies.note(.linkPayloadEncrypted) }
    if notes.contains(.linkChecksumBad) { anomalies.note(.linkChecksumBad) }
    if notes.contains(.linkFragmented) { anomalies.note(.linkFragmented) }
    if notes.contains(.tunnelTooDeep) { anomalies.note(.tunnelTooDeep) }
    if notes.contains(.ipLengthBeyondFrame) { anomalies.note(.ipLengthBeyondFrame) }
    if notes.contains(.ipTotalLengthZero) { anomalies.note(.ipTotalLengthZero) }
    if notes.contains(.ipv4ChecksumBad) { anomalies.note(.ipv4ChecksumBad) }
  }

  /// Notes an oddity whose example is the name of the innermost header.
  @inline(never)
  fileprivate func note(_ anomaly: Anomaly, in anomalies: inout AnomalyLog) {
    guard anomalies[anomaly] == 0 else { return anomalies.note(anomaly) }
    Array(name.text.utf8).withOctets { anomalies.note(anomaly, example: $0) }
  }
}
