import Packets

/// A subflow of Multipath TCP: it carries octets of a larger connection (RFC 8684 §3.3).
///
/// Its sides may be the other way round than the connection's, because either host may open it.
struct MultipathSubflow {
  let connection: OwnMemory<MultipathConnection>
  let isReversed: Bool
  /// Whether it began the connection.
  let isFirst: Bool
  private var mappings = Sides<MultipathMappings>(repeating: MultipathMappings())
  private var acknowledgments = Sides<DataAcknowledgments>(repeating: DataAcknowledgments())
  /// The position after each side's last octet that was delivered.
  private var ends = Sides<StreamPosition>(repeating: 0)
  private var counted = 0

  init(_ connection: OwnMemory<MultipathConnection>, isReversed: Bool, isFirst: Bool) {
    self.connection = connection
    self.isReversed = isReversed
    self.isFirst = isFirst
    connection.value.subflows += 1
    connection.value.silentSince = .max
  }

  /// The connection's side of a side of the subflow.
  func outer(_ side: Side) -> Side { isReversed ? 1 - side : side }

  private mutating func countMemory(_ run: inout Run) {
    let memory =
      MemoryLayout<MultipathSubflow>.stride + 32 + mappings.look(0) { $0.memory }
      + mappings.look(1) { $0.memory } + acknowledgments.look(0) { $0.memory } + acknowledgments.look(1) { $0.memory }
    run.connectionMemory += memory - counted
    counted = memory
  }

  /// Takes back the counted memory.
  mutating func release(_ run: inout Run) {
    run.connectionMemory -= counted
    counted = 0
  }

  // MARK: Options

  /// The segment that brought an option, in its subflow.
  struct Bringer {
    var side: Side
    /// The position of the side's first octet; nil while it is not known.
    var start: StreamPosition?
    /// The position of the segment's first octet.
    var position: StreamPosition
    /// The number of packets of the subflow, including this one.
    var ordinal: Int
  }

  /// Takes what a segment says about its octets. Returns false if the connection's numbers are not certain from now on.
  mutating func take(_ signal: MultipathOption.Signal, _ bringer: Bringer, _ run: inout Run) -> Bool {
    let side = outer(bringer.side)
    var isCertain = true
    connection.value.hasSignals = true
    connection.value.stream.streams[side].packets += 1
    if let number = signal.acknowledgment, let position = connection.value.position(of: number, 1 - side) {
      acknowledgments[bringer.side].note(position, ordinal: bringer.ordinal)
      connection.value.work(isReversed, &run) { $0.takeAcknowledgment(position, of: 1 - side, &$1) }
    }
    if let number = signal.sequence {
      isCertain = map(number, signal, bringer, side, &run)
    }
    countMemory(&run)
    return isCertain
  }

  private mutating func map(
    _ number: MultipathOption.Signal.Number, _ signal: MultipathOption.Signal, _ bringer: Bringer, _ side: Side,
    _ run: inout Run
  ) -> Bool {
    let isPlaced = bringer.start != nil && signal.subflowSequence != 0
    let start = bringer.start.map { first in
      let expected = UInt32(truncatingIfNeeded: bringer.position)
      return bringer.position
        + Int(Int32(bitPattern: UInt32(truncatingIfNeeded: first) &+ signal.subflowSequence &- 1 &- expected))
    }
    var isCertain = true
    if isFirst, isPlaced, start == bringer.start, mappings.look(bringer.side, { $0.isEmpty }),
      connection.value.guess(number, of: side)
    {
      isCertain = false
    }
    guard let position = connection.value.position(of: number, side) else { return isCertain }
    if signal.isLast, signal.length > 0 {
      let end = position + signal.length - 1
      connection.value.work(isReversed, &run) { $0.takeEnd(end, from: side, &$1) }
    }
    guard isPlaced, let start else { return isCertain }
    let length = signal.length - (signal.isLast ? 1 : 0)
    guard signal.length > 0 else { return mapRest(from: start, distance: position - start, bringer.side) && isCertain }
    guard length > 0 else { return isCertain }
    let (mapped, whole) = (mappings.look(bringer.side) { $0.place(of: start).distance }, start..<start + length)
    if let mapped, mapped != position - start, !whole.contains(bringer.position) {
      // The numbers of the subflow are wrong, as those of a program that counts each mapping from 1. The segment has its octets.
      let place = bringer.position
      _ = mappings[bringer.side].add(place..<place + length, distance: position - place)
      return false
    }
    return mappings[bringer.side].add(whole, distance: position - start) && isCertain
  }

  /// Gives all octets from a position on one distance: the connection goes on as TCP without paths (RFC 8684 §3.7).
  private mutating func mapRest(from start: StreamPosition, distance: Int, _ side: Side) -> Bool {
    mappings.look(side) { $0.isEndless } || mappings[side].add(start..<StreamPosition.never, distance: distance)
  }

  /// Takes the place of the first octets, which the segment with both keys may bring (RFC 8684 §3.1).
  mutating func takeFirst(_ length: Int, of bringer: Bringer, _ run: inout Run) {
    guard isFirst, let start = bringer.start, length > 0 else { return }
    connection.value.hasSignals = true
    _ = mappings[bringer.side].add(start..<start + length, distance: -start)
    countMemory(&run)
  }

  /// Takes the close of the connection at once (RFC 8684 §3.5).
  func takeFastClose(from side: Side, _ run: inout Run) {
    connection.value.work(isReversed, &run) { $0.takeReset(from: outer(side), &$1) }
  }

  /// Whether it may still be a connection without paths: no octet of it has a place.
  private var isUndecided: Bool { isFirst && connection.look { !$0.hasSignals && !$0.hasFurtherSubflows } }

  /// The opening of a connection without paths, if the first octets come without a place. The connection ends then.
  func giveUp() -> ConnectionOpening? {
    guard isUndecided else { return nil }
    connection.value.isGivenUp = true
    let (connect, lookup) = connection.look { ($0.stream.connectDuration, $0.stream.lookupDuration) }
    return ConnectionOpening(connectDuration: connect, lookupDuration: lookup, isSeen: true)
  }

  // MARK: Octets

  /// The distance of the octets at a position, and the end of those that have the same.
  private mutating func place(_ position: StreamPosition, _ side: Side) -> (distance: Int?, end: StreamPosition) {
    // A middlebox may remove the options of one direction only. Without a second subflow, there is one place for its octets.
    if isFirst, mappings.look(side, { $0.isEmpty }), !connection.look({ $0.hasFurtherSubflows }) {
      _ = mapRest(from: 0, distance: 0, side)
    }
    return mappings.look(side) { $0.place(of: position) }
  }

  /// Calls `body` with each part of a range and its distance; nil for octets without a place.
  private mutating func forEachPart(
    of range: Range<StreamPosition>, _ side: Side, _ body: (Range<StreamPosition>, Int?) -> Void
  ) {
    var from = range.lowerBound
    while from < range.upperBound {
      let (distance, end) = place(from, side)
      let to = min(end, range.upperBound)
      body(from..<to, distance)
      from = to
    }
  }

  /// Hands octets over. `payload` are the captured ones; `length` includes those beyond a snap length.
  mutating func receive(
    _ side: Side, _ payload: RawSpan, length: Int, at position: StreamPosition, _ arrival: SegmentArrival,
    _ run: inout Run
  ) {
    let (connection, isReversed, outer) = (connection, isReversed, outer(side))
    let acknowledged = acknowledgments.look(side) { $0.position(at: arrival.ordinal) }
    var overhead = arrival.overhead
    forEachPart(of: position..<position + length, side) { part, distance in
      guard let distance else {
        run.settle(part.count, as: .opaque, of: side)
        run.connection.added.unattributed += part.count
        return
      }
      var carried = arrival
      carried.acknowledged = acknowledged
      carried.segment = max(arrival.segment, part.lowerBound) + distance
      carried.overhead = overhead
      overhead = 0
      let from = min(part.lowerBound - position, payload.byteCount)
      let to = min(part.upperBound - position, payload.byteCount)
      connection.value.work(isReversed, &run) {
        $0.takeCarried(
          payload.extracting(from..<to), length: part.count, at: part.lowerBound + distance, carried, from: outer, &$1)
      }
    }
    run.connection.added.unattributed += overhead
    ends[side] = max(ends[side], position + length)
    countMemory(&run)
  }

  /// Skips octets that were never captured on this subflow. Another one may have them.
  mutating func skipMissing(_ side: Side, _ count: Int, at position: StreamPosition, _ run: inout Run) {
    ends[side] = max(ends[side], position + count)
    let (distance, end) = place(position, side)
    // Without paths there are no acknowledgments of the larger stream. The subflow's own one gave the gap up.
    guard let distance, end == .never else { return }
    let (to, outer) = (position + count + distance, outer(side))
    connection.value.work(isReversed, &run) { $0.takeAcknowledgment(to, of: outer, &$1) }
  }

  /// Takes octets of a gap that come after it was given up. They have no content.
  mutating func acceptLate(_ range: Range<StreamPosition>, on side: Side, _ run: inout Run) {
    receive(side, RawSpan(), length: range.count, at: range.lowerBound, .none, &run)
  }

  /// Takes the end of the subflow, which ends the stream only without paths.
  mutating func finish(_ side: Side, isComplete: Bool, _ run: inout Run) {
    guard isComplete, mappings.look(side, { $0.isEndless }) else { return }
    let (distance, _) = place(ends[side], side)
    guard let distance else { return }
    let (end, outer) = (ends[side] + distance, outer(side))
    connection.value.work(isReversed, &run) { $0.takeEnd(end, from: outer, &$1) }
  }

  // MARK: Charges

  /// Charges a packet, or octets that this subflow sent again.
  mutating func charge(_ charge: Charge, to side: Side, _ run: inout Run) {
    let (connection, isReversed, outer) = (connection, isReversed, outer(side))
    var unplaced = charge.unplaced
    forEachPart(of: charge.range, side) { part, distance in
      let repeated = min(max(charge.position + charge.retransmitted - part.lowerBound, 0), part.count)
      guard let distance else { return run.connection.added.unattributed += repeated }
      guard unplaced + repeated > 0 else { return }
      let carried = Charge(
        position: part.lowerBound + distance, retransmitted: repeated, overhead: unplaced, length: part.count)
      unplaced = 0
      connection.value.work(isReversed, &run) { stream, run in
        stream.openSession(&run)
        stream.session?.charge(carried, to: outer, &run)
      }
    }
    run.connection.added.unattributed += unplaced
  }

  /// Charges a segment without payload to the messages sent on `side`.
  func chargeAcknowledgment(_ overhead: Int, to side: Side, _ run: inout Run) {
    // The larger connection may be given up, and its costs with it.
    guard !isUndecided else { return run.connection.added.unattributed += overhead }
    connection.value.work(isReversed, &run) { $0.chargeAcknowledgment(overhead, to: outer(side), &$1) }
  }

  mutating func flagConflict(_ range: Range<StreamPosition>, on side: Side, _ run: inout Run) {
    let (connection, isReversed, outer) = (connection, isReversed, outer(side))
    forEachPart(of: range, side) { part, distance in
      guard let distance else { return }
      connection.value.work(isReversed, &run) {
        $0.session?.flagConflict(part.lowerBound + distance..<part.upperBound + distance, on: outer, &$1)
      }
    }
  }

  mutating func takeCopy(_ octets: RawSpan, at position: StreamPosition, on side: Side, _ run: inout Run) {
    let (connection, isReversed, outer) = (connection, isReversed, outer(side))
    forEachPart(of: position..<position + octets.byteCount, side) { part, distance in
      guard let distance else { return }
      let copy = octets.extracting(part.lowerBound - position..<part.upperBound - position)
      connection.value.work(isReversed, &run) {
        $0.session?.takeCopy(copy, at: part.lowerBound + distance, on: outer, &$1)
      }
    }
  }

  // MARK: Facts

  /// Goes on with records of the connection that waited for secrets. The subflow itself waits for nothing.
  func lookForSecrets(_ run: inout Run) -> StreamNeeds? {
    connection.value.work(isReversed, &run) { $0.goOnWithSecrets(&$1) }
    return nil
  }

  /// Learns how long the handshake took, if it is the connection's.
  func connected(after duration: Int64) {
    guard isFirst else { return }
    connection.value.stream.connectDuration = duration
    connection.value.stream.session?.connected(after: duration)
  }

  /// The known facts about the connection, for the subflow's own row. Its costs go to the row of the first subflow.
  var known: SessionEnd? {
    guard let known = connection.look({ $0.stream.session?.known }) else { return nil }
    return SessionEnd(
      client: nil, requestSide: known.requestSide.map { outer($0) }, applicationProtocol: known.applicationProtocol)
  }
}
