import Packets

/// The blocks of a pcapng file (draft-ietf-opsawg-pcapng), section by section.
///
/// A simple packet block has no timestamp. Its packet gets the timestamp of the packet before it in the file, or 0 if it is the
/// first.
struct PcapngBlocks {
  /// The file's events between its packets that are not taken yet.
  var news = PendingEvents()
  /// Packets that the capturing machine lost so far; nil when the file has no such figure.
  var dropped: UInt64? { losses.map { UInt64(clamping: $0) } }

  /// The byte order of the section.
  private(set) var order = ByteOrder.little
  /// The interfaces that the section describes.
  var interfaces: [PcapngInterface] = []
  /// The numbers of the section's processes.
  var processes: [UInt16] = []
  /// The numbers of the descriptions in all sections and files.
  let origins: OwnMemory<OriginTable>
  /// Whether packets without events before them are stepped over.
  var stepsOverPackets = false
  /// Sum of the losses of all interfaces; wide enough not to overflow.
  private var losses: UInt128?

  init(origins: OwnMemory<OriginTable>) { self.origins = origins }

  /// Reads blocks up to the next packet, and returns the range of its octets in the window's buffer; nil at the end of the file.
  @inline(__always)
  mutating func next(in window: inout OctetWindow, packet: inout Packet) throws(CaptureError) -> Range<Int>? {
    while true {
      guard try window.fill(PcapngFormat.Block.overhead) else {
        if window.available == 0 { return nil }
        throw window.error(.cut(needed: PcapngFormat.Block.overhead, available: window.available))
      }
      let (type, length) = try readHeader(in: window)
      guard mustBeWhole(type, length) else {
        try refuseFileHeader(type, length, in: window)
        try skipBlock(length, in: &window)
        continue
      }
      guard length <= CaptureLimits.block else {
        throw window.error(
          .nonsenseLength(
            "the block of type \(hexadecimal(type)) says it has \(length) bytes, more than \(CaptureLimits.block)"))
      }
      guard try window.fill(length) else {
        throw window.error(.cut(needed: length, available: window.available))
      }
      let trailer = length - PcapngFormat.Block.trailerLength
      try checkTrailer(length, order(window.load(trailer, as: UInt32.self)), in: window)
      if stepsOverPackets, Self.isPacket(type), news.isEmpty {
        window.pass(length)
        continue
      }
      if let octets = try packetOctets(type, length, in: window, packet: &packet) {
        let block = window.pass(length)
        return block.lowerBound + octets.lowerBound..<block.lowerBound + octets.upperBound
      }
      try readDescription(type, length, in: window)
      window.pass(length)
    }
  }

  // MARK: Block headers

  /// The type and the length of the block at the cursor.
  @inline(__always)
  private mutating func readHeader(in window: borrowing OctetWindow) throws(CaptureError) -> (UInt32, Int) {
    // A section header tells its own byte order; its length can be read only after that.
    if window.load(PcapngFormat.Block.type, as: UInt32.self) == PcapngFormat.BlockType.sectionHeader {
      try readByteOrder(in: window)
    }
    let header = order.halves(window.load(PcapngFormat.Block.type, as: UInt64.self))
    let (type, length) = (header.0, Int(header.1))
    let minimum = Self.minimumLength(type)
    guard length >= minimum, length % 4 == 0 else {
      try refuseFileHeader(type, length, in: window)
      throw window.error(
        .nonsenseLength(
          "the block of type \(hexadecimal(type)) says it has \(length) bytes, not \(minimum) or more in fours"))
    }
    return (type, length)
  }

  /// Refuses a block that is none: the header of a pcap file, or zeros.
  private func refuseFileHeader(
    _ type: UInt32, _ length: Int, in window: borrowing OctetWindow
  ) throws(CaptureError) {
    if type == 0, length == 0 { throw window.error(.zeros) }
    if window.beginsCapture { throw window.error(.anotherCapture(commands: "")) }
  }

  private mutating func readByteOrder(in window: borrowing OctetWindow) throws(CaptureError) {
    let magic = window.load(PcapngFormat.SectionHeader.byteOrderMagic, as: UInt32.self)
    switch magic {
    case PcapngFormat.SectionHeader.magic: order = .little
    case PcapngFormat.SectionHeader.magic.byteSwapped: order = .big
    default: throw window.error(.malformed("a section header with the byte-order magic \(hexadecimal(magic))"))
    }
  }

  /// Whether a block is read, so that the window must hold all of it. All others are skipped: secrets and processes beyond the
  /// limits, custom blocks, and unknown types.
  @inline(__always)
  private func mustBeWhole(_ type: UInt32, _ length: Int) -> Bool {
    switch type {
    case PcapngFormat.BlockType.interfaceDescription...PcapngFormat.BlockType.enhancedPacket,
      PcapngFormat.BlockType.sectionHeader:
      true
    case PcapngFormat.BlockType.decryptionSecrets:
      length <= CaptureLimits.block && news.hasRoomForSecrets(length - PcapngFormat.DecryptionSecrets.minimumLength)
    case PcapngFormat.BlockType.processEvent:
      length <= CaptureLimits.block && processes.count < CaptureLimits.processes
    case PcapngFormat.BlockType.custom, PcapngFormat.BlockType.uncopiedCustom:
      length <= PcapngFormat.AndroidApp.maximumLength && news.hasRoomForApp
    default: false
    }
  }

  private static func isPacket(_ type: UInt32) -> Bool {
    switch type {
    case PcapngFormat.BlockType.enhancedPacket, PcapngFormat.BlockType.simplePacket,
      PcapngFormat.BlockType.obsoletePacket:
      true
    default: false
    }
  }

  @inline(__always)
  private static func minimumLength(_ type: UInt32) -> Int {
    switch type {
    case PcapngFormat.BlockType.enhancedPacket, PcapngFormat.BlockType.obsoletePacket:
      PcapngFormat.EnhancedPacket.minimumLength
    case PcapngFormat.BlockType.interfaceDescription: PcapngFormat.InterfaceDescription.minimumLength
    case PcapngFormat.BlockType.interfaceStatistics: PcapngFormat.InterfaceStatistics.minimumLength
    case PcapngFormat.BlockType.simplePacket: PcapngFormat.SimplePacket.minimumLength
    case PcapngFormat.BlockType.sectionHeader: PcapngFormat.SectionHeader.minimumLength
    default: PcapngFormat.Block.overhead
    }
  }

  private func skipBlock(_ length: Int, in window: inout OctetWindow) throws(CaptureError) {
    let start = window.offset
    let beforeTrailer = length - PcapngFormat.Block.trailerLength
    let skipped = try window.skip(beforeTrailer)
    guard skipped == beforeTrailer, try window.fill(PcapngFormat.Block.trailerLength) else {
      throw window.error(.cut(needed: length, available: skipped + window.available), at: start - window.offset)
    }
    try checkTrailer(length, order(window.load(0, as: UInt32.self)), in: window, at: start - window.offset)
    window.pass(PcapngFormat.Block.trailerLength)
  }

  private func checkTrailer(
    _ length: Int, _ trailer: UInt32, in window: borrowing OctetWindow, at position: Int = 0
  ) throws(CaptureError) {
    guard trailer == length else {
      throw window.error(
        .nonsenseLength("the block says at its start that it has \(length) bytes, and at its end \(trailer)"),
        at: position)
    }
  }

  // MARK: Losses

  /// Counts the packets that an interface lost, by `account`.
  mutating func countLosses(of interface: Int, _ account: (inout PcapngInterface) -> Void) {
    let before = interfaces[interface].dropped
    account(&interfaces[interface])
    guard let after = interfaces[interface].dropped, after != before else { return }
    losses = (losses ?? 0) - UInt128(before ?? 0) + UInt128(after)
    news.noteDrops()
  }
}

/// A number for errors.
func hexadecimal(_ value: UInt32) -> String {
  "0x" + String(value, radix: 16)
}
