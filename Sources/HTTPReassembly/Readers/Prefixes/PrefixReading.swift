/// The result of reading the first octets of a connection as those of a proxy's protocol.
enum PrefixReading {
  /// They are no prefix.
  case none
  /// They may be a prefix. Octets of a side beyond its limit do not belong to this step of it.
  case incomplete(own: Int, other: Int)
  /// They start with a prefix that has so many octets of each side.
  case found(ConnectionPrefix, own: Int, other: Int)

  /// The number of octets of the longest prefix that is read. A header of the PROXY protocol may be longer, but is not in practice.
  static let lengthLimit = 8192

  /// Whether the first octets of a connection can begin a prefix of their side.
  @inline(__always)
  static func mayStart(_ octets: RawSpan, isSeen: Bool) -> Bool {
    let first = octets.octet(0)
    guard first == 0x50 || first == 0x0d || first == 4 || first == 5 else { return false }
    return mayStartRarely(octets, isSeen: isSeen)
  }

  @inline(never)
  private static func mayStartRarely(_ octets: RawSpan, isSeen: Bool) -> Bool {
    var start: [UInt8] = []
    octets.append(0..<min(octets.byteCount, lengthLimit), to: &start)
    if case .none = read(start, [], isSeen: isSeen) { return false }
    return true
  }

  /// Reads the octets of the side that sends the prefix, and those of the other side. SOCKS is only read where both streams start.
  static func read(_ own: [UInt8], _ other: [UInt8], isSeen: Bool) -> PrefixReading {
    guard let first = own.first else { return .none }
    var dialogue = PrefixDialogue(own: own, other: other)
    do throws(PrefixDialogue.Stop) {
      switch first {
      case 0x50: return own.withOctets { readText($0) }
      case 0x0d: return own.withOctets { readBinary($0) }
      case 4 where isSeen: return try dialogue.readSOCKS4()
      case 5 where isSeen: return try dialogue.readSOCKS5()
      default: return .none
      }
    } catch {
      switch error {
      case .wrong: return .none
      case .early: return .incomplete(own: dialogue.ownLimit, other: dialogue.otherLimit)
      }
    }
  }

  // MARK: The PROXY protocol

  private static let textStart: StaticString = "PROXY "
  private static let signature: StaticString = "\r\n\r\n\0\r\nQUIT\n"
  /// Octets of the longest line of version 1, with CRLF.
  private static let longestLine = 107

  /// Version 1: a line with the protocol, both addresses, and both ports.
  private static func readText(_ octets: RawSpan) -> PrefixReading {
    guard octets.isStart(of: textStart) else { return .none }
    let start = textStart.utf8CodeUnitCount
    guard octets.byteCount > start else { return .incomplete(own: longestLine, other: .max) }
    // A request of HTTP may have the method PROXY. Its target begins with other octets.
    guard octets.octet(start) == UInt8(ascii: "T") || octets.octet(start) == UInt8(ascii: "U") else { return .none }
    guard let end = octets.firstOffset(of: ASCII.lineFeed, in: 0..<min(octets.byteCount, longestLine)) else {
      return octets.byteCount < longestLine ? .incomplete(own: longestLine, other: .max) : .none
    }
    guard octets.octet(end - 1) == ASCII.carriageReturn else { return .none }
    var line: [UInt8] = []
    octets.append(start..<end - 1, to: &line)
    let parts = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).map(Array.init)
    var prefix = ConnectionPrefix(.proxy1)
    switch parts.first.map({ String(decoding: $0, as: UTF8.self) }) {
    case "UNKNOWN": break
    case "TCP4", "TCP6":
      if parts.count == 5, let client = endpoint(parts[1], parts[3]), let server = endpoint(parts[2], parts[4]) {
        prefix.client = client
        prefix.server = server
      }
    default: return .none
    }
    return .found(prefix, own: end + 1, other: 0)
  }

  /// The text of an endpoint; nil for anything that is not an address and a port.
  private static func endpoint(_ address: [UInt8], _ port: [UInt8]) -> [UInt8]? {
    let colon = UInt8(ascii: ":")
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    let isAddress =
      2...39 ~= address.count
      && address.allSatisfy { digits ~= $0 || $0 == UInt8(ascii: ".") || $0 == colon || (0x61...0x66) ~= $0 | 0x20 }
    guard isAddress, 1...5 ~= port.count, port.allSatisfy({ digits ~= $0 }) else { return nil }
    let text = address.map(\.lowercased)
    return (text.contains(colon) ? [UInt8(ascii: "[")] + text + [UInt8(ascii: "]")] : text) + [colon] + port
  }

  /// Version 2: a signature, the command, the family, a length, the addresses, and further fields.
  private static func readBinary(_ octets: RawSpan) -> PrefixReading {
    guard octets.isStart(of: signature) else { return .none }
    guard octets.byteCount >= 16 else { return .incomplete(own: lengthLimit, other: .max) }
    let command = octets.octet(12)
    let length = 16 + Int(octets.bigEndian16(14))
    guard command >> 4 == 2, command & 0xf <= 1, length <= lengthLimit else { return .none }
    guard octets.byteCount >= length else { return .incomplete(own: length, other: .max) }
    var prefix = ConnectionPrefix(.proxy2)
    // The command LOCAL is a connection of the proxy itself. Its addresses are to be ignored.
    if command & 0xf == 1 {
      switch octets.octet(13) >> 4 {
      case 1 where length >= 28:
        prefix.client = text(octets.address4(16), octets.bigEndian16(24))
        prefix.server = text(octets.address4(20), octets.bigEndian16(26))
      case 2 where length >= 52:
        prefix.client = text(octets.address6(16), octets.bigEndian16(48))
        prefix.server = text(octets.address6(32), octets.bigEndian16(50))
      case 3 where length >= 232:
        prefix.client = octets.path(16..<124)
        prefix.server = octets.path(124..<232)
      default: break
      }
    }
    return .found(prefix, own: length, other: 0)
  }

  static func text(_ address: IPAddress, _ port: UInt16) -> [UInt8] {
    Array(Endpoint(address: address, port: port).description.utf8)
  }
}

extension RawSpan {
  /// Whether the octets and a text are equal as far as both reach.
  fileprivate func isStart(of text: StaticString) -> Bool {
    for offset in 0..<min(byteCount, text.utf8CodeUnitCount) where octet(offset) != text.octet(offset) { return false }
    return true
  }

  fileprivate func address4(_ offset: Int) -> IPAddress { IPAddress(v4: bigEndian32(offset)) }

  fileprivate func address6(_ offset: Int) -> IPAddress {
    IPAddress(
      high: UInt64(bigEndian32(offset)) << 32 | UInt64(bigEndian32(offset + 4)),
      low: UInt64(bigEndian32(offset + 8)) << 32 | UInt64(bigEndian32(offset + 12)))
  }

  /// The path of a socket, which ends with an octet 0 or with its room.
  fileprivate func path(_ range: Range<Int>) -> [UInt8] {
    var path: [UInt8] = []
    append(range, to: &path)
    return Array(path.prefix { $0 != 0 })
  }
}
