import Packets

/// A connection of HTTP/2 (RFC 9113): the frames of both sides, and the messages on their streams.
///
/// It can begin with the client's preface, after HTTP/1's `Upgrade: h2c`, or anywhere. In the last case it first looks for
/// frames. It reads the application's octets over any transport.
struct HTTP2Session {
  /// The streams and their messages.
  var streams: MultiplexedStreams
  let readers = OwnPair(FrameReader(), FrameReader())
  /// The decoders for each side's field blocks.
  let decoders: Sides<OwnMemory<HPACKDecoder>>
  /// The settings that each side announces for its own reading.
  var settings = Sides<HTTP2Settings>(repeating: HTTP2Settings())
  /// The owners of the latest octets of each side.
  var owners = Sides<Owners>(repeating: Owners())
  /// The message of the latest octets of each side that any message owns.
  var latest = Sides<MessageReference>(repeating: .none)
  /// The highest number of a stream that each side has opened.
  var highestStream = Sides<UInt32>(repeating: 0)
  /// Charges of packets whose message is still unknown, and ranges that were sent again with different content.
  var pending = PendingCharges()
  /// Streams that a side has reset, and on which octets of the other side may still come.
  var awaitedResets = IndexRing<UInt32>()
  /// The number of streams that the client has reset before any octet of the response came.
  var unansweredResets = 0
  /// Anomalies that were counted once, and are not counted again.
  var noted: Floods = []
  /// The payload so far of the server's ALTSVC frame.
  var offer: [UInt8] = []
  private var counted = 0
  /// The capture time of the latest packet with octets of either side.
  private var lastArrival: Int64 = 0

  /// Anomalies that can come without end.
  struct Floods: OptionSet {
    let rawValue: UInt8
    static let resets = Floods(rawValue: 1 << 0)
    static let pings = Floods(rawValue: 1 << 1)
    static let settings = Floods(rawValue: 1 << 2)
    static let emptyFrames = Floods(rawValue: 1 << 3)
  }

  /// Starts reading a connection with this opening.
  init(_ opening: ConnectionOpening, _ run: inout Run) {
    streams = MultiplexedStreams(opening, version: "HTTP/2", isHTTP3: false)
    let limit = run.configuration.dynamicTableLimit
    let familiar = run.familiar.strings
    decoders = Sides(
      OwnMemory(HPACKDecoder(isComplete: true, keptLimit: limit, familiar: familiar)),
      OwnMemory(HPACKDecoder(isComplete: true, keptLimit: limit, familiar: familiar)))
    count(&run)
  }

  /// Continues after HTTP/1. The request there is stream 1 (RFC 7540 §3.2).
  init(_ upgrade: HTTP2Upgrade, _ run: inout Run) {
    self.init(ConnectionOpening(isSeen: true), &run)
    streams.requestSide = upgrade.requestSide
    streams.namedClient = upgrade.namedClient
    var stream = MultiplexedStream(id: 1, number: 1, exchange: upgrade.exchange)
    stream.halves[upgrade.requestSide].state = .ended
    run.rows.exchanges[Int(upgrade.exchange)].exchange.stream = 1
    let hasRequest = run.rows.exchanges.look(Int(upgrade.exchange)) { $0.exchange.request != nil }
    run.rows.exchanges[Int(upgrade.exchange)].isRequestKnown = hasRequest
    _ = streams.insert(stream)
    highestStream[upgrade.requestSide] = 1
    // The answer 101 has acknowledged the settings.
    if let size = upgrade.tableSize { decoders[1 - upgrade.requestSide].value.allow(size: size) }
    if let lost = upgrade.lostAnswer {
      // Frames may have been lost with the answer.
      run.read(1 - upgrade.requestSide)
      loseFraming(gap: lost, &run)
    }
    count(&run)
  }

  mutating func connected(after duration: Int64) { streams.opening.connectDuration = duration }

  /// The side that sends requests; nil while unknown.
  var requestSide: Side? { streams.requestSide }

  /// The needs of the session.
  var needs: StreamNeeds {
    var needs: StreamNeeds = []
    for side in 0..<2 where readers.look(side, { $0.expectsMore }) { needs.insert(.more(side)) }
    return needs
  }

  // MARK: Octets

  private mutating func begin(_ side: Side, at position: StreamPosition) {
    guard readers.look(side, { $0.position == .unknown }) else { return }
    readers[side].position = position
    owners[side].begin(at: position)
  }

  mutating func receive(
    _ side: Side, _ octets: RawSpan, at position: StreamPosition, _ arrival: SegmentArrival, _ run: inout Run
  ) -> Taken {
    begin(side, at: position)
    run.read(side)
    run.arrival = arrival
    lastArrival = arrival.time
    read(octets, &run)
    charge(position..<position + octets.byteCount, arrival.overhead, to: side, &run)
    settle(side, &run)
    return Taken(count: octets.byteCount, needs: needs)
  }

  mutating func skipUnseen(
    _ side: Side, _ count: Int, at position: StreamPosition, _ arrival: SegmentArrival, _ run: inout Run
  ) -> StreamNeeds {
    begin(side, at: position)
    run.read(side)
    run.arrival = arrival
    lastArrival = arrival.time
    skip(count, isInPacket: true, &run)
    charge(position..<position + count, arrival.overhead, to: side, &run)
    settle(side, &run)
    return needs
  }

  mutating func skipMissing(
    _ side: Side, _ count: Int, at position: StreamPosition, _ run: inout Run
  ) -> StreamNeeds {
    begin(side, at: position)
    run.read(side)
    run.arrival.time = lastArrival
    skip(count, isInPacket: false, &run)
    settle(side, &run)
    return needs
  }

  mutating func finish(_ side: Side, isComplete: Bool, _ run: inout Run) -> StreamNeeds {
    guard readers.look(side, { $0.position != .unknown }) else { return needs }
    run.read(side)
    run.arrival.time = lastArrival
    endReading(&run)
    for slot in streams.indices where streams[slot].exchange >= 0 && streams[slot].halves[side].isInProgress {
      streams.endUnfinished(slot, side, &run)
    }
    settle(side, &run)
    return needs
  }

  /// Returns the needs. HTTP/2 never waits for the other side.
  func stopWaiting(_ side: Side) -> StreamNeeds { needs }

  /// Gives up the connection and its messages in progress, although they may go on.
  mutating func evict(_ run: inout Run) {
    streams.evict(&run)
  }

  mutating func close(_ run: inout Run) -> SessionEnd {
    for side in 0..<2 { settlePending(side, through: .never, &run) }
    streams.finishAll(&run)
    var end = known
    if let found = streams.closeTunnels(&run) { (end.security, end.unopened) = (found.security, found.unopened) }
    run.connectionMemory -= counted
    counted = 0
    return end
  }

  /// The known facts about the connection so far.
  var known: SessionEnd {
    SessionEnd(client: streams.namedClient, requestSide: requestSide, applicationProtocol: .http2)
  }

  /// Calls `body` with the row of each message that is not final yet, and with whether it is in progress.
  func forEachOpenMessage(_ body: (RowIndex, _ isInProgress: Bool) -> Void) {
    streams.forEachOpenMessage(body)
  }

  /// Makes every ended message final, although charges may still come, because there are too many rows.
  mutating func retireEnded(_ run: inout Run) {
    streams.retireEnded(&run)
    count(&run)
  }

  // MARK: Charges

  /// Charges a packet with new octets to the owner of the first owned octet (MEASURES §6).
  private mutating func charge(
    _ range: Range<StreamPosition>, _ overhead: Int, to side: Side, _ run: inout Run
  ) {
    guard overhead > 0 else { return }
    take(
      Charge(position: range.lowerBound, retransmitted: 0, overhead: overhead, length: range.count), of: side, &run)
  }

  mutating func charge(_ charge: Charge, to side: Side, _ run: inout Run) {
    if !charge.isEmpty { take(charge, of: side, &run) }
  }

  private mutating func take(_ charge: Charge, of side: Side, _ run: inout Run) {
    let isKnown =
      charge.end <= readers.look(side) { $0.settledPosition }
      || charge.retransmitted == 0 && !owners.look(side) { $0.firstOwner(in: charge.range) }.isNone
    if !isKnown, pending.keep(charge, of: side, run) { return }
    settle(charge, of: side, &run)
  }

  @inline(__always)
  private mutating func settle(_ charge: Charge, of side: Side, _ run: inout Run) {
    streams.settle(charge, owners[side], of: side, &run)
  }

  @inline(__always)
  private mutating func settle(_ side: Side, _ run: inout Run) {
    if !pending.isEmpty { settlePending(side, through: readers.look(side) { $0.settledPosition }, &run) }
    count(&run)
  }

  @inline(never)
  private mutating func settlePending(_ side: Side, through settled: StreamPosition, _ run: inout Run) {
    for charge in pending.takeCharges(side, where: { $0.end <= settled }) { settle(charge, of: side, &run) }
    for range in pending.takeConflicts(side, where: { $0.upperBound <= settled }) { flag(range, of: side, &run) }
  }

  /// Charges a segment without payload to the owner of the latest octets of the side that it acknowledges.
  mutating func chargeAcknowledgment(_ overhead: Int, to side: Side, _ run: inout Run) {
    run.connection.added.unattributed += latest[side].chargeAcknowledgment(overhead, &run.rows)
  }

  mutating func flagConflict(_ range: Range<StreamPosition>, on side: Side, _ run: inout Run) {
    let isKnown = range.upperBound <= readers.look(side) { $0.settledPosition }
    if !isKnown, pending.keep(range, of: side) { return count(&run) }
    flag(range, of: side, &run)
  }

  private mutating func flag(_ range: Range<StreamPosition>, of side: Side, _ run: inout Run) {
    streams.flag(range, owners[side], of: side, &run)
  }

  /// Takes octets of a gap that come after it was given up. Their owners count them, but they are not read.
  mutating func acceptLate(_ range: Range<StreamPosition>, on side: Side, _ run: inout Run) {
    streams.acceptLate(range, owners[side], on: side, &run)
  }

  // MARK: Secrets

  /// Uses new secrets. Returns the session's needs; nil when no record waited for secrets.
  mutating func lookForSecrets(_ run: inout Run) -> StreamNeeds? { streams.lookForSecrets(&run) ? needs : nil }

  /// Whether records in tunnels wait for secrets.
  var waitsForSecrets: Bool { streams.waitsForSecrets }

  // MARK: Memory

  /// Counts the session's memory.
  private mutating func count(_ run: inout Run) {
    var memory = MemoryLayout<HTTP2Session>.stride + 32 + 2 * (MemoryLayout<HPACKDecoder>.stride + 32)
    memory += OwnPair<FrameReader>.memory
    for side in 0..<2 {
      memory += decoders[side].look { $0.memory } + settings.look(side) { $0.memory } + owners.look(side) { $0.memory }
      memory += readers.look(side) { $0.block.octets.capacity }
    }
    memory += awaitedResets.memory + streams.memory + pending.memory
    guard memory != counted else { return }
    run.connectionMemory += memory - counted
    counted = memory
  }
}
