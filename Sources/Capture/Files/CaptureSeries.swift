import Packets

/// Several captures read as one, in the order of time.
///
/// Files are put in the order of their first packets; a stream (standard input, a FIFO) cannot be looked at ahead, and
/// keeps its place in the list. Files without a packet, or that cannot be opened, come after the others. Read with
/// ```
/// while true {
///   do {
///     switch try series.advance() {
///     case .capture(let continues): if !continues { … }
///     case .packet: series.withPacket { packet, octets in … }
///     case .end: return
///     }
///   } catch { … }
/// }
/// ```
public struct CaptureSeries: ~Copyable {
  /// What `advance` came to.
  public enum Step: Equatable, Sendable {
    /// A packet, which `withPacket` lends.
    case packet
    /// The start of the next capture, before its first packet. If it continues, its packets follow those before, as
    /// those of files that were rotated do; if not, connections do not reach from the one into the other. The first
    /// capture does not continue.
    case capture(continues: Bool)
    /// The end of all captures.
    case end
  }

  /// How much earlier than the last packet of one capture the first of the next may be for that to be a continuation,
  /// in nanoseconds: packets of several queues are not written quite in order.
  public static let overlap: Int64 = 1_000_000_000

  /// Paths in the order in which they are read.
  public let paths: [String]
  /// Octets of all captures together; nil if there is a stream among them.
  public let size: Int?

  private let filter: PacketFilter?
  private let waiting: Waiting
  /// Captures that were opened so far, or could not be.
  private var position = 0
  private var reader: CaptureReader?
  private let files = RereadableFiles()
  private let readsAhead: Bool
  /// Reads octets of packets again that have a place.
  public var capturedOctets: any CapturedOctets { files }
  /// The reader's packet.
  @usableFromInline private(set) var current = LentPacket()
  /// Capture time of the last packet of the captures that have ended.
  private var lastTimestamp: Int64?
  private var octetsReadBefore = 0
  private var droppedBefore: UInt64?
  /// What the captures said until the last step of the time at which they still went on, not taken yet.
  private var passedTime: Int64?
  /// Names of captures that have ended, not taken yet.
  private var namesBefore: [NameRecord] = []
  /// Whether there are names to take: asked for after each packet.
  private var hasNames = false

  /// Looks at each file's first packet. Nothing is thrown here: a file that cannot be read throws when its turn comes.
  ///
  /// Once the stop of `waiting` was called, the end of all captures comes within a few tenths of a second. With `readsAhead`, a
  /// thread of its own reads from the files.
  public init(
    paths: [String], filter: PacketFilter? = nil, waiting: Waiting = Waiting(), readsAhead: Bool = false
  ) {
    self.readsAhead = readsAhead
    self.paths = Self.ordered(paths)
    self.filter = filter
    self.waiting = waiting
    // How long a file will be that grows, nobody knows.
    size = paths.reduce(waiting.follows ? nil : 0) { sum, path in
      switch FileInput.kind(path) {
      case .file(let size): sum.map { $0 + size }
      case .stream: nil
      case .unreadable: sum
      }
    }
  }

  /// Goes on to the next packet, the next capture or the end.
  ///
  /// Throws what opening and reading the current capture throws. The next call then goes on with the next capture.
  public mutating func advance() throws(CaptureError) -> Step {
    current.withdraw()
    do throws(CaptureError) {
      if let next = try reader?.advanceToPacket() {
        current = next.packet
        if next.hasNews { noteNews() }
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
  public borrowing func withPacket<Result, Failure: Error>(
    _ body: (Packet, RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try current.withPacket(body)
  }

  /// Opens the next capture.
  private mutating func open() throws(CaptureError) -> Step {
    guard position < paths.count, !waiting.isStopped else { return .end }
    position += 1
    var next: CaptureReader
    do throws(CaptureError) {
      next = try CaptureReader(
        path: paths[position - 1], filter: filter, waiting: waiting, files: files, readsAhead: readsAhead)
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
    reader = consume next
    hasNames = true
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

  /// Takes note of what the capture said before the packet that is lent: the first one of a capture is read ahead.
  @inline(never)
  private mutating func noteNews() {
    hasNames = true
    notePassedTime()
  }

  private mutating func notePassedTime() {
    if let time = reader?.takePassedTime() { passedTime = max(passedTime ?? time, time) }
  }

  /// Keeps what the current capture told, and lets go of it.
  private mutating func close() {
    notePassedTime()
    octetsReadBefore = octetsRead
    droppedBefore = dropped
    namesBefore = takeAllNames()
    hasNames = !namesBefore.isEmpty
    if let reader = reader.take() { lastTimestamp = reader.lastTimestamp ?? lastTimestamp }
  }

  /// Puts files in the order of their first packets, and leaves streams where they are.
  private static func ordered(_ paths: [String]) -> [String] {
    let files = paths.filter { FileInput.kind($0) != .stream }
    guard files.count > 1 else { return paths }
    let keyed = files.enumerated().map { (index: $0, path: $1, first: firstTimestamp(of: $1) ?? .max) }
    var sorted = keyed.sorted { ($0.first, $0.index) < ($1.first, $1.index) }.map(\.path).makeIterator()
    return paths.map { FileInput.kind($0) == .stream ? $0 : sorted.next() ?? $0 }
  }

  private static func firstTimestamp(of path: String) -> Int64? {
    // A small buffer: each file is read only as far as its first packet.
    guard var reader = try? CaptureReader(path: path, filter: nil, bufferCapacity: 64 << 10) else { return nil }
    return (try? reader.firstTimestamp()) ?? nil
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

  /// Takes the latest time, in nanoseconds since the Unix epoch, at which the capturing machine says that it was still
  /// capturing, before the packet, the start of a capture or the end that `advance` came to; nil if none said so since
  /// the last call.
  @inline(__always)
  public mutating func takePassedTime() -> Int64? {
    guard passedTime != nil else { return nil }
    return passedTime.take()
  }

  /// Takes the names that the captures gave for addresses since the last call, which may be after their end.
  @inline(__always)
  public mutating func takeNames() -> [NameRecord] { hasNames ? takeAllNames() : [] }

  @inline(never)
  private mutating func takeAllNames() -> [NameRecord] {
    hasNames = false
    defer { namesBefore = [] }
    return namesBefore + (reader?.takeNames() ?? [])
  }
}
