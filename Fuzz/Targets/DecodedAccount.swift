import HTTPReassembly

/// A decoder of packets whose ledger is checked after each of them.
struct DecodedAccount {
  private var decoder: PacketDecoder
  private var ledger = Ledger()
  private var anomalies = AnomalyLog()
  /// Octets of TCP payload that were handed on: the decoder leaves them to its caller.
  private var handedOn = 0
  /// What the last packet came down to.
  private(set) var decoded = DecodedPacket.nothing
  /// The octets of the datagram that was reassembled last.
  var reassembled: [UInt8] { decoder.reassembled }

  init(_ configuration: Configuration) { decoder = PacketDecoder(configuration: configuration) }

  /// Takes a packet, and says what it broke.
  mutating func fault(_ packet: Packet, _ octets: [UInt8]) -> String? {
    decoded = octets.withOctets { decoder.decode(packet, $0, ledger: &ledger, anomalies: &anomalies) }
    var fault = fault(of: decoded, in: octets.count)
    while let next = octets.withOctets({ decoder.decodeNext($0, ledger: &ledger, anomalies: &anomalies) }) {
      fault = fault ?? self.fault(of: next, in: octets.count)
    }
    return fault ?? ledgerFault()
  }

  private mutating func fault(of decoded: DecodedPacket, in count: Int) -> String? {
    switch decoded {
    case .nothing: String?.none
    case .tcp(let segment): account(segment, in: count)
    case .reassembledTCP(let segment): account(segment, in: decoder.reassembled.count)
    case .udp(let datagram): account(datagram, in: count)
    case .reassembledUDP(let datagram): account(datagram, in: decoder.reassembled.count)
    }
  }

  /// Gives up what is held, and says whether everything has a class then.
  mutating func faultAtEnd() -> String? {
    decoder.finish(ledger: &ledger, anomalies: &anomalies)
    if ledger.pending != 0 { return "\(ledger.pending) octets are pending at the end" }
    return ledgerFault()
  }

  private func ledgerFault() -> String? {
    if ledger.total + ledger.pending + handedOn != ledger.original { return "the ledger does not balance" }
    if ledger.pending < 0 { return "pending is \(ledger.pending)" }
    for octetClass in OctetClass.allCases where ledger[octetClass] < 0 {
      return "\(octetClass.name) is \(ledger[octetClass])"
    }
    return ledger.synthetic > ledger[.link] ? "synthetic exceeds link" : nil
  }

  private mutating func account(_ segment: TCPSegment, in count: Int) -> String? {
    handedOn += segment.payloadLength
    if segment.capturedPayloadLength < 0 || segment.capturedPayloadLength > segment.payloadLength
      || segment.payloadOffset < 0 || segment.payloadOffset + segment.capturedPayloadLength > count
    {
      return "a segment's payload lies outside of its \(count) octets: \(segment)"
    }
    if segment.networkLength < 0 || segment.headerLength < 0 { return "a segment has a negative header" }
    return nil
  }

  private mutating func account(_ datagram: UDPDatagram, in count: Int) -> String? {
    handedOn += datagram.length
    if datagram.capturedPayloadLength < 0 || datagram.capturedPayloadLength > datagram.payloadLength {
      return "a datagram has more captured than it is long: \(datagram)"
    }
    if datagram.capturedPayloadLength > 0, datagram.payloadOffset + datagram.capturedPayloadLength > count {
      return "a datagram's payload lies outside of its \(count) octets: \(datagram)"
    }
    return nil
  }
}
