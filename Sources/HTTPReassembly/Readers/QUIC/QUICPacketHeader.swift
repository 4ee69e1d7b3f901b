/// A connection ID, of 0 to 20 octets (RFC 9000 §17.2).
package struct QUICConnectionID: Hashable {
  private let octets: InlineArray<20, UInt8>
  /// The number of octets in use.
  package let count: Int

  /// The maximum length of a connection ID.
  package static let limit = 20

  /// Takes the octets in `range`, at most 20.
  init(_ packet: RawSpan, _ range: Range<Int>) {
    var octets = InlineArray<20, UInt8>(repeating: 0)
    for index in 0..<range.count { octets[index] = packet.octet(range.lowerBound + index) }
    self.octets = octets
    count = range.count
  }

  /// Lends the octets.
  func withOctets<Result>(_ body: (RawSpan) -> Result) -> Result {
    let span = octets.span
    return body(unsafe span.bytes.extracting(0..<count))
  }

  /// Whether the octets at an offset are the ID.
  package func matches(_ payload: RawSpan, at offset: Int) -> Bool {
    guard count <= payload.byteCount - offset else { return false }
    for index in 0..<count where octets[index] != payload.octet(offset + index) { return false }
    return true
  }

  package static func == (a: QUICConnectionID, b: QUICConnectionID) -> Bool {
    guard a.count == b.count else { return false }
    for index in 0..<a.count where a.octets[index] != b.octets[index] { return false }
    return true
  }

  package func hash(into hasher: inout Hasher) {
    for index in 0..<count { hasher.combine(octets[index]) }
  }
}

/// The unprotected part of a packet's header in long form (RFC 9000 §17.2, RFC 8999 §5.1). It has ranges, never octets.
///
/// Offsets count from the start of the datagram's payload.
package struct QUICPacketHeader {
  package enum Kind {
    case initial
    case zeroRTT
    case handshake
    case retry
    case versionNegotiation
  }

  package let kind: Kind
  /// The version's number; 0 in a packet of version negotiation.
  package let version: UInt32
  /// The start of the packet.
  package let start: Int
  package let destinationID: QUICConnectionID
  package let sourceID: QUICConnectionID
  /// The start of the protected packet number, or the packet's end without one.
  package let numberOffset: Int
  /// The end of the packet on the wire.
  package let end: Int

  /// Reads the header of a packet at `start`, in a payload of `length` octets on the wire. Some may not be captured.
  ///
  /// Returns nil for an unreadable header, or for an unknown version. In a known connection, the fixed bit may have any value (RFC 9287).
  package init?(_ payload: RawSpan, at start: Int, length: Int, isKnown: Bool = false) {
    guard start + 7 <= payload.byteCount, payload.octet(start) & 0x80 != 0 else { return nil }
    let first = payload.octet(start)
    let number = payload.bigEndian32(start + 1)
    guard number == 0 || QUICVersion.isKnown(number) && (isKnown || first & 0x40 != 0) else { return nil }
    var offset = start + 5
    guard let destination = Self.connectionID(payload, &offset), let source = Self.connectionID(payload, &offset)
    else { return nil }
    self.start = start
    version = number
    destinationID = destination
    sourceID = source
    guard number != 0 else {
      // The versions that the server supports follow, four octets each.
      guard length > offset, (length - offset) % 4 == 0 else { return nil }
      kind = .versionNegotiation
      numberOffset = length
      end = length
      return
    }
    kind = Self.kind(first, isSecond: number == 0x6b33_43cf)
    if kind == .retry {
      // A token and a tag of 16 octets (RFC 9000 §17.2.5) end the packet.
      guard length - offset >= 16 else { return nil }
      numberOffset = length
      end = length
      return
    }
    if kind == .initial {
      guard let token = payload.variableLengthInteger(&offset), token <= length - offset else { return nil }
      offset += token
    }
    // The packet number and a sample must be there. The sample has 16 octets, four behind the number's start (RFC 9001 §5.4.2).
    guard let rest = payload.variableLengthInteger(&offset), rest >= 20, rest <= length - offset else { return nil }
    numberOffset = offset
    end = offset + rest
  }

  private static func connectionID(_ payload: RawSpan, _ offset: inout Int) -> QUICConnectionID? {
    guard offset < payload.byteCount else { return nil }
    let count = Int(payload.octet(offset))
    guard count <= QUICConnectionID.limit, offset + 1 + count <= payload.byteCount else { return nil }
    defer { offset += 1 + count }
    return QUICConnectionID(payload, offset + 1..<offset + 1 + count)
  }

  private static func kind(_ first: UInt8, isSecond: Bool) -> Kind {
    // Version 2 numbers the same types one higher (RFC 9369 §3.2).
    switch (first >> 4 & 3) &- (isSecond ? 1 : 0) & 3 {
    case 0: .initial
    case 1: .zeroRTT
    case 2: .handshake
    default: .retry
    }
  }
}

extension RawSpan {
  /// Reads an integer of one, two, four or eight octets (RFC 9000 §16). Moves `offset` behind it. Returns nil if incomplete.
  @inline(__always)
  func variableLengthInteger(_ offset: inout Int) -> Int? {
    guard offset < byteCount else { return nil }
    let first = octet(offset)
    if first < 0x40 {
      offset += 1
      return Int(first)
    }
    return longInteger(first, &offset)
  }

  private func longInteger(_ first: UInt8, _ offset: inout Int) -> Int? {
    let count = 1 << Int(first >> 6)
    guard count <= byteCount - offset else { return nil }
    defer { offset += count }
    switch count {
    case 2: return Int(bigEndian16(offset) & 0x3fff)
    case 4: return Int(bigEndian32(offset) & 0x3fff_ffff)
    default: return Int(bigEndian64(offset) & 0x3fff_ffff_ffff_ffff)
    }
  }
}
