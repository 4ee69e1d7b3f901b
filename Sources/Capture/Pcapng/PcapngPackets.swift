import Packets

extension PcapngBlocks {
  /// Reads a packet block, which the window holds whole. Returns the range of its octets, counted from the cursor; nil when the
  /// block has another type.
  ///
  /// The captured length is checked against the block. Throws when the length or the interface is impossible.
  @inline(__always)
  mutating func packetOctets(
    _ type: UInt32, _ length: Int, in window: borrowing OctetWindow, packet: inout Packet
  ) throws(CaptureError) -> Range<Int>? {
    let start: Int
    let captured: Int
    switch type {
    case PcapngFormat.BlockType.enhancedPacket:
      start = PcapngFormat.EnhancedPacket.octets
      captured = try enhancedPacket(length, in: window, packet: &packet)
    case PcapngFormat.BlockType.simplePacket:
      start = PcapngFormat.SimplePacket.octets
      captured = try simplePacket(length, in: window, packet: &packet)
    case PcapngFormat.BlockType.obsoletePacket:
      start = PcapngFormat.EnhancedPacket.octets
      captured = try obsoletePacket(length, in: window, packet: &packet)
    default: return nil
    }
    return start..<start + captured
  }

  // MARK: Kinds of packet blocks: each returns the captured length

  @inline(__always)
  private mutating func enhancedPacket(
    _ length: Int, in window: borrowing OctetWindow, packet: inout Packet
  ) throws(CaptureError) -> Int {
    let interface = Int(order(window.load(PcapngFormat.EnhancedPacket.interface, as: UInt32.self)))
    let captured = try timedPacket(length, interface: interface, in: window, packet: &packet)
    let options = PcapngFormat.EnhancedPacket.octets + captured.paddedTo4
    let end = length - PcapngFormat.Block.trailerLength
    if options < end { readOptions(options..<end, interface: interface, in: window, packet: &packet) }
    return captured
  }

  private mutating func obsoletePacket(
    _ length: Int, in window: borrowing OctetWindow, packet: inout Packet
  ) throws(CaptureError) -> Int {
    let interface = Int(order(window.load(PcapngFormat.EnhancedPacket.interface, as: UInt16.self)))
    let captured = try timedPacket(length, interface: interface, in: window, packet: &packet)
    let lost = order(window.load(PcapngFormat.EnhancedPacket.obsoleteDrops, as: UInt16.self))
    // All ones means unknown.
    if lost != 0 && lost != .max { countLosses(of: interface) { $0.addLoss(UInt64(lost)) } }
    return captured
  }

  /// Reads the common fields of enhanced and obsolete packet blocks.
  @inline(__always)
  private func timedPacket(
    _ length: Int, interface: Int, in window: borrowing OctetWindow, packet: inout Packet
  ) throws(CaptureError) -> Int {
    guard interface < interfaces.count else { throw undescribed(interface, in: window) }
    let ticks = order.time(window.load(PcapngFormat.EnhancedPacket.time, as: UInt64.self))
    let lengths = order.halves(window.load(PcapngFormat.EnhancedPacket.capturedLength, as: UInt64.self))
    let (captured, original) = (Int(lengths.0), Int(lengths.1))
    guard captured <= length - PcapngFormat.EnhancedPacket.minimumLength, captured <= CaptureLimits.packet else {
      throw tooLong(captured, block: length, in: window)
    }
    packet.timestamp = interfaces[interface].resolution.nanoseconds(ticks)
    // The original length is at least the captured one.
    packet.originalLength = max(original, captured)
    packet.linkType = interfaces[interface].linkType
    packet.frameCheckSequenceLength = interfaces[interface].frameCheckSequenceLength
    packet.origin = PacketOrigin(interface: interfaces[interface].number)
    return captured
  }

  private func simplePacket(
    _ length: Int, in window: borrowing OctetWindow, packet: inout Packet
  ) throws(CaptureError) -> Int {
    guard let interface = interfaces.first else { throw undescribed(0, in: window) }
    let original = Int(order(window.load(PcapngFormat.SimplePacket.originalLength, as: UInt32.self)))
    let limit = interface.snapshotLength == 0 ? original : interface.snapshotLength
    let captured = min(original, limit)
    guard captured <= length - PcapngFormat.SimplePacket.minimumLength, captured <= CaptureLimits.packet else {
      throw tooLong(captured, block: length, in: window)
    }
    packet.originalLength = original
    packet.linkType = interface.linkType
    packet.frameCheckSequenceLength = interface.frameCheckSequenceLength
    packet.origin = PacketOrigin(interface: interface.number)
    return captured
  }

  private func tooLong(_ captured: Int, block length: Int, in window: borrowing OctetWindow) -> CaptureError {
    window.error(.nonsenseLength("\(captured) bytes were captured, says a block that has \(length)"))
  }

  private func undescribed(_ interface: Int, in window: borrowing OctetWindow) -> CaptureError {
    window.error(
      .malformed("a packet of interface \(interface), while the section describes \(interfaces.count) so far"))
  }

  // MARK: Options

  /// Reads the options in `range` of a packet.
  private mutating func readOptions(
    _ range: Range<Int>, interface: Int, in window: borrowing OctetWindow, packet: inout Packet
  ) {
    var options = PcapngOptions(range, order: order)
    while let option = options.next(in: window) {
      let value = option.value
      switch (option.code, value.count) {
      case (PcapngFormat.EnhancedPacket.flagsOption, 4): readFlags(number(value, in: window), of: &packet)
      case (PcapngFormat.EnhancedPacket.dropsOption, 8):
        let lost = order(window.load(value.lowerBound, as: UInt64.self))
        countLosses(of: interface) { $0.addLoss(lost) }
      case (PcapngFormat.commentOption, _):
        // The first of several comments counts.
        if packet.origin.flags.contains(.comment) { continue }
        packet.origin.flags.insert(.comment)
        packet.origin.comment = window.withOctets(value) { origins.value.number(comment: $0, tellingIn: &news) }
      case (PcapngFormat.EnhancedPacket.processOption, 4):
        packet.origin.process = process(number(value, in: window))
      case (PcapngFormat.EnhancedPacket.effectiveProcessOption, 4):
        packet.origin.effectiveProcess = process(number(value, in: window))
      case (PcapngFormat.EnhancedPacket.applePacketFlagsOption, 4):
        // Apple's bits, from new flow on, have our order.
        let bits = UInt16(truncatingIfNeeded: number(value, in: window) & 0x3f)
        packet.origin.flags.formUnion(.init(rawValue: bits * PacketOrigin.Flags.newFlow.rawValue))
      case (PcapngFormat.EnhancedPacket.dropReasonOption, 4):
        if number(value, in: window) != 0 { packet.origin.flags.insert(.dropped) }
      case (PcapngFormat.EnhancedPacket.dropFunctionOption, 1...):
        if window.load(value.lowerBound, as: UInt8.self) != 0 { packet.origin.flags.insert(.dropped) }
      default: break
      }
    }
  }

  private func number(_ value: Range<Int>, in window: borrowing OctetWindow) -> UInt32 {
    order(window.load(value.lowerBound, as: UInt32.self))
  }

  /// `epb_flags` (§4.3.1): bits 0 and 1 are the direction, bits 5 to 8 the octets of the frame check sequence; 0 is unknown.
  private func readFlags(_ flags: UInt32, of packet: inout Packet) {
    switch flags & 0b11 {
    case 0b01: packet.origin.flags.insert(.inbound)
    case 0b10: packet.origin.flags.insert(.outbound)
    default: break
    }
    if flags >> 5 & 0xf != 0 { packet.frameCheckSequenceLength = Int(flags >> 5 & 0xf) }
  }

  /// The number of the section's process at `index`; 0 without one.
  private func process(_ index: UInt32) -> UInt16 {
    Int(index) < processes.count ? processes[Int(index)] : 0
  }
}
