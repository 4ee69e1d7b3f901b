import Packets

/// The streams of one connection that carries many messages at once: HTTP/2 (RFC 9113 §5) and HTTP/3 (RFC 9114 §6).
///
/// A session reads frames, and tells here which message begins, gets fields or content, and ends. The state of a message:
/// ```
/// idle ─► fields ─► content ─► (trailers) ─► ended
///   └─── interim ◄──┘
/// ```
/// Ended messages still take charges for a while (`ended`), and then become final rows.
struct MultiplexedStreams {
  /// The version in rows.
  let version: [UInt8]
  let isHTTP3: Bool
  /// The durations of the connection's opening, until the first exchange takes them.
  var opening: ConnectionOpening
  /// The streams by slot, including streams that are over while a row of theirs is not final.
  var list: [MultiplexedStream] = []
  private var freeSlots: [Int32] = []
  /// The slots of streams that are not over, by their keys.
  private var slots = StreamSlots()
  /// The one that was last looked up. Most frames belong to the stream of the frame before.
  private var found: (id: UInt64, slot: Int) = (.max, 0)
  /// The next slot to give up when there are too many streams.
  private var nextVictim = 0
  /// Messages of each side that have ended and still take charges, in order of their ends.
  var ended = Sides<IndexRing<MessageReference>>(repeating: IndexRing())
  /// The side that sends requests; nil while unknown.
  @OptionalSide var requestSide: Side? = nil
  /// The side that the first final message called the client.
  @OptionalSide var namedClient: Side? = nil
  /// Octets of control frames for messages that each side has not begun, by their stream.
  var awaited = Sides<[UInt64: Int]>(repeating: [:])
  /// The number of times that the framing of all streams of a side was lost.
  var losses = Sides<Int>(repeating: 0)
  /// The offers of frames for a host, oldest first (RFC 7838 §4). They hold for its later requests, too.
  var offers: [(host: [UInt8], services: AlternativeServices)] = []
  /// The tunnels in streams; nil without one.
  var tunnels: OwnMemory<StreamTunnels>?

  init(_ opening: ConnectionOpening, version: String, isHTTP3: Bool) {
    self.opening = opening
    self.version = Array(version.utf8)
    self.isHTTP3 = isHTTP3
  }

  /// The stream in a slot.
  subscript(slot: Int) -> MultiplexedStream {
    @inline(__always) _read { yield list[slot] }
    @inline(__always) _modify { yield &list[slot] }
  }

  var indices: Range<Int> { list.indices }

  /// The slot of a stream that is not over.
  @inline(__always)
  mutating func slot(of id: UInt64) -> Int? {
    if found.id == id { return found.slot }
    guard let slot = search(id) else { return nil }
    found = (id, slot)
    return slot
  }

  /// It changes nothing, so that nothing is retained for the search.
  private func search(_ id: UInt64) -> Int? { slots.slot(of: id) { list[$0].id } }

  /// Whether a stream is known, and not over.
  func contains(_ id: UInt64) -> Bool { found.id == id || search(id) != nil }

  /// Octets of memory on the heap, without the tunnels, which count themselves.
  @inline(__always)
  var memory: Int {
    list.capacity * (MemoryLayout<MultiplexedStream>.stride + 4) + slots.memory
      + ended.look(0) { $0.memory } + ended.look(1) { $0.memory }
      + 16 * (awaited.look(0) { $0.capacity } + awaited.look(1) { $0.capacity })
  }

  // MARK: Streams

  /// Opens the stream with a key, and its exchange. Returns its slot. Its number in reports may be known only later.
  mutating func open(_ id: UInt64, number: UInt64?, at time: Int64, _ run: inout Run) -> Int {
    if slots.count >= run.configuration.streamLimit {
      run.note(isHTTP3 ? .http3StreamsFull : .http2StreamsFull)
      giveUpStream(&run)
    }
    var open = OpenExchange()
    open.exchange.number = run.numbers.nextExchange()
    open.exchange.connection = run.connection.number
    open.exchange.stream = number
    open.exchange.started = time
    open.exchange.pairing = .unknown
    open.exchange.timings.connect = opening.connectDuration
    open.exchange.timings.dns = opening.lookupDuration
    open.exchange.timings.tls = run.connection.beneath.handshake
    run.connection.beneath.handshake = nil
    opening.connectDuration = nil
    opening.lookupDuration = nil
    let exchange = RowIndex(run.rows.exchanges.insert(open))
    return insert(MultiplexedStream(id: id, number: number, exchange: exchange))
  }

  /// Puts a stream into a free slot, or at the end. Returns its slot.
  mutating func insert(_ stream: consuming MultiplexedStream) -> Int {
    let slot: Int
    if let reused = freeSlots.popLast() {
      slot = Int(reused)
      list[slot] = stream
    } else {
      slot = list.count
      list.append(stream)
    }
    slots.insert(list[slot].id, at: slot)
    found = (list[slot].id, slot)
    return slot
  }

  /// Closes a stream that has waited for long, because there are too many streams.
  private mutating func giveUpStream(_ run: inout Run) {
    for _ in list.indices {
      nextVictim = nextVictim + 1 < list.count ? nextVictim + 1 : 0
      guard list[nextVictim].exchange >= 0, !list[nextVictim].isClosed else { continue }
      let slot = nextVictim
      for side in 0..<2 where list[slot].halves[side].isInProgress {
        run.rows[message: list[slot].halves[side].message.row].flags.insert(.evicted)
        endMessage(slot, side, .incomplete, &run)
      }
      if list[slot].exchange >= 0, !list[slot].isClosed { over(slot, &run) }
      return
    }
  }

  /// Frees the number of a stream.
  mutating func forget(_ slot: Int) {
    let id = list[slot].id
    guard self.slot(of: id) == slot else { return }
    slots.remove(id, from: slot)
    found.id = .max
  }

  /// Frees the slot of a stream whose rows are final.
  mutating func free(_ slot: Int) {
    list[slot].exchange = -1
    freeSlots.append(Int32(slot))
  }

  // MARK: All messages

  /// Notes that the connection is given up, although its messages may go on.
  mutating func evict(_ run: inout Run) {
    for slot in list.indices {
      for side in 0..<2 where list[slot].halves[side].isInProgress {
        run.rows[message: list[slot].halves[side].message.row].flags.insert(.evicted)
      }
    }
    forEachTunnel(&run) { tunnel, run in tunnel.reader.evict(&run) }
  }

  /// Calls `body` with the row of each message that is not final yet, and with whether it is in progress.
  func forEachOpenMessage(_ body: (RowIndex, _ isInProgress: Bool) -> Void) {
    for stream in list {
      for side in 0..<2 where stream.halves[side].isInProgress { body(stream.halves[side].message.row, true) }
    }
    for side in 0..<2 {
      ended.look(side) { rows in
        for index in 0..<rows.count where !rows[index].isNone { body(rows[index].row, false) }
      }
    }
    guard let tunnels else { return }
    for tunnel in tunnels.value.open.values { tunnel.value.reader.forEachOpenMessage(body) }
  }

  /// Makes every ended message final, although charges may still come, because there are too many rows.
  mutating func retireEnded(_ run: inout Run) {
    for side in 0..<2 { retire(side, keeping: 0, &run) }
    forEachTunnel(&run) { tunnel, run in tunnel.reader.retireEnded(&run) }
  }
}

/// A stream (RFC 9113 §5): a request with its responses. Its frames come between frames of other streams.
struct MultiplexedStream {
  /// Its key among the streams of its connection: its number on the wire, or one beyond all numbers.
  var id: UInt64
  /// Its number in reports; nil if it has none.
  var number: UInt64?
  /// The row of its exchange.
  var exchange: RowIndex
  /// The messages that each side sends on it.
  var halves = Sides(StreamHalf(), StreamHalf())
  /// Whether CONNECT opened it, and no octet of its tunnel has come.
  var opensConnection = false
  /// Whether CONNECT opened it with a protocol (RFC 8441, RFC 9220). The octets of its tunnel belong to its messages.
  var isExtended = false
  /// Whether a side has reset it.
  var isReset = false
  /// Whether it was reset, and octets of the other side may have been on the way.
  var isAwaited = false
  /// Whether no more frames of it are expected. It then lasts as long as its rows.
  var isClosed = false
  /// Whether a row of it is final.
  var hasFinalMessage = false

  init(id: UInt64, number: UInt64?, exchange: RowIndex) {
    self.id = id
    self.number = number
    self.exchange = exchange
  }
}

/// One side's half of a stream: field section, content, field section.
struct StreamHalf {
  enum State: UInt8 {
    /// Before the first octet, or after interim responses.
    case idle
    /// Before the end of the first field section.
    case fields
    /// Before the end of the stream, or trailer fields.
    case content
    /// In the field section after the content.
    case trailers
    /// After the end.
    case ended

    /// Whether a message is in progress.
    var isInProgress: Bool { self == .fields || self == .content || self == .trailers }
  }

  var state = State.idle
  /// The current message, or the last one.
  var message = MessageReference.none
  /// Whether some of its octets may be unknown.
  var isLossy = false
  /// The number of times that framing had been lost on its side when it started.
  var losses = 0
  /// Whether its content is a tunnel (RFC 9113 §8.5).
  var isTunnel = false
  /// Whether its content may be a tunnel, because its request is unknown.
  var mayBeTunnel = false
  /// Whether its status is unknown, so that it may be an interim response.
  var isStatusUnknown = false
  /// Whether fields about the coding of its content are unknown.
  var hasUnknownFields = false
  /// The length of its content by Content-Length; -1 without one number.
  var contentLength = -1
  /// Octets of its field sections that were never captured.
  var missingFields = 0
  /// The decoding of its content.
  var content = OpenContent()

  /// Whether a message is in progress.
  var isInProgress: Bool { state.isInProgress }
}
