import Packets

/// The blocks of a pcapng file (draft-ietf-opsawg-pcapng), section by section.
///
/// A simple packet block has no timestamp: its packet gets that of the packet before it in the file, or 0 if it is the
/// first.
struct PcapngBlocks {
  /// The type of a section header block: a palindrome, so that it is known before the byte order.
  static let sectionHeaderType: UInt32 = 0x0a0d_0d0a

  /// Names met and not taken yet.
  var names: [NameRecord] = []

  /// The latest time of the interface statistics met and not taken yet, in nanoseconds since the Unix epoch.
  var statisticsTime: Int64?

  /// Whether there are names or a time of statistics to take.
  @inline(__always)
  var hasNews: Bool { statisticsTime != nil || !names.isEmpty }

  private var order = ByteOrder.little
  private var interfaces: [PcapngInterface] = []
  /// Packets lost in the sections that have ended.
  private var droppedBefore: UInt64?

  /// Packets that the capturing machine lost so far; nil when the file says nothing of it.
  var dropped: UInt64? {
    interfaces.reduce(droppedBefore) { sum, interface in
      guard let count = interface.dropped else { return sum }
      return (sum ?? 0).addingSaturated(count)
    }
  }

  /// The block types that are read.
  private enum BlockType {
    static let interfaceDescription: UInt32 = 1
    static let packet: UInt32 = 2
    static let simplePacket: UInt32 = 3
    static let nameResolution: UInt32 = 4
    static let interfaceStatistics: UInt32 = 5
    static let enhancedPacket: UInt32 = 6
  }

  /// Reads blocks up to the next packet, and returns where its octets are in the window's buffer; nil at the end of the
  /// file.
  @inline(__always)
  mutating func next(in window: inout OctetWindow, packet: inout Packet) throws(CaptureError) -> Range<Int>? {
    while true {
      guard try window.fill(12) else {
        if window.available == 0 { return nil }
        throw window.error(.cut(needed: 12, available: window.available))
      }
      // A section header tells its byte order itself, and only then can its length be read.
      if window.load(0, as: UInt32.self) == Self.sectionHeaderType { try readByteOrder(in: window) }
      let type = order(window.load(0, as: UInt32.self))
      let length = Int(order(window.load(4, as: UInt32.self)))
      let minimum = Self.minimumLength(type)
      guard length >= minimum, length % 4 == 0 else {
        throw window.error(
          .nonsenseLength(
            "the block of type \(hexadecimal(type)) says it has \(length) octets, not \(minimum) or more in fours"))
      }
      guard isRead(type) else {
        try skipBlock(length, in: &window)
        continue
      }
      guard length <= CaptureLimits.block else {
        throw window.error(
          .nonsenseLength(
            "the block of type \(hexadecimal(type)) says it has \(length) octets, more than \(CaptureLimits.block)"))
      }
      guard try window.fill(length) else {
        throw window.error(.cut(needed: length, available: window.available))
      }
      try checkTrailer(length, order(window.load(length - 4, as: UInt32.self)), in: window)
      switch type {
      case BlockType.enhancedPacket:
        let lengths = try enhancedPacket(length, in: window, packet: &packet)
        return lend(lengths, header: 28, block: length, in: &window)
      case BlockType.simplePacket:
        let lengths = try simplePacket(length, in: window, packet: &packet)
        return lend(lengths, header: 12, block: length, in: &window)
      case BlockType.packet:
        let lengths = try obsoletePacket(length, in: window, packet: &packet)
        return lend(lengths, header: 28, block: length, in: &window)
      case Self.sectionHeaderType: try startSection(in: window)
      case BlockType.interfaceDescription: try describeInterface(length, in: window)
      case BlockType.nameResolution: PcapngNames.read(in: window, order: order, length: length, into: &names)
      default: readStatistics(length, in: window)
      }
      window.pass(length)
    }
  }

  // MARK: Blocks as such

  /// Whether a block must be seen whole. All others are passed over: decryption secrets (10), custom blocks, Apple's
  /// process information (0x80000001), and whatever is invented later.
  private func isRead(_ type: UInt32) -> Bool {
    type >= BlockType.interfaceDescription && type <= BlockType.enhancedPacket || type == Self.sectionHeaderType
  }

  private static func minimumLength(_ type: UInt32) -> Int {
    switch type {
    case BlockType.enhancedPacket, BlockType.packet: 32
    case BlockType.interfaceDescription: 20
    case BlockType.interfaceStatistics: 24
    case BlockType.simplePacket: 16
    case sectionHeaderType: 28
    default: 12
    }
  }

  private func skipBlock(_ length: Int, in window: inout OctetWindow) throws(CaptureError) {
    let start = window.offset
    let skipped = try window.skip(length - 4)
    guard skipped == length - 4, try window.fill(4) else {
      throw window.error(.cut(needed: length, available: skipped + window.available), at: start - window.offset)
    }
    try checkTrailer(length, order(window.load(0, as: UInt32.self)), in: window, at: start - window.offset)
    window.pass(4)
  }

  private func checkTrailer(
    _ length: Int, _ trailer: UInt32, in window: borrowing OctetWindow, at position: Int = 0
  ) throws(CaptureError) {
    guard trailer == length else {
      throw window.error(
        .nonsenseLength("the block says at its start that it has \(length) octets, and at its end \(trailer)"),
        at: position)
    }
  }

  /// Passes a block, and returns where its packet's octets are.
  private func lend(_ captured: Int, header: Int, block: Int, in window: inout OctetWindow) -> Range<Int> {
    let range = window.pass(block)
    return range.lowerBound + header..<range.lowerBound + header + captured
  }

  // MARK: Packets

  // Each returns the packet's captured length, checked against its block.

  @inline(__always)
  private mutating func enhancedPacket(
    _ length: Int, in window: borrowing OctetWindow, packet: inout Packet
  ) throws(CaptureError) -> Int {
    let interface = Int(order(window.load(8, as: UInt32.self)))
    let captured = try timedPacket(length, interface: interface, in: window, packet: &packet)
    let end = 28 + captured.paddedTo4
    if length - 4 - end >= 4 {
      var options = PcapngOptions(end..<length - 4, order: order)
      while let option = options.next(in: window) {
        switch (option.code, option.value.count) {
        case (2, 4):
          // epb_flags: bits 5 to 8 are the octets of the frame check sequence; 0 says nothing.
          let flags = order(window.load(option.value.lowerBound, as: UInt32.self))
          if flags >> 5 & 0xf != 0 { packet.frameCheckSequenceLength = Int(flags >> 5 & 0xf) }
        case (4, 8): interfaces[interface].addLoss(order(window.load(option.value.lowerBound, as: UInt64.self)))
        default: break
        }
      }
    }
    return captured
  }

  private mutating func obsoletePacket(
    _ length: Int, in window: borrowing OctetWindow, packet: inout Packet
  ) throws(CaptureError) -> Int {
    let interface = Int(order(window.load(8, as: UInt16.self)))
    let captured = try timedPacket(length, interface: interface, in: window, packet: &packet)
    let lost = order(window.load(10, as: UInt16.self))
    // All ones says that it is unknown.
    if lost != 0 && lost != .max { interfaces[interface].addLoss(UInt64(lost)) }
    return captured
  }

  /// What enhanced and obsolete packet blocks have in common.
  @inline(__always)
  private func timedPacket(
    _ length: Int, interface: Int, in window: borrowing OctetWindow, packet: inout Packet
  ) throws(CaptureError) -> Int {
    guard interface < interfaces.count else { throw undescribed(interface, in: window) }
    let high = UInt64(order(window.load(12, as: UInt32.self)))
    let low = UInt64(order(window.load(16, as: UInt32.self)))
    let captured = Int(order(window.load(20, as: UInt32.self)))
    let original = Int(order(window.load(24, as: UInt32.self)))
    guard captured <= length - 32, captured <= CaptureLimits.packet else {
      throw window.error(
        .nonsenseLength("\(captured) octets were captured, says a block that has \(length)"))
    }
    packet.timestamp = interfaces[interface].resolution.nanoseconds(high << 32 | low)
    // Less than was captured cannot have been there.
    packet.originalLength = max(original, captured)
    packet.linkType = interfaces[interface].linkType
    packet.frameCheckSequenceLength = interfaces[interface].frameCheckSequenceLength
    return captured
  }

  private func simplePacket(
    _ length: Int, in window: borrowing OctetWindow, packet: inout Packet
  ) throws(CaptureError) -> Int {
    guard let interface = interfaces.first else { throw undescribed(0, in: window) }
    let original = Int(order(window.load(8, as: UInt32.self)))
    let limit = interface.snapshotLength == 0 ? original : interface.snapshotLength
    let captured = min(original, limit)
    guard captured <= length - 16, captured <= CaptureLimits.packet else {
      throw window.error(
        .nonsenseLength("\(captured) octets were captured, says a block that has \(length)"))
    }
    packet.originalLength = original
    packet.linkType = interface.linkType
    packet.frameCheckSequenceLength = interface.frameCheckSequenceLength
    return captured
  }

  private func undescribed(_ interface: Int, in window: borrowing OctetWindow) -> CaptureError {
    window.error(
      .malformed("a packet of interface \(interface), of which the section describes \(interfaces.count) so far"))
  }

  // MARK: What describes packets

  private mutating func readByteOrder(in window: borrowing OctetWindow) throws(CaptureError) {
    switch window.load(8, as: UInt32.self) {
    case 0x1a2b_3c4d: order = .little
    case 0x4d3c_2b1a: order = .big
    case let magic: throw window.error(.malformed("a section header with the byte-order magic \(hexadecimal(magic))"))
    }
  }

  private mutating func startSection(in window: borrowing OctetWindow) throws(CaptureError) {
    let major = order(window.load(12, as: UInt16.self))
    let minor = order(window.load(14, as: UInt16.self))
    guard major == 1 else { throw window.error(.unsupported("pcapng version \(major).\(minor)")) }
    droppedBefore = dropped
    interfaces.removeAll(keepingCapacity: true)
  }

  private mutating func describeInterface(_ length: Int, in window: borrowing OctetWindow) throws(CaptureError) {
    guard interfaces.count < CaptureLimits.interfaces else {
      throw window.error(.unsupported("more than \(CaptureLimits.interfaces) interfaces in a section"))
    }
    interfaces.append(try PcapngInterface(in: window, order: order, length: length))
  }

  private mutating func readStatistics(_ length: Int, in window: borrowing OctetWindow) {
    let interface = Int(order(window.load(8, as: UInt32.self)))
    guard interface < interfaces.count else { return }
    let high = UInt64(order(window.load(12, as: UInt32.self)))
    let low = UInt64(order(window.load(16, as: UInt32.self)))
    let time = interfaces[interface].resolution.nanoseconds(high << 32 | low)
    statisticsTime = max(statisticsTime ?? time, time)
    var dropped: UInt64?
    var options = PcapngOptions(20..<length - 4, order: order)
    while let option = options.next(in: window) {
      // isb_ifdrop, by the interface, and isb_osdrop, by the operating system.
      guard option.code == 5 || option.code == 7, option.value.count == 8 else { continue }
      dropped = (dropped ?? 0).addingSaturated(order(window.load(option.value.lowerBound, as: UInt64.self)))
    }
    if let dropped { interfaces[interface].setLoss(dropped) }
  }
}

private func hexadecimal(_ value: UInt32) -> String {
  "0x" + String(value, radix: 16)
}
