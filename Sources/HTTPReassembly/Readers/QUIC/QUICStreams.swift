import DequeModule
import Packets

/// The streams of a QUIC connection: their octets in any order, delivered in order (RFC 9000 §2.2).
///
/// A gap is given up only when something lies behind it, after `Configuration.holeTimeout`, or beyond the limits of held octets.
struct QUICStreams {
  /// One direction of a stream.
  private struct Half {
    /// The position of the next octet to be delivered.
    var next: StreamPosition = 0
    /// The final size; `.never` while unknown.
    var final: StreamPosition = .never
    var held = HeldSegments()
    /// Gaps that were given up, the latest few.
    var gaps: [Range<StreamPosition>] = []
    /// Whether its end was delivered, or its sender has reset it.
    var isEnded = false
    /// When it began to wait for octets before the held ones; `.max` while it does not.
    var waitingSince = Int64.max
  }

  private struct Stream {
    var id: UInt64
    var halves = Sides(Half(), Half())

    init(id: UInt64) { self.id = id }

    /// Whether nothing more comes. A stream of one direction has one half (RFC 9000 §2.1).
    func isClosed(client: Side) -> Bool {
      guard id & 2 != 0 else { return halves.look(0) { $0.isEnded } && halves.look(1) { $0.isEnded } }
      return halves.look(id & 1 == 0 ? client : 1 - client) { $0.isEnded }
    }
  }

  /// The kinds of octets of one STREAM frame.
  struct Found {
    /// Octets that came for the first time.
    var fresh = 0
    /// The position of the first of them.
    var position: StreamPosition = 0
    /// Octets that came before.
    var repeated = 0
  }

  let application: QUICApplication
  private let client: Side
  private var slots = StreamSlots()
  private var entries: [Stream] = []
  private var free: [Int] = []
  /// Streams in the order of their openings. Some may be gone.
  private var order: Deque<UInt64> = []
  /// Closed streams in the order of their ends. They are remembered, to tell octets that are sent again.
  private var closed: Deque<UInt64> = []
  /// For each type of stream, the number below which unknown streams are closed and forgotten.
  private var floors = InlineArray<4, UInt64>(repeating: 0)
  /// The stream of the latest frame.
  private var latest: (id: UInt64, slot: Int) = (.max, 0)
  /// Directions that wait for octets, in the order of their beginnings. Some may wait no longer.
  private var waiting: Deque<(id: UInt64, side: Side, since: Int64)> = []
  /// Octets and pieces behind gaps.
  private var heldOctets = 0
  private var heldPieces = 0
  private var counted = 0

  /// The number of remembered gaps of a direction that were given up.
  static let gapLimit = 8
  /// The number of pieces behind gaps, with one more for each 256 octets of them: each further piece costs more, and a packet may have hundreds.
  static let pieceLimit = 512

  /// The number from which unidirectional streams may be given up: four of each side come before it.
  private static let lastingLimit: UInt64 = 16

  init(_ application: QUICApplication, client: Side) {
    self.application = application
    self.client = client
  }

  private var memory: Int {
    let table = entries.capacity * MemoryLayout<Stream>.stride + slots.memory
    let queues = (order.count + closed.count) * 8 + waiting.count * 24
    return MemoryLayout<QUICStreams>.stride + 32 + table + queues
  }

  private mutating func count(_ run: inout Run) {
    run.connectionMemory += memory - counted
    counted = memory
  }

  // MARK: Table

  /// It changes nothing, so that nothing is retained for the search.
  private func search(_ id: UInt64) -> Int? { slots.slot(of: id) { entries[$0].id } }

  /// The slots of streams that are not forgotten, in the order of their numbers.
  private var used: [Int] {
    let free = Set(free)
    return entries.indices.filter { !free.contains($0) }.sorted { entries[$0].id < entries[$1].id }
  }

  /// The slot of a stream, which is opened if it is new; nil for one that is closed and forgotten.
  private mutating func slot(of id: UInt64, _ run: inout Run) -> Int? {
    if latest.id == id { return latest.slot }
    if let slot = search(id) {
      latest = (id, slot)
      return slot
    }
    guard id >= floors[Int(id & 3)] else { return nil }
    while slots.count >= run.configuration.quicStreamLimit, forgetOne(&run) {}
    let slot: Int
    if let reused = free.popLast() {
      slot = reused
      entries[slot] = Stream(id: id)
    } else {
      slot = entries.count
      entries.append(Stream(id: id))
    }
    slots.insert(id, at: slot)
    order.append(id)
    if order.count > 2 * slots.count + 64 { order = Deque(order.filter { search($0) != nil }) }
    latest = (id, slot)
    count(&run)
    return slot
  }

  /// Forgets the stream that was closed first, else gives up the one that was opened first. Returns whether there was one.
  ///
  /// A side's first unidirectional streams last as long as the connection, and all others need them (RFC 9114 §6.2). They stay.
  private mutating func forgetOne(_ run: inout Run) -> Bool {
    if let id = closed.popFirst() {
      forget(id)
      return true
    }
    var kept = 0
    while let id = order.popFirst() {
      guard let slot = search(id) else { continue }
      if id & 2 != 0, id < Self.lastingLimit, kept < order.count {
        order.append(id)
        kept += 1
        continue
      }
      run.note(.quicStreamsFull)
      for side in 0..<2 { end(slot, side, &run) }
      closed.removeAll()
      forget(id)
      return true
    }
    return false
  }

  private mutating func forget(_ id: UInt64) {
    guard let slot = search(id) else { return }
    slots.remove(id, from: slot)
    entries[slot] = Stream(id: id)
    free.append(slot)
    floors[Int(id & 3)] = max(floors[Int(id & 3)], id &+ 4)
    if latest.id == id { latest.id = .max }
  }

  // MARK: Frames

  /// Takes the data of a STREAM frame. Each octet gets its class now, or when those before it have come.
  mutating func take(
    _ side: Side, _ frame: QUICFrame, _ data: RawSpan, _ arrival: SegmentArrival, _ run: inout Run
  ) -> Found {
    var found = Found()
    guard let slot = slot(of: frame.id, &run) else {
      repeated(data.byteCount, at: frame.position, frame.id, side, &found, &run)
      return found
    }
    let isNext = entries[slot].halves.look(side) {
      $0.next == frame.position && $0.final == .never && !$0.isEnded && $0.held.isEmpty
    }
    if isNext, !frame.isLast, data.byteCount > 0 {
      found.fresh = data.byteCount
      found.position = frame.position
      deliver(data, at: frame.position, slot, side, arrival, &run)
      return found
    }
    let end = frame.position + data.byteCount
    let (next, knownFinal, isEnded) = entries[slot].halves.look(side) { ($0.next, $0.final, $0.isEnded) }
    var final = knownFinal
    if frame.isLast, final == .never, end >= next, end - next <= TCPStream.largestWindow {
      final = end
      entries[slot].halves[side].final = end
    }
    // No receiver takes octets beyond the final size, after a reset, or far beyond any window.
    let limit = min(final, next + TCPStream.largestWindow)
    let isOver = isEnded && final == .never
    let taken = isOver ? min(max(next - frame.position, 0), data.byteCount) : max(min(limit, end) - frame.position, 0)
    if taken < data.byteCount { refuse(data.byteCount - taken, side, &run) }
    let known = min(max(next - frame.position, 0), taken)
    if known > 0 {
      let late = takeLate(frame.position..<frame.position + known, slot, side, &run)
      if late < known { repeated(known - late, at: frame.position, frame.id, side, &found, &run) }
    }
    if known < taken {
      let position = frame.position + known
      add(data.extracting(known..<taken), at: position, slot, side, arrival, &found, &run)
    }
    endIfDue(slot, side, &run)
    return found
  }

  /// Gives octets that came before their class, and charges them to their owner.
  private func repeated(
    _ count: Int, at position: StreamPosition, _ id: UInt64, _ side: Side, _ found: inout Found, _ run: inout Run
  ) {
    guard count > 0 else { return }
    found.repeated += count
    run.settle(count, as: .retransmitted, of: side)
    application.charge(Charge(position: position, retransmitted: count, overhead: 0), id, to: side, &run)
  }

  private func refuse(_ count: Int, _ side: Side, _ run: inout Run) {
    run.settle(count, as: .outOfWindow, of: side)
    run.connection.added.unattributed += count
    run.connection.added.flags.insert(.outOfWindow)
  }

  /// Takes the octets of a range that lie in gaps given up. Returns how many there are.
  private mutating func takeLate(_ range: Range<StreamPosition>, _ slot: Int, _ side: Side, _ run: inout Run) -> Int {
    guard entries[slot].halves.look(side, { $0.gaps.contains { $0.overlaps(range) } }) else { return 0 }
    var late = 0
    var left: [Range<StreamPosition>] = []
    for gap in entries[slot].halves[side].gaps {
      let part = range.clamped(to: gap)
      if !part.isEmpty { application.acceptLate(side, entries[slot].id, part, &run) }
      late += part.count
      if part.isEmpty {
        left.append(gap)
      } else {
        if gap.lowerBound < part.lowerBound { left.append(gap.lowerBound..<part.lowerBound) }
        if part.upperBound < gap.upperBound { left.append(part.upperBound..<gap.upperBound) }
      }
    }
    guard late > 0 else { return 0 }
    entries[slot].halves[side].gaps = left.suffix(Self.gapLimit)
    return late
  }

  /// Delivers octets whose turn it is.
  @inline(__always)
  private mutating func deliver(
    _ data: RawSpan, at position: StreamPosition, _ slot: Int, _ side: Side, _ arrival: SegmentArrival,
    _ run: inout Run
  ) {
    entries[slot].halves[side].next = position + data.byteCount
    application.receive(side, entries[slot].id, data, at: position, arrival, &run)
  }

  private mutating func add(
    _ data: RawSpan, at position: StreamPosition, _ slot: Int, _ side: Side, _ arrival: SegmentArrival,
    _ found: inout Found, _ run: inout Run
  ) {
    let id = entries[slot].id
    found.position = position
    if entries[slot].halves.look(side, { $0.next == position && $0.held.isEmpty }) {
      found.fresh = data.byteCount
      return deliver(data, at: position, slot, side, arrival, &run)
    }
    var known: [(range: Range<StreamPosition>, difference: Difference)] = []
    let fresh = changeHeld(slot, side, &run) {
      $0.insert(
        position: position, length: data.byteCount, octets: data, arrival: arrival, isSuspect: false,
        duplicate: { known.append(($0, $1)) })
    }
    found.fresh = fresh
    for (range, difference) in known {
      repeated(range.count, at: range.lowerBound, id, side, &found, &run)
      if case .conflict = difference { application.flagConflict(side, id, range, &run) }
    }
    deliverHeld(slot, side, &run)
    limitHeld(&run)
  }

  private mutating func changeHeld<Result>(
    _ slot: Int, _ side: Side, _ run: inout Run, _ body: (inout HeldSegments) -> Result
  ) -> Result {
    let (octets, pieces, memory) = entries[slot].halves.look(side) {
      ($0.held.octetCount, $0.held.count, $0.held.memory)
    }
    let result = body(&entries[slot].halves[side].held)
    entries[slot].halves.look(side) { half in
      heldOctets += half.held.octetCount - octets
      heldPieces += half.held.count - pieces
      run.shared.heldOctets += half.held.memory - memory
    }
    return result
  }

  /// Delivers held octets whose turn it is.
  private mutating func deliverHeld(_ slot: Int, _ side: Side, _ run: inout Run) {
    let id = entries[slot].id
    while entries[slot].halves.look(side, { !$0.held.isEmpty && $0.held.firstPosition == $0.next }) {
      let piece = changeHeld(slot, side, &run) { $0.removeFirst() }
      entries[slot].halves[side].next = piece.end
      piece.octets.withOctets { application.receive(side, id, $0, at: piece.position, piece.arrival, &run) }
    }
    let (isHolding, since) = entries[slot].halves.look(side) { (!$0.held.isEmpty, $0.waitingSince) }
    guard isHolding else { return entries[slot].halves[side].waitingSince = .max }
    guard since == .max else { return }
    entries[slot].halves[side].waitingSince = run.clock
    waiting.append((id, side, run.clock))
    if waiting.count > 2 * entries.count + 64 { waiting = Deque(waiting.filter { isWaiting($0) }) }
  }

  /// Whether a direction still waits since the time of an entry.
  private func isWaiting(_ entry: (id: UInt64, side: Side, since: Int64)) -> Bool {
    guard let slot = search(entry.id) else { return false }
    return entries[slot].halves.look(entry.side) { $0.waitingSince == entry.since }
  }

  // MARK: Gaps

  /// Gives up the first gap of a direction, if something lies behind it.
  private mutating func passGap(_ slot: Int, _ side: Side, _ run: inout Run) {
    let (next, end) = entries[slot].halves.look(side) {
      ($0.next, $0.held.isEmpty ? $0.final : $0.held.firstPosition)
    }
    guard end != .never, end > next else { return deliverHeld(slot, side, &run) }
    entries[slot].halves[side].gaps.append(next..<end)
    if entries[slot].halves[side].gaps.count > Self.gapLimit { entries[slot].halves[side].gaps.removeFirst() }
    entries[slot].halves[side].next = end
    run.connection.added.flags.insert(.holes)
    application.skip(side, entries[slot].id, end - next, at: next, &run)
    deliverHeld(slot, side, &run)
  }

  /// Gives up gaps that have been open for too long.
  mutating func giveUpOverdue(_ run: inout Run) {
    while let first = waiting.first, run.clock > first.since.addingSaturated(run.configuration.holeTimeout) {
      giveUpFirst(&run)
    }
  }

  private mutating func limitHeld(_ run: inout Run) {
    while !waiting.isEmpty,
      heldOctets > run.configuration.heldOctetLimit || heldPieces > run.configuration.heldSegmentLimit
        || heldPieces > Self.pieceLimit + heldOctets / 256
        || run.shared.heldOctets > run.configuration.heldOctetTotalLimit
    {
      run.connection.added.flags.insert(.holdLimit)
      giveUpFirst(&run)
    }
  }

  /// Gives up the gap of the direction that has waited longest. It waits anew for its next gap.
  private mutating func giveUpFirst(_ run: inout Run) {
    let first = waiting.removeFirst()
    let (id, side, _) = first
    guard isWaiting(first), let slot = search(id) else { return }
    entries[slot].halves[side].waitingSince = .max
    passGap(slot, side, &run)
    endIfDue(slot, side, &run)
  }

  // MARK: Ends

  /// Ends a direction after everything before its end has been delivered.
  private mutating func endIfDue(_ slot: Int, _ side: Side, _ run: inout Run) {
    let isDue = entries[slot].halves.look(side) { !$0.isEnded && $0.next >= $0.final }
    guard isDue else { return }
    entries[slot].halves[side].isEnded = true
    application.finish(side, entries[slot].id, isComplete: true, &run)
    noteEnd(slot)
  }

  private mutating func noteEnd(_ slot: Int) {
    if entries[slot].isClosed(client: client) { closed.append(entries[slot].id) }
  }

  /// Ends a direction although its end may not have been seen. Gaps are given up.
  private mutating func end(_ slot: Int, _ side: Side, _ run: inout Run) {
    // Each round delivers a piece or passes a gap.
    while entries[slot].halves.look(side, { !$0.held.isEmpty }) { passGap(slot, side, &run) }
    guard !entries[slot].halves[side].isEnded else { return }
    let (next, final) = entries[slot].halves.look(side) { ($0.next, $0.final) }
    if final != .never, next < final { passGap(slot, side, &run) }
    guard next > 0 || final != .never else { return }
    entries[slot].halves[side].isEnded = true
    application.finish(side, entries[slot].id, isComplete: final != .never, &run)
    noteEnd(slot)
  }

  /// Takes a RESET_STREAM frame of a side.
  mutating func reset(_ side: Side, _ id: UInt64, _ run: inout Run) {
    guard let slot = slot(of: id, &run), !entries[slot].halves[side].isEnded else { return }
    while entries[slot].halves.look(side, { !$0.held.isEmpty }) { passGap(slot, side, &run) }
    entries[slot].halves[side].isEnded = true
    entries[slot].halves[side].final = .never
    application.reset(side, id, &run)
    noteEnd(slot)
  }

  /// Remembers the stream of a STOP_SENDING frame (RFC 9000 §19.5). The other side's RESET_STREAM ends its message.
  mutating func stopSending(_ id: UInt64, _ run: inout Run) { _ = slot(of: id, &run) }

  /// Ends all streams with their connection.
  mutating func close(isEvicted: Bool, _ run: inout Run) -> SessionEnd {
    for slot in used {
      for side in 0..<2 { passAll(slot, side, &run) }
    }
    if isEvicted { application.evict(&run) }
    for slot in used {
      for side in 0..<2 { end(slot, side, &run) }
    }
    let end = application.close(&run)
    run.connectionMemory -= counted
    counted = 0
    return end
  }

  private mutating func passAll(_ slot: Int, _ side: Side, _ run: inout Run) {
    while entries[slot].halves.look(side, { !$0.held.isEmpty }) { passGap(slot, side, &run) }
    endIfDue(slot, side, &run)
  }
}
