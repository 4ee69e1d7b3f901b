// The Internet Protocol, version 6 (RFC 8200), and its extension headers.

extension Dissection {
  /// An IPv6 header. Extension headers follow as separate protocols.
  mutating func ipv6(_ octets: RawSpan) -> Layer {
    guard room >= 40 else { return .malformed(.ipHeaderMalformed) }
    guard isCaptured(40) else { return .malformed(.ipHeaderNotCaptured) }
    let start = offset
    guard octets.octet(start) >> 4 == 6 else { return .malformed(.ipHeaderMalformed) }
    let payloadLength = Int(octets.bigEndian16(start + 4))
    if payloadLength > room - 40, isSuperSegment(endingAt: start + 40 + payloadLength) { takeFrameRest() }
    if payloadLength > room - 40 {
      // A UDP port only suggests a tunnel. This is no IP header.
      guard carrier != .udp else { return .malformed(.ipHeaderMalformed) }
      notes.insert(.ipLengthBeyondFrame)
    } else if payloadLength != 0, payloadLength < room - 40 {
      if trimsToLink { noteFrameRest(from: start + 40 + payloadLength) }
      let isLinkPadding = trimsToLink
      trim(to: start + 40 + payloadLength)
      if isLinkPadding { markPCAPdroid(octets, packetEnd: start + 40 + payloadLength) }
    }
    source = IPAddress(high: octets.bigEndian64(start + 8), low: octets.bigEndian64(start + 16))
    destination = IPAddress(high: octets.bigEndian64(start + 24), low: octets.bigEndian64(start + 32))
    isIPv6 = true
    enterIP(headerLength: 40)
    lengthIsUnknown = payloadLength == 0
    return .ipProtocol(octets.octet(start + 6))
  }

  /// Interprets payload length 0 of an IPv6 header, at each header behind it.
  ///
  /// A jumbogram (RFC 2675) has this length, and its option follows. A packet that the network card had yet to segment is as
  /// long as the frame. Otherwise there is no payload.
  mutating func settleUnknownLength(_ number: UInt8) {
    switch number {
    case IPProtocol.hopByHopOptions, IPProtocol.routing, IPProtocol.destinationOptions, IPProtocol.authentication,
      IPProtocol.fragment:
      break
    case IPProtocol.tcp:
      notes.insert(.ipTotalLengthZero)
      lengthIsUnknown = false
    default:
      trimIP(to: offset)
      lengthIsUnknown = false
    }
  }

  /// An extension header other than the fragment header (RFC 8200 §4; RFC 4302 §2 for AH, also behind IPv4).
  mutating func extensionHeader(_ number: UInt8, _ octets: RawSpan) -> Layer {
    guard extensionHeaders < limits.extensionHeaders else { return .malformed(.ipv6ExtensionChainTooLong) }
    extensionHeaders += 1
    guard room >= 8 else { return .malformed(.ipHeaderMalformed) }
    guard isCaptured(2) else { return .malformed(.ipHeaderNotCaptured) }
    // AH counts units of 4 octets minus two; the others count units of 8 octets minus one.
    let units = Int(octets.octet(offset + 1))
    let length = number == IPProtocol.authentication ? (units + 2) * 4 : (units + 1) * 8
    guard length <= room else { return .malformed(.ipHeaderMalformed) }
    let next = octets.octet(offset)
    switch number {
    case IPProtocol.hopByHopOptions where lengthIsUnknown: jumboPayloadOption(octets, length: length)
    case IPProtocol.routing: routingHeader(octets, length: length)
    default: break
    }
    network += length
    offset += length
    return .ipProtocol(next)
  }

  /// Looks for the jumbo payload option (RFC 2675 §2) in a hop-by-hop options header of `length` octets.
  private mutating func jumboPayloadOption(_ octets: RawSpan, length: Int) {
    let optionsEnd = min(offset + length, captured)
    var position = offset + 2
    while position + 2 <= optionsEnd {
      let type = octets.octet(position)
      // Pad1 has no length.
      if type == 0 {
        position += 1
        continue
      }
      let optionLength = Int(octets.octet(position + 1))
      if type == 0xc2, optionLength == 4, position + 6 <= optionsEnd {
        // The length counts from the end of the IPv6 header, where this header starts.
        let payloadLength = Int(octets.bigEndian32(position + 2))
        guard payloadLength >= length else { return }
        lengthIsUnknown = false
        if payloadLength < room {
          trimIP(to: offset + payloadLength)
        } else if payloadLength > room {
          notes.insert(.ipLengthBeyondFrame)
        }
        return
      }
      position += 2 + optionLength
    }
  }

  /// Notes the final destination of a packet that has not reached it. It is the connection's destination.
  private mutating func routingHeader(_ octets: RawSpan, length: Int) {
    guard length >= 24, isCaptured(length), octets.octet(offset + 3) > 0 else { return }
    let last: Int
    switch octets.octet(offset + 2) {
    case 0, 2: last = offset + 8 + ((length - 8) / 16 - 1) * 16  // RFC 2460 §4.4, RFC 6275 §6.4
    case 4: last = offset + 8  // RFC 8754 §2: the last segment is listed first.
    default: return
    }
    destination = IPAddress(high: octets.bigEndian64(last), low: octets.bigEndian64(last + 8))
  }

  /// A fragment header (RFC 8200 §4.5).
  mutating func fragmentHeader(_ octets: RawSpan) -> Layer {
    guard extensionHeaders < limits.extensionHeaders else { return .malformed(.ipv6ExtensionChainTooLong) }
    extensionHeaders += 1
    guard room >= 8 else { return .malformed(.ipHeaderMalformed) }
    guard isCaptured(8) else { return .malformed(.ipHeaderNotCaptured) }
    let next = octets.octet(offset)
    let position = octets.bigEndian16(offset + 2)
    fragment = Fragment(
      identification: octets.bigEndian32(offset + 4), offset: Int(position & 0xfff8), hasMore: position & 1 != 0,
      protocolNumber: next)
    network += 8
    offset += 8
    // RFC 6946: an atomic fragment is the whole datagram, even if others have its identification.
    return fragment.isAtomic ? .ipProtocol(next) : .fragment
  }
}
