import Capture
import HTTPReassembly
import Packets
import Tabular

/// Reads partials into an analysis, one segment after another.
public struct PartialReader: ~Copyable {
  private var reading = RowReading()
  private var packets = PacketReading()
  private var origins = PartialOrigins()
  private var input: PartialInput?
  /// The range from the next block to the end of the blocks.
  private var range = 0..<0
  private var file = ""
  private var capture = ""
  /// Whether all packets before the next record have been taken.
  private var isBehindPacket = false

  /// The result of a step of reading.
  public enum Step {
    /// An event of the capture.
    case event(CaptureEvent)
    /// So many more octets of the partial have been read.
    case block(octets: Int)
    /// The segment ends.
    case end
  }

  /// Creates a reader that has nothing to read yet.
  public init() {}

  /// Begins a segment.
  ///
  /// - Throws: if it cannot be read.
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

  /// Reads up to the end of a block, or to an event of the capture.
  ///
  /// - Parameters:
  ///   - pipeline: Takes the records.
  ///   - fault: Called with errors of the pipeline's sink; reading goes on.
  /// - Returns: The end of the step.
  /// - Throws: if the partial cannot be read any further.
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

  /// Hands over the rows of previous packets, with other rows that became final at the same time.
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
