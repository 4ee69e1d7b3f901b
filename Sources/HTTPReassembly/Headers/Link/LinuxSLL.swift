// Linux cooked captures (LINKTYPE_LINUX_SLL and LINKTYPE_LINUX_SLL2): a header that libpcap makes up.

extension Dissection {
  /// Version 1 has 16 octets: packet type, device type, address, and the protocol in the last two.
  mutating func linuxSLL(_ octets: RawSpan) -> Layer {
    guard isCaptured(16) else { return .malformed(.linkHeaderMalformed) }
    let type = octets.bigEndian16(offset + 14)
    consumeSynthetic(16)
    return cookedProtocol(type)
  }

  /// Version 2 has 20 octets, with the protocol in the first two.
  mutating func linuxSLL2(_ octets: RawSpan) -> Layer {
    guard isCaptured(20) else { return .malformed(.linkHeaderMalformed) }
    let type = octets.bigEndian16(offset)
    consumeSynthetic(20)
    return cookedProtocol(type)
  }

  /// An EtherType, or one of the numbers below 0x0600 that Linux uses for frames without one.
  private func cookedProtocol(_ type: UInt16) -> Layer {
    switch type {
    case 0x0004: .llc  // LINUX_SLL_P_802_2
    case 0..<0x0600: .payload
    default: .etherType(type)
    }
  }
}
