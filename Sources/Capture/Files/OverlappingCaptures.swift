import Packets

/// Several captures of the same time read as one, packet by packet in the order of time: what was captured at several points, or one
/// file for each direction.
///
/// A capture is open from its first packet to its last. Each has its packets in order; where one does not, they come as late as
/// they are there.
public struct OverlappingCaptures: PacketSequence, ~Copyable {
  /// Captures that are open at once at most.
  public static let limit = 256

  /// A capture that has a packet to hand over.
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
  /// Reads octets of packets again, of those whose captures can be.
  public var capturedOctets: any CapturedOctets { files }
  /// Which capture the packet that `advance` found is of, from 0, in the order of their first packets.
  public var capture: Int { current?.index ?? 0 }

  private let paths: [String]
  private let firsts: [Int64]
  private let filter: PacketFilter?
  private let waiting: Waiting
  private let files = RereadableFiles()
  private let origins = OwnMemory(OriginTable())
  /// Captures that were opened so far, or could not be.
  private var position = 0
  private var open: [Source] = []
  private var current: Source?
  private var octetsReadBefore = 0
  private var droppedBefore: UInt64?
  private var news = PendingEvents()

  /// Looks at each file's first packet. Nothing is thrown here: a file that cannot be read throws when its turn comes.
  ///
  /// - Parameters:
  ///   - paths: Files, none of them a stream.
  ///   - filter: Only packets that pass it are handed over; nil for all.
  ///   - waiting: Once its stop was called, the end comes.
  public init(paths: [String], filter: PacketFilter? = nil, waiting: Waiting = Waiting()) {
    let order = CaptureOrder.timed(paths)
    self.paths = order.map(\.path)
    firsts = order.map(\.first)
    self.filter = filter
    self.waiting = waiting
    size = CaptureOrder.size(paths)
  }

  /// Goes on to the packet that was captured next, in any of the captures, or to the end of all.
  ///
  /// Throws what opening and reading a capture throws. The next call then goes on without that capture.
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

  /// Takes what the captures said since the last call, before the packet or the end that `advance` came to.
  public mutating func takeEvents() -> [CaptureEvent] { news.isEmpty ? [] : news.take(dropped: dropped) }

  private mutating func openNext() throws(CaptureError) {
    defer { position += 1 }
    guard open.count < Self.limit else {
      throw CaptureError(
        file: paths[position], problem: .unsupported("more than \(Self.limit) captures of the same time"))
    }
    let source = Source(
      position,
      try CaptureReader(path: paths[position], filter: filter, waiting: waiting, files: files, origins: origins))
    open.append(source)
    try readOn(source)
  }

  /// Reads the next packet of a capture, and closes it where there is none.
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
    // A time that passed before its end may be one that the other captures have not come to.
    source.reader.value.moveEvents(to: &news, onlyRecords: true)
    octetsReadBefore += source.reader.value.octetsRead
    if let dropped = source.reader.value.dropped { droppedBefore = dropped.addingSaturated(droppedBefore ?? 0) }
    open.removeAll { $0 === source }
  }
}

extension OverlappingCaptures {
  /// Octets read from all captures so far, compressed ones where they are compressed.
  public var octetsRead: Int { open.reduce(octetsReadBefore) { $0 + $1.reader.value.octetsRead } }

  /// Packets that the capturing machines say they lost, up to here; nil if no capture says.
  public var dropped: UInt64? {
    open.reduce(droppedBefore) { sum, source in
      source.reader.value.dropped.map { $0.addingSaturated(sum ?? 0) } ?? sum
    }
  }
}
