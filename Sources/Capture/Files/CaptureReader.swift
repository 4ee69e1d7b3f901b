import Packets

/// A capture file, FIFO or standard input, read once from start to end.
///
/// pcap and pcapng are read natively, plain or compressed with gzip or zstd; other formats through libpcap. Nothing is
/// allocated per packet. Read with
/// ```
/// while try reader.advance() {
///   for event in reader.takeEvents() { … }
///   try reader.withPacket { packet, octets in … }
/// }
/// ```
public struct CaptureReader: ~Copyable {
  /// The file's name in errors: its path as given, or `standard input`.
  public let name: String
  /// The packet for `withPacket`.
  @usableFromInline private(set) var current = LentPacket()

  private var window: OctetWindow
  private let file: FileInput
  private let compression: Compression?
  private let format: CaptureFormat
  /// The state of pcapng; unused in other formats.
  private var pcapng: PcapngBlocks
  private var filter: FilterPrograms?
  /// The file's number among the files that can be read again; nil when it cannot.
  private let number: Int32?
  /// Whether a packet was read early, for its time, and is still to be handed over.
  private var isAhead = false
  /// Capture time of the first packet, whether it passes the filter or not; nil before.
  private var first: Int64?

  /// Capture time of the last packet, in nanoseconds since the Unix epoch, whether it passes the filter or not. Nil before the
  /// first.
  public var lastTimestamp: Int64? { first == nil ? nil : current.packet.timestamp }

  /// Opens a capture; `-` is standard input. Only packets that pass the filter are handed over.
  ///
  /// Throws when the file cannot be opened or read, is not a capture, or ends within its file header.
  ///
  /// With `waiting`, a plain pcap or pcapng file that grows can be followed.
  public init(path: String, filter: PacketFilter? = nil, waiting: Waiting = Waiting()) throws(CaptureError) {
    try self.init(path: path, filter: filter, bufferCapacity: OctetWindow.defaultCapacity, waiting: waiting)
  }

  package init(
    path: String, filter: PacketFilter?, bufferCapacity: Int, waiting: Waiting = Waiting()
  ) throws(CaptureError) {
    try self.init(
      path: path, filter: filter, bufferCapacity: bufferCapacity, waiting: waiting, files: nil,
      origins: OwnMemory(OriginTable()), zstd: ZstdMemory())
  }

  /// Opens a capture of a series. It adds the file to `files`, so that octets of its packets can be read again, and its
  /// descriptions to `origins`. With `readsAhead`, a thread of its own reads from the file. Captures that are open at once share
  /// `zstd`.
  init(
    path: String, filter: PacketFilter?, waiting: Waiting, files: RereadableFiles, origins: OwnMemory<OriginTable>,
    bufferCapacity: Int = OctetWindow.defaultCapacity, zstd: ZstdMemory = ZstdMemory(), readsAhead: Bool = false
  ) throws(CaptureError) {
    try self.init(
      path: path, filter: filter, bufferCapacity: bufferCapacity, waiting: waiting, files: files, origins: origins,
      zstd: zstd)
    if readsAhead, !waiting.follows { readAhead() }
  }

  /// Hands over only packets of pcapng behind events, from here on.
  mutating func stepOverPackets() { pcapng.stepsOverPackets = true }

  /// Lets a thread of its own read from the file from here on. The file must not be followed.
  mutating func readAhead() {
    // A short file is not worth a thread. And a thread that waits for a pipe's writer could not be ended at a fault.
    if case .foreign = format { return }
    if let size = file.size, size > Self.leastReadAhead { window.readAhead() }
  }

  private static let leastReadAhead = 4 << 20

  private init(
    path: String, filter: PacketFilter?, bufferCapacity: Int, waiting: Waiting, files: RereadableFiles?,
    origins: OwnMemory<OriginTable>, zstd: ZstdMemory
  ) throws(CaptureError) {
    let file = try FileInput(path: path, waiting: waiting)
    let compression = Compression(try file.peek(Compression.magicLength))
    if waiting.follows, let compression {
      throw CaptureError(
        file: file.name, problem: .unsupported("following a file compressed with \(compression.rawValue)"))
    }
    var window = OctetWindow(
      source: try Compression.source(file, compression, zstd), name: file.name, isDecompressed: compression != nil,
      capacity: bufferCapacity)
    let format = try CaptureFormat(of: file, path: path, compression, follows: waiting.follows, in: &window)
    // The assignments come last: a value that cannot be copied cannot be left half initialized.
    name = file.name
    self.file = file
    self.compression = compression
    self.format = format
    pcapng = PcapngBlocks(origins: origins)
    if case .foreign = format {
      number = nil
    } else {
      number = compression == nil && file.isReopenable ? files?.add(file) : nil
    }
    if let filter, !filter.expression.isEmpty { self.filter = FilterPrograms(filter, file: file.name) }
    self.window = window
  }

  // MARK: Packets

  /// Reads up to the next packet that passes the filter; false at the end of the capture.
  ///
  /// Throws when the capture is damaged or ends within a packet, and when it cannot be read. It also throws when the filter has
  /// no meaning for the packet's link type. The packets before have been handed over, and no more can be read.
  public mutating func advance() throws(CaptureError) -> Bool { try readOn() }

  /// Hands over the next packets until `body` returns false, an event has to be taken before the next packet, or the capture
  /// ends. `advanceToPacket` then returns that packet or the end.
  ///
  /// Throws as `advance` does.
  mutating func passOn(_ body: (Packet, RawSpan) -> Bool) throws(CaptureError) {
    while try readOn() {
      if hasNews {
        isAhead = true
        return
      }
      guard current.withPacket(body) else { return }
    }
  }

  @inline(__always)
  private mutating func readOn() throws(CaptureError) -> Bool {
    while true {
      if isAhead {
        isAhead = false
      } else {
        guard try readPacket() else { return false }
      }
      if filter == nil { return true }
      if try passesFilter() { return true }
    }
  }

  /// The next packet that passes the filter; nil at the end. Its octets must be withdrawn before the next call.
  @inline(__always)
  mutating func advanceToPacket() throws(CaptureError) -> LentPacket? {
    try advance() ? current : nil
  }

  /// Lends the packet that `advance` found. Its octets are valid during the call only.
  @inlinable @inline(__always)
  public borrowing func withPacket<Result, Failure: Error>(
    _ body: (Packet, RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try current.withPacket(body)
  }

  /// Capture time of the first packet, in nanoseconds since the Unix epoch, whether it passes the filter or not. Nil without
  /// packets. Reads no further than that.
  public mutating func firstTimestamp() throws(CaptureError) -> Int64? {
    if first == nil { isAhead = try readPacket() }
    return first
  }

  @inline(__always)
  private mutating func readPacket() throws(CaptureError) -> Bool {
    current.withdraw()
    let found: Range<Int>?
    do throws(CaptureError) {
      switch format {
      case .pcap(let records): found = try records.next(in: &window, packet: &current.packet)
      case .pcapng: found = try pcapng.next(in: &window, packet: &current.packet)
      case .foreign(let capture): found = try capture.next(in: &window, packet: &current.packet)
      }
    } catch {
      throw explained(error)
    }
    guard let found else { return false }
    window.lend(found, to: &current)
    if let number {
      current.packet.captureOffset = CaptureOffset(capture: number, offset: window.sourceOffset(of: found.lowerBound))
    }
    if first == nil { first = current.packet.timestamp }
    return true
  }

  /// An error, or the reason for it that the octets show.
  @inline(never)
  private func explained(_ error: CaptureError) -> CaptureError {
    var error = error
    switch error.problem {
    case .anotherCapture:
      let commands = OtherFormat.commandsApart(file: name, compression, at: error.offset ?? 0)
      error.problem = .anotherCapture(commands: commands)
    case .cut, .nonsenseLength, .malformed:
      guard case .pcap(let records) = format,
        window.withRecentOctets(InsertedReturns.areBeforeAllLineFeeds),
        records.areFound(in: window.withOctets(0..<window.available, InsertedReturns.removed))
      else { return error }
      error.problem = .insertedReturns
    default: break
    }
    return error
  }

  private mutating func passesFilter() throws(CaptureError) -> Bool {
    do throws(CaptureError) {
      return try current.withPacket { packet, octets throws(CaptureError) in
        try filter?.matches(packet, octets) ?? true
      }
    } catch let error {
      current.withdraw()
      throw error
    }
  }

  // MARK: Events

  /// Whether there are events to take.
  @inline(__always)
  var hasNews: Bool { !pcapng.news.isEmpty }

  /// Removes and returns the events since the last call: those before the current packet, or up to the end. Names, secrets and
  /// descriptions come first, in the order of the file. The latest number of lost packets and the latest time follow.
  ///
  /// The number of waiting events is limited (`CaptureLimits`). Without any call, events are lost, but memory stays bounded.
  public mutating func takeEvents() -> [CaptureEvent] {
    hasNews ? pcapng.news.take(dropped: dropped) : []
  }

  /// Moves all events to `pending`; with `onlyRecords`, passed time and the number of lost packets stay.
  mutating func moveEvents(to pending: inout PendingEvents, onlyRecords: Bool = false) {
    if onlyRecords { pending.moveRecords(from: &pcapng.news) } else { pending.move(from: &pcapng.news) }
  }
}

extension CaptureReader {
  /// Octets read from the file so far, before decompression. A file that libpcap reads counts at once.
  public var octetsRead: Int {
    if case .foreign = format { file.size ?? 0 } else { file.octetsRead }
  }

  /// The file's length in octets when it was opened; nil for a stream.
  public var size: Int? { file.size }

  /// Packets that the capturing machine reported as lost, up to here; nil if the format or the file has no such figure.
  public var dropped: UInt64? { pcapng.dropped }

  /// The format in words, such as `pcap (nanoseconds, big-endian), gzip`.
  public var formatDescription: String {
    format.description + (compression.map { ", \($0.rawValue)" } ?? "")
  }
}
