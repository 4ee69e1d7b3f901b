// Apple's packet tap pseudo-header (LINKTYPE_PKTAP; <net/pktap.h> of XNU), versions 1 and 2.

extension Dissection {
  /// A pseudo-header in the byte order of the capturing machine, then a packet of the type that it names.
  mutating func pktap(_ octets: RawSpan) -> Layer {
    guard isCaptured(40) else { return .malformed(.linkHeaderMalformed) }
    // Version 1 starts with its length in 32 bits. Version 2 has a length of one octet, then octets of offsets.
    if let isBigEndian = pktapVersion1ByteOrder(octets) {
      return pktapVersion1(octets, isBigEndian: isBigEndian)
    }
    let isVersion2 = octets.littleEndian32(offset + 36) & 0x8_0000 != 0
    let length = Int(octets.octet(offset))
    guard isVersion2, length >= 40, isCaptured(length) else { return .malformed(.linkHeaderMalformed) }
    let type = UInt32(octets.littleEndian16(offset + 6))
    let prefix = Int(octets.littleEndian16(offset + 8))
    noteVersion2Process(octets, length: length)
    consumeSynthetic(length)
    return pktapPayload(octets, type: type, prefix: prefix)
  }

  /// Whether version 1 is big-endian; nil for version 2.
  private func pktapVersion1ByteOrder(_ octets: RawSpan) -> Bool? {
    let lengths = UInt32(108)...4096
    if lengths.contains(octets.littleEndian32(offset)) { return false }
    return lengths.contains(octets.bigEndian32(offset)) ? true : nil
  }

  private mutating func pktapVersion1(_ octets: RawSpan, isBigEndian: Bool) -> Layer {
    func field(_ position: Int) -> UInt32 {
      isBigEndian ? octets.bigEndian32(offset + position) : octets.littleEndian32(offset + position)
    }
    let length = Int(field(0))
    guard isCaptured(length), length >= 108 else { return .malformed(.linkHeaderMalformed) }
    let next = field(4)
    let type = field(8)
    let prefix = Int(field(44))
    note(
      octets, identifier: field(52), flags: field(36), name: offset + 56..<offset + 73, app: offset + 88..<offset + 105)
    consumeSynthetic(length)
    // PTH_TYPE_PACKET is the only defined type.
    guard next == 1 else { return .payload }
    return pktapPayload(octets, type: type, prefix: prefix)
  }

  /// Notes the process of version 2, which gives offsets of its texts from its start; 0 stands for no text.
  private mutating func noteVersion2Process(_ octets: RawSpan, length: Int) {
    func text(_ position: Int) -> Range<Int> {
      let start = Int(octets.octet(offset + position))
      return start == 0 || start >= length ? 0..<0 : offset + start..<offset + min(start + Self.commandLength, length)
    }
    note(
      octets, identifier: octets.littleEndian32(offset + 28), flags: octets.littleEndian32(offset + 36), name: text(4),
      app: text(5))
  }

  /// The octets of a command: `MAXCOMLEN` and a zero.
  private static var commandLength: Int { 17 }

  /// Notes the process, unless the header names none. The identifier -1 stands for no process.
  private mutating func note(
    _ octets: RawSpan, identifier: UInt32, flags: UInt32, name: Range<Int>, app: Range<Int>
  ) {
    guard carrier == .link, depth == 0 else { return }
    var process = TappedProcess(format: .pktap, identifier: identifier == .max ? nil : identifier)
    process.name = TappedProcess.text(octets, at: name.lowerBound, limit: name.count)
    process.app = TappedProcess.text(octets, at: app.lowerBound, limit: app.count)
    // PTH_FLAG_DIR_IN and PTH_FLAG_DIR_OUT.
    if flags & 0b11 == 1 { process.party = .receiver }
    if flags & 0b11 == 2 { process.party = .sender }
    if process.name.isEmpty, process.app.isEmpty, process.identifier ?? 0 == 0 { return }
    self.process = process
  }

  /// The packet behind the pseudo-header.
  ///
  /// Interfaces without a link header are tapped as raw IP. Some still have the prefix, an address family.
  private mutating func pktapPayload(_ octets: RawSpan, type: UInt32, prefix: Int) -> Layer {
    let isRaw = type == LinkType.rawBSD.rawValue || type == LinkType.raw.rawValue
    if isRaw, prefix > 0, prefix <= 16, isCaptured(prefix + 1), !isIPVersion(octets.octet(offset)),
      isIPVersion(octets.octet(offset + prefix))
    {
      consume(prefix)
    }
    return .linkType(type)
  }

  private func isIPVersion(_ octet: UInt8) -> Bool { octet >> 4 == 4 || octet >> 4 == 6 }
}
