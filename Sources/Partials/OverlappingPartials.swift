import Capture
import HTTPReassembly
import Packets

/// Reads partials of simultaneous captures as one, packet by packet in order of time, as `OverlappingCaptures` reads captures. The partials
/// must have all packets.
public struct OverlappingPartials: PacketSequence, ~Copyable {
  /// The most segments that are open at once.
  public static let limit = 256
  /// Octets of their blocks together.
  static let memoryLimit = 128 << 20

  /// A segment with a packet to hand over.
  private final class Source {
    let index: Int
    let input: PartialInput
    var range: Range<Int>
    var reading = RowReading()
    /// Octets of the current block.
    var length = 0
    var packets = PacketReading()
    var meaning = PartialOrigins.Meaning()
    /// Events of the capture before the packet.
    var events: [CaptureEvent] = []
    var packet = Packet(timestamp: 0, originalLength: 0, linkType: .null)
    var octets: [UInt8] = []

    init(_ index: Int, _ segment: PartialSegment) throws(PartialError) {
      self.index = index
      input = try PartialInput(segment.file)
      try segment.verify(input)
      range = segment.blockRange
    }
  }

  /// Octets of blocks read so far.
  public private(set) var octetsRead = 0
  /// The segment of the packet that `advance` found, from 0, in the order of the series.
  public var capture: Int { current?.index ?? 0 }

  /// Octets of all segments.
  public let size: Int?
  /// Packets that the capturing machines report as lost; nil if none reports.
  public let dropped: UInt64?

  private let segments: [PartialSegment]
  /// Segments tried so far.
  private var position = 0
  private var open: [Source] = []
  /// Octets of the current blocks of all open segments.
  private var octetsHeld = 0
  private var current: Source?
  private var origins = PartialOrigins()
  private var events: [CaptureEvent] = []

  /// Starts before the first packet.
  public init(_ series: PartialSeries) {
    segments = series.segments
    size = series.length
    dropped = series.dropped.map(UInt64.init(clamping:))
  }

  /// Goes on to the next packet in order of time, of any capture, or to the end of all.
  ///
  /// Throws if a partial cannot be read, or lacks packets of a capture. The next call then goes on without it.
  public mutating func advance() throws(PartialError) -> PacketStep {
    if let last = current {
      current = nil
      try readOn(last)
    }
    while true {
      let earliest = open.min { $0.packet.timestamp < $1.packet.timestamp }
      if position < segments.count,
        earliest.map({ segments[position].head.first ?? .max <= $0.packet.timestamp }) ?? true
      {
        try openNext()
        continue
      }
      guard let earliest else { return .end }
      events += earliest.events
      earliest.events = []
      current = earliest
      return .packet
    }
  }

  /// Lends the packet that `advance` found.
  public borrowing func withPacket(_ body: (Packet, RawSpan) -> Void) {
    guard let current else { return }
    current.octets.withOctets { body(current.packet, $0) }
  }

  /// Takes the captures' events since the last call, up to the packet or the end that `advance` reached.
  public mutating func takeEvents() -> [CaptureEvent] {
    guard !events.isEmpty else { return [] }
    defer { events = [] }
    return events
  }

  private mutating func openNext() throws(PartialError) {
    let segment = segments[position]
    defer { position += 1 }
    guard segment.head.keptPackets == segment.head.packets else {
      throw PartialError(segment.file, .lacksPackets(capture: segment.head.capture))
    }
    guard open.count < Self.limit else { throw PartialError(segment.file, .tooManyAtOnce) }
    let source = try Source(position, segment)
    open.append(source)
    try readOn(source)
  }

  /// Reads the next packet of a segment, or closes the segment at its end.
  private mutating func readOn(_ source: Source) throws(PartialError) {
    swap(&origins.meaning, &source.meaning)
    defer { swap(&origins.meaning, &source.meaning) }
    do throws(PartialError) {
      while try !readPacket(source) {
        guard !source.range.isEmpty else {
          events += source.events
          return close(source)
        }
        let start = source.range.lowerBound
        try hold(try source.input.block(&source.range), for: source)
        octetsRead += source.range.lowerBound - start
      }
    } catch {
      close(source)
      throw error
    }
  }

  /// Replaces the block of a segment by the next one.
  private mutating func hold(_ block: [UInt8], for source: Source) throws(PartialError) {
    octetsHeld += block.count - source.length
    source.length = block.count
    guard octetsHeld <= Self.memoryLimit else { throw PartialError(source.input.path, .tooLargeAtOnce) }
    source.reading.take(block)
  }

  private mutating func close(_ source: Source) {
    octetsHeld -= source.length
    open.removeAll { $0 === source }
  }

  /// Reads a packet from the loaded blocks of a segment; false if there is none.
  private mutating func readPacket(_ source: Source) throws(PartialError) -> Bool {
    do throws(PartFault) {
      while !source.reading.isAtEnd {
        switch PartRecord(rawValue: try source.reading.octet()) {
        case .keptPacket:
          source.packet = try source.packets.packet(&source.reading, origins)
          try source.reading.octets(&source.octets)
          return true
        case .event:
          if let event = try EventRecords.read(&source.reading, &origins) { source.events.append(event) }
        // The last record, which is empty if all packets were kept.
        case .accounts:
          source.reading.take([])
        default: throw .damaged
        }
      }
      return false
    } catch {
      throw PartialError(source.input.path, capture: segments[source.index].head.capture, fault: error)
    }
  }
}
