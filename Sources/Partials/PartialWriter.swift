import Capture
import HTTPReassembly
import Packets
import Tabular

/// Writes the segment of one capture.
package struct PartialWriter: ~Copyable {
  private let file: OutputFile
  private let compressor = FrameCompressor(hasChecksum: true)
  private var rows = RowWriting()
  private var packets = PacketRecords()
  private let start: Int
  /// Of what was written behind the first octets.
  private var checksum = Checksum()
  /// The description of the capture; completed while packets come.
  package var head: PartialHead

  /// Begins a segment at the end of a file.
  ///
  /// - Throws: if it cannot be written.
  package init(to file: OutputFile, _ head: PartialHead) throws(ReportError) {
    self.file = file
    self.head = head
    start = file.length
    try file.append(PartialFormat.magic)
  }

  /// Writes a packet that is counted in the next records.
  package mutating func count(_ packet: Packet) {
    head.packets += 1
    packets.count(packet, to: &rows)
  }

  /// Writes a packet as it was captured.
  package mutating func keep(_ packet: Packet, _ octets: RawSpan) {
    head.packets += 1
    head.keptPackets += 1
    packets.keep(packet, octets, to: &rows)
  }

  /// Writes an event of the capture.
  package mutating func add(_ event: CaptureEvent) { EventRecords.write(event, to: &rows) }

  /// Writes the records of an analysis since the last call.
  ///
  /// - Throws: if they cannot be written.
  package mutating func addRecords(of analysis: inout PartAnalysis) throws(ReportError) {
    try analysis.takeRecords { octets throws(ReportError) in
      octets.append(0..<octets.byteCount, to: &rows.octets)
      if rows.octets.count >= PartialFormat.blockLength { try writeBlock() }
    }
    // Packets without records take room, too.
    if rows.octets.count >= PartialFormat.blockLength { try writeBlock() }
  }

  /// Ends the segment.
  ///
  /// - Throws: if it cannot be written.
  package consuming func finish() throws(ReportError) {
    if !rows.octets.isEmpty { try writeBlock() }
    let blocks = file.length - start - PartialFormat.magic.count
    var coded = RowWriting()
    head.code(&coded)
    let frame = try frame(coded.octets)
    try append(frame)
    try file.append(
      PartialFormat.octets(blocks, count: 8) + PartialFormat.octets(frame.count, count: 4)
        + PartialFormat.octets(Int(checksum.value), count: 4) + PartialFormat.octets(PartialFormat.version, count: 4)
        + PartialFormat.magic)
  }

  private mutating func writeBlock() throws(ReportError) {
    let frame = try frame(rows.octets)
    rows.octets.removeAll(keepingCapacity: true)
    try append(PartialFormat.octets(frame.count, count: 4))
    try append(frame)
  }

  private mutating func append(_ octets: [UInt8]) throws(ReportError) {
    checksum.add(octets)
    try file.append(octets)
  }

  private func frame(_ octets: [UInt8]) throws(ReportError) -> [UInt8] {
    guard let frame = compressor.compress(octets) else {
      throw ReportError(.write, file.path, reason: "there is no memory to compress it")
    }
    return frame
  }
}
