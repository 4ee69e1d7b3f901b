// Tags between an Ethernet header and its payload. Each ends with the type of what follows.

extension Dissection {
  /// A tag of `length` octets, then the type or length of the payload.
  @inline(__always)
  mutating func tag(_ octets: RawSpan, length: Int) -> Layer {
    guard isCaptured(length + 2) else { return .malformed(.linkHeaderMalformed) }
    let type = octets.bigEndian16(offset + length)
    consume(length + 2)
    return lengthOrType(type)
  }

  /// The layer that a rare EtherType announces.
  @inline(never)
  mutating func rareEtherType(_ type: UInt16, _ octets: RawSpan) -> Layer {
    switch type {
    // Direction, destination and source interface.
    case EtherType.vnTag: tag(octets, length: 4)
    // IEEE 802.1BR §7: priority, ingress and extended identifiers.
    case EtherType.eTag: tag(octets, length: 6)
    // IEC 62439-3 §5.6: path, size and sequence number.
    case EtherType.hsr: tag(octets, length: 4)
    case EtherType.ciscoMetaData: ciscoMetaData(octets)
    case EtherType.macsec: macsec(octets)
    case EtherType.backbone: backbone(octets)
    case EtherType.nsh: .nsh
    default: .payload
    }
  }

  /// Cisco MetaData: version, number of options, and four octets an option.
  private mutating func ciscoMetaData(_ octets: RawSpan) -> Layer {
    guard isCaptured(2) else { return .malformed(.linkHeaderMalformed) }
    return tag(octets, length: 2 + 4 * Int(octets.octet(offset + 1)))
  }

  /// A MACsec tag (IEEE 802.1AE §9.3). Without encryption the payload is in clear, and a check value follows it.
  private mutating func macsec(_ octets: RawSpan) -> Layer {
    guard isCaptured(6) else { return .malformed(.linkHeaderMalformed) }
    let control = octets.octet(offset)
    // §9.5: the version is 0. E and C say that the payload is encrypted, or otherwise changed.
    guard control & 0x80 == 0 else { return .payload }
    guard control & 0x0c == 0 else {
      notes.insert(.linkPayloadEncrypted)
      return .payload
    }
    // §9.9: the identifier of the secure channel is there if SC is set.
    let length = control & 0x20 == 0 ? 6 : 14
    let shortLength = Int(octets.octet(offset + 1) & 0x3f)
    guard isCaptured(length) else { return .malformed(.linkHeaderMalformed) }
    consume(length)
    // §9.7: a short length says where the payload ends. Otherwise, a check value of 16 octets ends the frame (§14.5).
    if shortLength > 0, shortLength < room {
      trim(to: offset + shortLength)
    } else if shortLength == 0, room >= Self.macsecCheckLength {
      trim(to: end - Self.macsecCheckLength)
    }
    return tag(octets, length: 0)
  }

  private static var macsecCheckLength: Int { 16 }

  /// A service instance tag (IEEE 802.1Q §9.7), then a whole Ethernet frame.
  private mutating func backbone(_ octets: RawSpan) -> Layer {
    guard isCaptured(4) else { return .malformed(.tunnelHeaderMalformed) }
    guard enterTunnel() else { return .payload }
    consume(4)
    return .ethernet
  }
}
