// Ethernet II and IEEE 802.3 §3.

extension Dissection {
  /// Octets of destination, source and type.
  private static let ethernetHeaderLength = 14

  /// An Ethernet header; `switchTagLength` octets of a switch's tag follow the addresses.
  mutating func ethernet(_ octets: RawSpan, switchTagLength: Int = 0) -> Layer {
    let headerLength = Self.ethernetHeaderLength + switchTagLength
    guard isCaptured(headerLength) else { return .malformed(.linkHeaderMalformed) }
    let type = octets.bigEndian16(offset + headerLength - 2)
    if carrier == .link && depth == 0 {
      if type == EtherType.ipv4, isPhoneHeader(octets) {
        // pcapd writes 0800 for either version.
        consumeSynthetic(headerLength)
        return .ip
      }
    } else {
      // Padding inside a tunnel is that of the inner frame.
      trimsToLink = false
    }
    consume(headerLength)
    // §3.2.6: a value up to 1,500 is the length of the data, from 0x0600 on it is a type.
    if type >= 0x0600 { return .etherType(type) }
    guard type <= 1500 else { return .payload }
    if Int(type) < room { trim(to: offset + Int(type)) }
    return .llc
  }

  /// Whether the header is the one that an iPhone's pcapd invents: `BE EF` six times, then 0800.
  @inline(__always)
  private func isPhoneHeader(_ octets: RawSpan) -> Bool {
    octets.bigEndian64(offset) == 0xbeef_beef_beef_beef && octets.bigEndian32(offset + 8) == 0xbeef_beef
  }

  /// A Broadcom switch tag before the Ethernet header.
  mutating func broadcomTagPrepended() -> Layer {
    guard isCaptured(4) else { return .malformed(.linkHeaderMalformed) }
    consume(4)
    return .ethernet
  }
}
