import Packets

/// Several captures of the same time read as one, packet by packet in the order of time. They come from several capture points,
/// or have one direction each.
///
/// A capture is open from its first packet to its last. Each is expected to have its packets in order; a late packet in a file
/// comes late.
public struct OverlappingCaptures: PacketSequence, ~Copyable {
  /// The largest number of captures that are open at once.
  public static let limit = 256
  /// Octets of the buffer of each: few, because there can be many.
  static let bufferCapacity = 64 << 10

  /// A capture with a packet to hand over.
  private final class Source {
    let index: Int
    let reader: OwnMemory<CaptureReader>
    var packet = LentPacket()

    init(_ index: Int, _ reader: consuming CaptureReader) {
      self.index = index
      self.reader = OwnMemory(reader)
    }
  }

  /// Octets of all captures together.
  public let size: Int?
  /// Reads octets of packets again, if their captures can be read again.
  public var capturedOctets: any CapturedOctets { files }
  /// The capture of the packet that `advance` found, from 0, in the order of their first packets.
  public var capture: Int { current?.index ?? 0 }

  private let paths: [String]
  private let firsts: [Int64]
  private let filter: PacketFilter?
  private let waiting: Waiting
  private let files = RereadableFiles()
  private let origins = OwnMemory(OriginTable())
  private let zstd = ZstdMemory()
  /// The number of captures that were opened so far, or could not be.
  private var position = 0
  private var open: [Source] = []
  private var current: Source?
  private var octetsReadBefore = 0
  private var droppedBefore: UInt64?
  private var news = PendingEvents()

  /// Reads each file's first packet. Nothing is thrown here: an unreadable file throws in its turn.
  ///
  /// - Parameters:
  ///   - paths: Files, no streams.
  ///   - filter: Only packets that pass it are handed over; nil for all.
  ///   - waiting: Its stop ends the sequence.
  public init(paths: [String], filter: PacketFilter? = nil, waiting: Waiting = Waiting()) {
    let order = CaptureOrder.timed(paths)
    self.paths = order.map(\.path)
    firsts = order.map(\.first)
    self.filter = filter
    self.waiting = waiting
    size = CaptureOrder.size(paths)
  }

  /// Moves to the next packet by time, in any of the captures, or to the end of all.
  ///
  /// Throws the errors of opening and reading a capture. The next call continues without that capture.
  public mutating func advance() throws(CaptureError) -> PacketStep {
    if let last = current {
      current = nil
      try readOn(last)
    }
    while !waiting.isStopped {
      let earliest = open.min { time(of: $0) < time(of: $1) }
      if position < paths.count, earliest.map({ firsts[position] <= time(of: $0) }) ?? true {
        try openNext()
        continue
      }
      guard let earliest else { return .end }
      earliest.reader.value.moveEvents(to: &news)
      current = earliest
      return .packet
    }
    return .end
  }

  private func time(of source: Source) -> Int64 { source.packet.packet.timestamp }

  /// Lends the packet that `advance` found. Its octets are valid during the call only.
  public borrowing func withPacket(_ body: (Packet, RawSpan) -> Void) { current?.packet.withPacket(body) }

  /// Removes and returns the captures' events since the last call: those before the packet or the end that `advance` found.
  public mutating func takeEvents() -> [CaptureEvent] { news.isEmpty ? [] : news.take(dropped: dropped) }

  private mutating func openNext() throws(CaptureError) {
    defer { position += 1 }
    guard open.count < Self.limit else {
      throw CaptureError(
        file: paths[position], problem: .unsupported("more than \(Self.limit) captures of the same time"))
    }
    let source = Source(
      position,
      try CaptureReader(
        path: paths[position], filter: filter, waiting: waiting, files: files, origins: origins,
        bufferCapacity: Self.bufferCapacity, zstd: zstd))
    open.append(source)
    try readOn(source)
  }

  /// Reads the next packet of a capture, and closes the capture at its end.
  private mutating func readOn(_ source: Source) throws(CaptureError) {
    source.packet.withdraw()
    do throws(CaptureError) {
      if let next = try source.reader.value.advanceToPacket() {
        source.packet = next
        return
      }
    } catch {
      close(source)
      throw error
    }
    close(source)
  }

  private mutating func close(_ source: Source) {
    // A time that passed before its end may still lie ahead in the other captures.
    source.reader.value.moveEvents(to: &news, onlyRecords: true)
    octetsReadBefore += source.reader.value.octetsRead
    if let dropped = source.reader.value.dropped { droppedBefore = dropped.addingSaturated(droppedBefore ?? 0) }
    open.removeAll { $0 === source }
  }
}

extension OverlappingCaptures {
  /// Octets read from all captures so far, before decompression.
  public var octetsRead: Int { open.reduce(octetsReadBefore) { $0 + $1.reader.value.octetsRead } }

  /// Packets that the capturing machines reported as lost, up to here; nil if no capture has the figure.
  public var dropped: UInt64? {
    open.reduce(droppedBefore) { sum, source in
      source.reader.value.dropped.map { $0.addingSaturated(sum ?? 0) } ?? sum
    }
  }
}
