import Packets

/// Several captures read as one, in the order of time.
///
/// Files are put in the order of their first packets; a stream (standard input, a FIFO) cannot be looked at ahead, and
/// keeps its place in the list. Files without a packet, or that cannot be opened, come after the others.
public struct CaptureSeries: PacketSequence, ~Copyable {
  /// How much earlier than the last packet of one capture the first of the next may be for that to be a continuation,
  /// in nanoseconds: packets of several queues are not written quite in order.
  public static let overlap: Int64 = 1_000_000_000

  /// Paths in the order in which they are read.
  public let paths: [String]
  /// Octets of all captures together; nil if there is a stream among them.
  public let size: Int?
  /// 0: captures come one after the other.
  public var capture: Int { 0 }

  private let filter: PacketFilter?
  private let waiting: Waiting
  /// Captures that were opened so far, or could not be.
  private var position = 0
  private var reader: CaptureReader?
  private let files = RereadableFiles()
  /// The numbers of what the captures describe.
  private let origins = OwnMemory(OriginTable())
  private let readsAhead: Bool
  /// Reads octets of packets again, of those whose captures can be.
  public var capturedOctets: any CapturedOctets { files }
  /// The reader's packet.
  @usableFromInline private(set) var current = LentPacket()
  /// Capture time of the last packet of the capture that has ended last, in nanoseconds since the Unix epoch; nil before that.
  public private(set) var lastTimestamp: Int64?
  /// Capture time of the first packet of the current capture, the same; nil without one.
  public private(set) var firstTimestamp: Int64?
  private var octetsReadBefore = 0
  private var droppedBefore: UInt64?
  /// What the captures said until the last step, not taken yet.
  private var news = PendingEvents()

  /// Looks at each file's first packet. Nothing is thrown here: a file that cannot be read throws when its turn comes.
  ///
  /// Once the stop of `waiting` was called, the end of all captures comes within a few tenths of a second. With `readsAhead`, a
  /// thread of its own reads from the files.
  public init(
    paths: [String], filter: PacketFilter? = nil, waiting: Waiting = Waiting(), readsAhead: Bool = false
  ) {
    self.readsAhead = readsAhead
    self.paths = CaptureOrder.ordered(paths)
    self.filter = filter
    self.waiting = waiting
    // How long a file will be that grows, nobody knows.
    size = waiting.follows ? nil : CaptureOrder.size(paths)
  }

  /// Goes on to the next packet, the next capture or the end.
  ///
  /// Throws what opening and reading the current capture throws. The next call then goes on with the next capture.
  public mutating func advance() throws(CaptureError) -> PacketStep {
    current.withdraw()
    do throws(CaptureError) {
      if let next = try reader?.advanceToPacket() {
        current = next
        if reader?.hasNews ?? false { reader?.moveEvents(to: &news) }
        return .packet
      }
    } catch let error {
      close()
      if isNoDamage(error) { return .end }
      throw error
    }
    if reader != nil { close() }
    return try open()
  }

  /// Hands over the packets that follow the one that `advance` found, without a step for each, until `body` returns false or
  /// something else than a packet comes, which `advance` then comes to. There may be none.
  ///
  /// Throws as `advance` does. Those handed over before are done with, and so is what `advance` found.
  public mutating func passOn(_ body: (Packet, RawSpan) -> Bool) throws(CaptureError) {
    current.withdraw()
    do throws(CaptureError) {
      try reader?.passOn(body)
    } catch let error {
      close()
      if !isNoDamage(error) { throw error }
    }
  }

  /// Lends the packet that `advance` found. Its octets are valid during the call only.
  @inlinable @inline(__always)
  public borrowing func withPacket(_ body: (Packet, RawSpan) -> Void) { current.withPacket(body) }

  /// Opens the next capture.
  private mutating func open() throws(CaptureError) -> PacketStep {
    guard position < paths.count, !waiting.isStopped else { return .end }
    position += 1
    var next: CaptureReader
    do throws(CaptureError) {
      next = try CaptureReader(
        path: paths[position - 1], filter: filter, waiting: waiting, files: files, origins: origins,
        readsAhead: readsAhead)
    } catch let error {
      if isNoDamage(error) { return .end }
      throw error
    }
    let first: Int64?
    do throws(CaptureError) {
      first = try next.firstTimestamp()
    } catch let error {
      reader = consume next
      close()
      if isNoDamage(error) { return .end }
      throw error
    }
    // The first packet has been read ahead. A time that passed before it is told with it, not before the capture: it is none of
    // the capture before this one.
    next.moveEvents(to: &news, onlyRecords: true)
    firstTimestamp = first
    reader = consume next
    return .capture(continues: continues(at: first))
  }

  /// Whether it is only that the reading was stopped before the end of what is being written.
  private func isNoDamage(_ error: CaptureError) -> Bool {
    guard waiting.isStopped else { return false }
    return switch error.problem {
    case .cut, .compressionCut, .notACapture: true
    default: false
    }
  }

  /// Whether a capture that begins at `first` continues what was read before.
  private func continues(at first: Int64?) -> Bool {
    guard let lastTimestamp else { return false }
    // A capture without packets separates nothing.
    guard let first else { return true }
    let (limit, overflow) = lastTimestamp.subtractingReportingOverflow(Self.overlap)
    return overflow || first >= limit
  }

  /// Keeps what the current capture told, and lets go of it.
  private mutating func close() {
    reader?.moveEvents(to: &news)
    octetsReadBefore = octetsRead
    droppedBefore = dropped
    if let reader = reader.take() {
      lastTimestamp = reader.lastTimestamp ?? lastTimestamp
    }
  }
}

extension CaptureSeries {
  /// What errors call the current capture; nil between captures.
  public var name: String? {
    switch reader {
    case .some(let reader): reader.name
    case nil: nil
    }
  }

  /// The path of the current capture, or of the last one.
  public var path: String { paths[max(position - 1, 0)] }

  /// Whether a path is that of a stream, which can be read once only: standard input or a FIFO.
  public static func isStream(_ path: String) -> Bool { FileInput.kind(path) == .stream }

  /// Octets read from all captures so far, compressed ones where they are compressed.
  public var octetsRead: Int {
    switch reader {
    case .some(let reader): octetsReadBefore + reader.octetsRead
    case nil: octetsReadBefore
    }
  }

  /// Packets that the capturing machines say they lost, up to here; nil if no capture says.
  public var dropped: UInt64? {
    switch reader {
    case .some(let reader): reader.dropped.map { $0.addingSaturated(droppedBefore ?? 0) } ?? droppedBefore
    case nil: droppedBefore
    }
  }

  /// Takes what the captures said since the last call, before the packet, the start of a capture or the end that `advance` came
  /// to: first names, secrets and descriptions in the order of the files, then the latest number of lost packets and the latest
  /// time.
  ///
  /// What waits is bounded (`CaptureLimits`): whoever never calls this loses events, and no memory.
  @inline(__always)
  public mutating func takeEvents() -> [CaptureEvent] { news.isEmpty ? [] : takeAllEvents() }

  @inline(never)
  private mutating func takeAllEvents() -> [CaptureEvent] { news.take(dropped: dropped) }
}
