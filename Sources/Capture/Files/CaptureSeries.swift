import Packets

/// Several captures read as one, in the order of time.
///
/// Files are put in the order of their first packets. A stream (standard input, a FIFO) cannot be read in advance, and keeps its
/// place in the list. Files that have no packet, or cannot be opened, come last.
public struct CaptureSeries: PacketSequence, ~Copyable {
  /// Nanoseconds by which the first packet of a capture may precede the last packet of the capture before it, for a continuation.
  /// Packets of several queues are not written quite in order.
  public static let overlap: Int64 = 1_000_000_000

  /// Paths in the order in which they are read.
  public let paths: [String]
  /// Octets of all captures together; nil if one is a stream.
  public let size: Int?
  /// 0, because captures come one after the other.
  public var capture: Int { 0 }

  private let filter: PacketFilter?
  private let waiting: Waiting
  /// The number of captures that were opened so far, or could not be.
  private var position = 0
  private var reader: CaptureReader?
  private let files = RereadableFiles()
  /// The numbers for the captures' descriptions.
  private let origins = OwnMemory(OriginTable())
  private let readsAhead: Bool
  /// Reads octets of packets again, if their captures can be read again.
  public var capturedOctets: any CapturedOctets { files }
  /// The reader's packet.
  @usableFromInline private(set) var current = LentPacket()
  /// Capture time of the last packet of the latest capture that ended, in nanoseconds since the Unix epoch; nil before that.
  public private(set) var lastTimestamp: Int64?
  /// Capture time of the first packet of the current capture, in nanoseconds since the Unix epoch; nil without one.
  public private(set) var firstTimestamp: Int64?
  private var octetsReadBefore = 0
  private var droppedBefore: UInt64?
  /// The captures' events until the last step that are not taken yet.
  private var news = PendingEvents()

  /// Reads each file's first packet. Nothing is thrown here: an unreadable file throws in its turn.
  ///
  /// After a call of `waiting`'s stop, the end of all captures comes within a few tenths of a second. With `readsAhead`, a thread
  /// of its own reads from the files.
  public init(
    paths: [String], filter: PacketFilter? = nil, waiting: Waiting = Waiting(), readsAhead: Bool = false
  ) {
    self.readsAhead = readsAhead
    self.paths = CaptureOrder.ordered(paths)
    self.filter = filter
    self.waiting = waiting
    // The final length of a file that grows is unknown.
    size = waiting.follows ? nil : CaptureOrder.size(paths)
  }

  /// Moves to the next packet, the next capture or the end.
  ///
  /// Throws the errors of opening and reading the current capture. The next call continues with the next capture.
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

  /// Hands over the packets after the one that `advance` found, without a step for each. It ends when `body` returns false, or at
  /// a step other than a packet, which `advance` then returns. There may be no packets.
  ///
  /// Throws as `advance` does. The packets that were handed over, and the one that `advance` found, are no longer available.
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
    // The first packet is already read. A time that passed before it becomes known with that packet, because it is not a time of
    // the capture before.
    next.moveEvents(to: &news, onlyRecords: true)
    firstTimestamp = first
    reader = consume next
    return .capture(continues: continues(at: first))
  }

  /// Whether the error only means that reading was stopped before the end of a file that is being written.
  private func isNoDamage(_ error: CaptureError) -> Bool {
    guard waiting.isStopped else { return false }
    return switch error.problem {
    case .cut, .zeros, .compressionCut, .notACapture: true
    default: false
    }
  }

  /// Whether a capture that begins at `first` continues the one before.
  private func continues(at first: Int64?) -> Bool {
    guard let lastTimestamp else { return false }
    // A capture without packets separates nothing.
    guard let first else { return true }
    let (limit, overflow) = lastTimestamp.subtractingReportingOverflow(Self.overlap)
    return overflow || first >= limit
  }

  /// Keeps the events of the current capture, and releases it.
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
  /// The current capture's name in errors; nil between captures.
  public var name: String? {
    switch reader {
    case .some(let reader): reader.name
    case nil: nil
    }
  }

  /// The path of the current capture, or of the last one.
  public var path: String { paths[max(position - 1, 0)] }

  /// Whether a path leads to a stream, which can be read only once: standard input or a FIFO.
  public static func isStream(_ path: String) -> Bool { FileInput.kind(path) == .stream }

  /// Octets read from all captures so far, before decompression.
  public var octetsRead: Int {
    switch reader {
    case .some(let reader): octetsReadBefore + reader.octetsRead
    case nil: octetsReadBefore
    }
  }

  /// Packets that the capturing machines reported as lost, up to here; nil if no capture has the figure.
  public var dropped: UInt64? {
    switch reader {
    case .some(let reader): reader.dropped.map { $0.addingSaturated(droppedBefore ?? 0) } ?? droppedBefore
    case nil: droppedBefore
    }
  }

  /// Removes and returns the events since the last call: those before the packet, the capture or the end that `advance` found.
  /// Names, secrets and descriptions come first, in the order of the files. The latest number of lost packets and the latest time
  /// follow.
  ///
  /// The number of waiting events is limited (`CaptureLimits`). Without any call, events are lost, but memory stays bounded.
  @inline(__always)
  public mutating func takeEvents() -> [CaptureEvent] { news.isEmpty ? [] : takeAllEvents() }

  @inline(never)
  private mutating func takeAllEvents() -> [CaptureEvent] { news.take(dropped: dropped) }
}
