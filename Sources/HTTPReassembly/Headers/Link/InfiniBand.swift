// IP over InfiniBand (RFC 4391 §6).

extension Dissection {
  /// An encapsulation header: EtherType and two reserved octets. A global routing header of 40 octets may come first.
  mutating func ipOverInfiniBand(_ octets: RawSpan) -> Layer {
    let start = hasEncapsulationHeader(octets, at: 0) ? 0 : 40
    guard isCaptured(start + 4) else { return .malformed(.linkHeaderMalformed) }
    let type = octets.bigEndian16(offset + start)
    consume(start + 4)
    return .etherType(type)
  }

  private func hasEncapsulationHeader(_ octets: RawSpan, at start: Int) -> Bool {
    guard isCaptured(start + 4), octets.bigEndian16(offset + start + 2) == 0 else { return false }
    switch octets.bigEndian16(offset + start) {
    case EtherType.ipv4, EtherType.ipv6, EtherType.arp: return true
    default: return false
    }
  }
}
