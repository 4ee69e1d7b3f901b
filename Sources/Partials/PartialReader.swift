import Capture
import HTTPReassembly
import Packets
import Tabular

/// Reads partials into an analysis, one segment after the other.
public struct PartialReader: ~Copyable {
  private var reading = RowReading()
  private var packets = PacketReading()
  private var origins = PartialOrigins()
  private var input: PartialInput?
  /// Where the next block begins, and where the blocks end.
  private var range = 0..<0
  private var file = ""
  private var capture = ""
  /// Whether all rows before the next record are of packets that have come.
  private var isBehindPacket = false

  /// What is to be told the analysis beside what it is handed.
  public enum Step {
    /// The capture says something.
    case event(CaptureEvent)
    /// So many octets of the partial are done with.
    case block(octets: Int)
    /// The segment ends.
    case end
  }

  /// A reader of nothing yet.
  public init() {}

  /// Begins with a segment.
  ///
  /// - Throws: when it cannot be read.
  public mutating func begin<Sink: ReportSink>(
    _ segment: PartialSegment, _ pipeline: inout Pipeline<Sink>
  ) throws(PartialError) {
    if input?.path != segment.file { input = try PartialInput(segment.file) }
    if let input { try segment.verify(input) }
    file = segment.file
    capture = segment.head.capture
    packets = PacketReading()
    origins.meaning = PartialOrigins.Meaning()
    reading.take([])
    pipeline.beginPart(&reading)
    range = segment.blockRange
  }

  /// Goes on up to the end of a block, or to something that the capture says.
  ///
  /// - Parameters:
  ///   - pipeline: Takes what comes.
  ///   - fault: Called with what the pipeline's sink throws; reading goes on.
  /// - Returns: What it came to.
  /// - Throws: when the partial cannot be read any further.
  public mutating func advance<Sink: ReportSink>(
    _ pipeline: inout Pipeline<Sink>, fault: (Sink.Failure) -> Void
  ) throws(PartialError) -> Step {
    do throws(PartFault) {
      while !reading.isAtEnd {
        guard let record = PartRecord(rawValue: try reading.octet()) else { throw .damaged }
        switch record {
        case .elapsed: handOver(&pipeline, fault)
        case .countedPacket:
          handOver(&pipeline, fault)
          pipeline.skip(to: try packets.time(&reading))
          isBehindPacket = true
          continue
        case .keptPacket:
          handOver(&pipeline, fault)
          try takePacket(&pipeline, fault)
          isBehindPacket = true
          continue
        case .event:
          handOver(&pipeline, fault)
          if let event = try EventRecords.read(&reading, &origins) { return .event(event) }
          continue
        default: break
        }
        try pipeline.take(record, &reading)
      }
    } catch { throw PartialError(file, capture: capture, fault: error) }
    guard let input, !range.isEmpty else {
      handOver(&pipeline, fault)
      return .end
    }
    let start = range.lowerBound
    reading.take(try input.block(&range))
    return .block(octets: range.lowerBound - start)
  }

  /// Hands over the rows of the packets before, together with what became final at their time.
  private mutating func handOver<Sink: ReportSink>(
    _ pipeline: inout Pipeline<Sink>, _ fault: (Sink.Failure) -> Void
  ) {
    guard isBehindPacket else { return }
    isBehindPacket = false
    do throws(Sink.Failure) { try pipeline.handOverPart() } catch { fault(error) }
  }

  private mutating func takePacket<Sink: ReportSink>(
    _ pipeline: inout Pipeline<Sink>, _ fault: (Sink.Failure) -> Void
  ) throws(PartFault) {
    let packet = try packets.packet(&reading, origins)
    try reading.withCounted { octets in
      do throws(Sink.Failure) { try pipeline.process(packet, octets) } catch { fault(error) }
    }
  }
}
