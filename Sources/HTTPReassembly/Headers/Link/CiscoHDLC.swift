// Cisco's HDLC framing (RFC 1547 §4.3.1 describes it).

extension Dissection {
  /// Address, control, EtherType.
  mutating func ciscoHDLC(_ octets: RawSpan) -> Layer {
    guard isCaptured(4) else { return .malformed(.linkHeaderMalformed) }
    let type = octets.bigEndian16(offset + 2)
    consume(4)
    return .etherType(type)
  }
}
