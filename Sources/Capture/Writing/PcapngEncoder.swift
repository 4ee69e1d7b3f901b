import Packets

/// Builds the blocks of a pcapng file (draft-ietf-opsawg-pcapng) with timestamps in nanoseconds.
enum PcapngEncoder {
  /// Octets of an interface statistics block.
  static let statisticsLength = 24 + 5 * 12 + 4
  /// Octets of a packet block beside its packet and the padding.
  static let packetOverhead = 32
  /// Octets of the option with a packet's flags, and of the mark behind it.
  static let flagsLength = 8 + 4
  /// Octets of text in an option: twice what the system has for a path; its length has only 16 bits.
  private static let textLimit = 8192

  /// Octets of a packet block.
  @inline(__always)
  static func length(_ packet: Packet, captured: Int) -> Int {
    packetOverhead + captured.paddedTo4 + (packet.frameCheckSequenceLength > 0 ? flagsLength : 0)
  }

  /// Octets that the blocks before the first packet may take.
  static func headerLength(_ interfaces: [PcapngFileWriter.Interface]) -> Int {
    64 + textLimit + interfaces.count * (64 + 2 * textLimit)
  }

  /// Appends a section header, with the name of the program that writes.
  static func appendSection(application: String, to buffer: inout BlockBuffer) {
    let application = text(application)
    let length = 28 + (application.isEmpty ? 0 : 4 + application.count.paddedTo4 + 4)
    buffer.startBlock(PcapngFormat.BlockType.sectionHeader, length: length)
    buffer.append(0x1a2b_3c4d as UInt32)
    // Version 1.0.
    buffer.append(1 as UInt16)
    buffer.append(0 as UInt16)
    // The section's length is not known yet.
    buffer.append(-1 as Int64)
    if !application.isEmpty {
      // shb_userappl
      buffer.append(option: 4, application)
      buffer.appendEndOfOptions()
    }
    buffer.endBlock()
  }

  /// Appends the description of an interface. Its link type must fit in 16 bits.
  static func append(_ interface: PcapngFileWriter.Interface, to buffer: inout BlockBuffer) {
    let name = text(interface.name)
    // The filter's text has a 0 before it, which says that it is an expression.
    let filter = interface.filter.isEmpty ? [] : [0] + text(interface.filter)
    let options = [(2, name), (9, [9]), (11, filter)] as [(UInt16, [UInt8])]
    let used = options.filter { !$1.isEmpty }
    let length = 20 + used.reduce(4) { $0 + 4 + $1.1.count.paddedTo4 }
    buffer.startBlock(1, length: length)
    buffer.append(UInt16(truncatingIfNeeded: interface.linkType.rawValue))
    buffer.append(0 as UInt16)
    buffer.append(UInt32(clamping: interface.snapshotLength))
    // if_name, if_tsresol (10⁻⁹ s), if_filter
    for (code, value) in used { buffer.append(option: code, value) }
    buffer.appendEndOfOptions()
    buffer.endBlock()
  }

  /// Appends a packet.
  @inline(__always)
  static func append(_ packet: Packet, octets: RawSpan, interface: Int, to buffer: inout BlockBuffer) {
    buffer.startBlock(6, length: length(packet, captured: octets.byteCount))
    buffer.append(UInt32(truncatingIfNeeded: interface))
    buffer.append(time: UInt64(clamping: packet.timestamp))
    buffer.append(UInt32(clamping: octets.byteCount))
    buffer.append(UInt32(clamping: packet.originalLength))
    buffer.append(padded: octets)
    if packet.frameCheckSequenceLength > 0 {
      // epb_flags, whose bits 5 to 8 are the octets of the frame check sequence.
      buffer.append(2 as UInt16)
      buffer.append(4 as UInt16)
      buffer.append(UInt32(clamping: packet.frameCheckSequenceLength & 0xf) << 5)
      buffer.appendEndOfOptions()
    }
    buffer.endBlock()
  }

  /// Appends what was counted on an interface between two times, in nanoseconds since the Unix epoch.
  static func append(
    _ statistics: CaptureStatistics, interface: Int, from start: Int64, to end: Int64, in buffer: inout BlockBuffer
  ) {
    buffer.startBlock(5, length: statisticsLength)
    buffer.append(UInt32(truncatingIfNeeded: interface))
    buffer.append(time: UInt64(clamping: end))
    // isb_starttime and isb_endtime
    for (code, time) in [(2, start), (3, end)] as [(UInt16, Int64)] {
      buffer.append(code)
      buffer.append(8 as UInt16)
      buffer.append(time: UInt64(clamping: time))
    }
    // isb_ifrecv, isb_ifdrop, and isb_osdrop, to which this program's own drops are added: nobody else has a place.
    let (bySystem, overflow) = statistics.droppedByKernel.addingReportingOverflow(statistics.droppedByQueue)
    let counts =
      [
        (4, statistics.received), (5, statistics.droppedByInterface), (7, overflow ? .max : bySystem),
      ] as [(UInt16, UInt64)]
    for (code, count) in counts {
      buffer.append(code)
      buffer.append(8 as UInt16)
      buffer.append(count)
    }
    buffer.appendEndOfOptions()
    buffer.endBlock()
  }

  private static func text(_ text: String) -> [UInt8] { Array(text.utf8.prefix(textLimit)) }
}
