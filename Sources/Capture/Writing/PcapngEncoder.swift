import Packets

/// Builds the blocks of a pcapng file (draft-ietf-opsawg-pcapng) with timestamps in nanoseconds.
enum PcapngEncoder {
  /// Octets of an interface statistics block.
  static let statisticsLength = PcapngFormat.InterfaceStatistics.minimumLength + 5 * 12 + endOfOptionsLength
  /// Octets of the option with a packet's flags, and of the mark after it.
  private static let flagsLength = 8 + endOfOptionsLength
  /// Octets of the mark after the last option.
  private static let endOfOptionsLength = 4
  /// Octets of text in an option: twice the system's limit for a path; the length field has only 16 bits.
  private static let textLimit = 8192

  /// Octets of a packet block.
  @inline(__always)
  static func length(_ packet: Packet, captured: Int) -> Int {
    PcapngFormat.EnhancedPacket.minimumLength + captured.paddedTo4
      + (packet.frameCheckSequenceLength > 0 ? flagsLength : 0)
  }

  /// The largest number of octets of the blocks before the first packet.
  static func headerLength(_ interfaces: [PcapngFileWriter.Interface]) -> Int {
    64 + textLimit + interfaces.count * (64 + 2 * textLimit)
  }

  /// Appends a section header, with the name of the writing program.
  static func appendSection(application: String, to buffer: inout BlockBuffer) {
    let application = text(application)
    let options = application.isEmpty ? 0 : 4 + application.count.paddedTo4 + endOfOptionsLength
    let length = PcapngFormat.SectionHeader.minimumLength + options
    buffer.startBlock(PcapngFormat.BlockType.sectionHeader, length: length)
    buffer.append(PcapngFormat.SectionHeader.magic)
    // Version 1.0.
    buffer.append(1 as UInt16)
    buffer.append(0 as UInt16)
    // The section's length is unknown.
    buffer.append(-1 as Int64)
    if !application.isEmpty {
      buffer.append(option: PcapngFormat.SectionHeader.applicationOption, application)
      buffer.appendEndOfOptions()
    }
    buffer.endBlock()
  }

  /// Appends the description of an interface. Its link type must fit in 16 bits.
  static func append(_ interface: PcapngFileWriter.Interface, to buffer: inout BlockBuffer) {
    let name = text(interface.name)
    // The 0 before the filter's text marks it as an expression.
    let filter = interface.filter.isEmpty ? [] : [0] + text(interface.filter)
    let nanoseconds: [UInt8] = [9]
    let options = [
      (PcapngFormat.InterfaceDescription.nameOption, name),
      (PcapngFormat.InterfaceDescription.resolutionOption, nanoseconds),
      (PcapngFormat.InterfaceDescription.filterOption, filter),
    ]
    let used = options.filter { !$1.isEmpty }
    let length =
      PcapngFormat.InterfaceDescription.minimumLength
      + used.reduce(endOfOptionsLength) { $0 + 4 + $1.1.count.paddedTo4 }
    buffer.startBlock(PcapngFormat.BlockType.interfaceDescription, length: length)
    buffer.append(UInt16(truncatingIfNeeded: interface.linkType.rawValue))
    buffer.append(0 as UInt16)
    buffer.append(UInt32(clamping: interface.snapshotLength))
    for (code, value) in used { buffer.append(option: code, value) }
    buffer.appendEndOfOptions()
    buffer.endBlock()
  }

  /// Octets of a block with secrets.
  static func length(secrets count: Int) -> Int { PcapngFormat.DecryptionSecrets.minimumLength + count.paddedTo4 }

  /// Appends secrets: lines of a TLS key log.
  static func append(secrets octets: RawSpan, to buffer: inout BlockBuffer) {
    buffer.startBlock(PcapngFormat.BlockType.decryptionSecrets, length: length(secrets: octets.byteCount))
    buffer.append(PcapngFormat.DecryptionSecrets.tlsKeyLog)
    buffer.append(UInt32(clamping: octets.byteCount))
    buffer.append(padded: octets)
    buffer.endBlock()
  }

  /// Appends a packet.
  @inline(__always)
  static func append(_ packet: Packet, octets: RawSpan, interface: Int, to buffer: inout BlockBuffer) {
    buffer.startBlock(PcapngFormat.BlockType.enhancedPacket, length: length(packet, captured: octets.byteCount))
    buffer.append(UInt32(truncatingIfNeeded: interface))
    buffer.append(time: UInt64(clamping: packet.timestamp))
    buffer.append(UInt32(clamping: octets.byteCount))
    buffer.append(UInt32(clamping: packet.originalLength))
    buffer.append(padded: octets)
    if packet.frameCheckSequenceLength > 0 {
      // epb_flags: bits 5 to 8 are the octets of the frame check sequence.
      buffer.append(PcapngFormat.EnhancedPacket.flagsOption)
      buffer.append(4 as UInt16)
      buffer.append(UInt32(clamping: packet.frameCheckSequenceLength & 0xf) << 5)
      buffer.appendEndOfOptions()
    }
    buffer.endBlock()
  }

  /// Appends an interface's counts between two times, in nanoseconds since the Unix epoch.
  static func append(
    _ statistics: CaptureStatistics, interface: Int, from start: Int64, to end: Int64, in buffer: inout BlockBuffer
  ) {
    buffer.startBlock(PcapngFormat.BlockType.interfaceStatistics, length: statisticsLength)
    buffer.append(UInt32(truncatingIfNeeded: interface))
    buffer.append(time: UInt64(clamping: end))
    typealias Field = PcapngFormat.InterfaceStatistics
    for (code, time) in [(Field.startTimeOption, start), (Field.endTimeOption, end)] {
      buffer.append(code)
      buffer.append(8 as UInt16)
      buffer.append(time: UInt64(clamping: time))
    }
    // This program's own drops are added to the system's, because they have no option of their own.
    let (bySystem, overflow) = statistics.droppedByKernel.addingReportingOverflow(
      statistics.droppedByQueue &+ statistics.unanalysed)
    let counts =
      [
        (Field.receivedOption, statistics.received), (Field.interfaceDropsOption, statistics.droppedByInterface),
        (Field.systemDropsOption, overflow ? .max : bySystem),
      ]
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
