import Packets

/// A connection in a stream that CONNECT opened (RFC 9113 §8.5). Its octets come in DATA frames, between frames of other streams.
///
/// A reader of HTTP/1 that is in a tunnel reads it. A side's positions there are the octets of the side that came before.
struct StreamTunnel {
  let reader: Reader
  /// The latest octets of each side, in frames with nothing of the tunnel between them.
  private var pieces = Sides<IndexRing<Piece>>(repeating: IndexRing())
  /// The position behind the latest octets of each side.
  private var ends = Sides<StreamPosition>(repeating: 0)
  /// Octets of each side that wait for the other one, or for secrets.
  private var held = Sides<[Held]>(repeating: [])
  private var heldOctets = 0
  private var needs: StreamNeeds = []
  /// Whether a side gets no more octets.
  private(set) var isFinished = Sides<Bool>(repeating: false)
  private var counted = 0

  /// Octets in a row.
  private struct Piece {
    /// The position of the first one among the octets of HTTP/2.
    var place: StreamPosition
    /// Its position in the tunnel.
    var position: StreamPosition
    var count: Int
  }

  /// Octets that wait.
  private struct Held {
    var position: StreamPosition
    var octets: [UInt8] = []
    /// Octets that were not captured, instead.
    var hidden = 0
    var isInPacket = false
    var arrival: SegmentArrival

    var count: Int { octets.count + hidden }
  }

  /// Pieces of each side that are remembered, for charges.
  private static let pieceLimit = 256

  init(_ run: inout Run) {
    reader = .http1(OwnMemory(HTTP1Session(tunnelled: ConnectionOpening(isSeen: true), &run)))
    count(&run)
  }

  // MARK: Positions

  /// The position in the tunnel of octets that come now, from a place among the octets of HTTP/2 on.
  private mutating func append(_ side: Side, _ count: Int, at place: StreamPosition) -> StreamPosition {
    let position = ends[side]
    ends[side] += count
    if !pieces[side].isEmpty {
      let last = pieces[side][pieces[side].count - 1]
      if last.place + last.count == place {
        pieces[side][pieces[side].count - 1].count += count
        return position
      }
    }
    pieces[side].append(Piece(place: place, position: position, count: count))
    if pieces[side].count > Self.pieceLimit { pieces[side].removeFirst() }
    return position
  }

  /// The positions in the tunnel of the octets at the start of a range of octets of HTTP/2; nil if they are not the tunnel's.
  private func part(of range: Range<StreamPosition>, on side: Side) -> Range<StreamPosition>? {
    pieces.look(side) { pieces in
      var index = pieces.count - 1
      while index >= 0, pieces[index].place > range.lowerBound { index -= 1 }
      guard index >= 0 else { return nil }
      let offset = range.lowerBound - pieces[index].place
      guard offset < pieces[index].count else { return nil }
      let start = pieces[index].position + offset
      return start..<start + min(range.count, pieces[index].count - offset)
    }
  }

  /// The position in the tunnel up to which a place among the octets of HTTP/2 reaches; `.unknown` if it is forgotten.
  private func reach(_ place: StreamPosition, on side: Side) -> StreamPosition {
    guard place != .unknown else { return .unknown }
    return pieces.look(side) { pieces in
      var index = pieces.count - 1
      while index >= 0, pieces[index].place >= place { index -= 1 }
      guard index >= 0 else { return pieces.isEmpty || pieces[0].position == 0 ? 0 : .unknown }
      return pieces[index].position + min(place - pieces[index].place, pieces[index].count)
    }
  }

  // MARK: Octets

  /// Takes octets of a side. The run has their arrival.
  mutating func receive(_ side: Side, _ octets: RawSpan, at place: StreamPosition, _ run: inout Run) {
    let position = append(side, octets.byteCount, at: place)
    let arrival = placed(run.arrival, side, position)
    var taken = 0
    if held.look(side, { $0.isEmpty }), !needs.contains(.waiting(side)) {
      let result = reader.receive(side, octets, at: position, arrival, &run)
      (taken, needs) = (result.count, result.needs)
    }
    if taken < octets.byteCount {
      var rest: [UInt8] = []
      octets.append(taken..<octets.byteCount, to: &rest)
      hold(side, Held(position: position + taken, octets: rest, arrival: arrival))
    }
    offerHeld(&run)
    count(&run)
  }

  /// Takes octets of a side that were not captured. The run has counted them.
  mutating func skip(_ side: Side, _ count: Int, isInPacket: Bool, at place: StreamPosition, _ run: inout Run) {
    let position = append(side, count, at: place)
    let arrival = placed(run.arrival, side, position)
    hold(side, Held(position: position, hidden: count, isInPacket: isInPacket, arrival: arrival))
    offerHeld(&run)
    self.count(&run)
  }

  /// The arrival of octets that have a position in the tunnel.
  private func placed(_ arrival: SegmentArrival, _ side: Side, _ position: StreamPosition) -> SegmentArrival {
    var placed = arrival
    placed.overhead = 0
    placed.segment = position
    placed.acknowledged = reach(arrival.acknowledged, on: 1 - side)
    return placed
  }

  private mutating func hold(_ side: Side, _ octets: Held) {
    held[side].append(octets)
    heldOctets += octets.octets.count
  }

  /// Offers waiting octets to the reader, while it takes any. It stops waiting when too many wait.
  private mutating func offerHeld(_ run: inout Run) {
    var hasProgress = true
    while hasProgress {
      hasProgress = false
      for side in 0..<2 where !held[side].isEmpty && !needs.contains(.waiting(side)) {
        if offerFirst(side, &run) { hasProgress = true }
      }
      guard !hasProgress, isFull(run) else { continue }
      for side in 0..<2 where needs.contains(.waiting(side)) {
        needs = reader.stopWaiting(side, &run)
        if !needs.contains(.waiting(side)) { hasProgress = true }
      }
    }
    if isFull(run) { for side in 0..<2 { drop(side, &run) } }
  }

  private func isFull(_ run: borrowing Run) -> Bool {
    let (octets, pieces) = (run.configuration.secretHeldOctetLimit, run.configuration.pendingChargeLimit)
    return heldOctets > octets || held.look(0, { $0.count }) + held.look(1, { $0.count }) > pieces
  }

  /// Offers the first waiting octets of a side. Returns whether any were taken.
  private mutating func offerFirst(_ side: Side, _ run: inout Run) -> Bool {
    var first = held[side].removeFirst()
    heldOctets -= first.octets.count
    if first.hidden > 0 {
      // The reader counts them once more.
      if first.isInPacket {
        run.countUnseen(-first.hidden)
        needs = reader.skipUnseen(side, first.hidden, at: first.position, first.arrival, &run)
      } else {
        run.countMissing(-first.hidden)
        needs = reader.skipMissing(side, first.hidden, at: first.position, &run)
      }
      return true
    }
    let result = first.octets.withOctets { reader.receive(side, $0, at: first.position, first.arrival, &run) }
    needs = result.needs
    if result.count < first.octets.count {
      first.position += result.count
      first.octets.removeFirst(result.count)
      heldOctets += first.octets.count
      held[side].insert(first, at: 0)
    }
    return result.count > 0
  }

  /// Gives up waiting octets. They have no owner.
  private mutating func drop(_ side: Side, _ run: inout Run) {
    for octets in held[side] {
      heldOctets -= octets.octets.count
      guard octets.hidden == 0 || octets.isInPacket else { continue }
      run.settle(octets.count, as: .tunnel, of: side)
      run.connection.added.unattributed += octets.count
    }
    held[side] = []
  }

  // MARK: Ends

  /// Ends a side.
  mutating func finish(_ side: Side, isComplete: Bool, _ run: inout Run) {
    guard !isFinished[side] else { return }
    isFinished[side] = true
    if !held[side].isEmpty {
      needs = reader.stopWaiting(side, &run)
      offerHeld(&run)
    }
    let isWhole = held[side].isEmpty
    drop(side, &run)
    needs = reader.finish(side, isComplete: isComplete && isWhole, &run)
    offerHeld(&run)
    count(&run)
  }

  /// Ends both sides. Returns the facts about the connection.
  mutating func close(_ run: inout Run) -> SessionEnd {
    for side in 0..<2 { finish(side, isComplete: false, &run) }
    run.connectionMemory -= counted
    counted = 0
    return reader.close(&run)
  }

  /// Uses new secrets. Returns whether records waited for secrets.
  mutating func lookForSecrets(_ run: inout Run) -> Bool {
    guard let needs = reader.lookForSecrets(&run) else { return false }
    self.needs = needs
    offerHeld(&run)
    count(&run)
    return true
  }

  // MARK: Charges

  /// Charges a packet whose first octet is the tunnel's. Returns how many octets of it the reader has taken.
  mutating func charge(_ charge: Charge, to side: Side, _ run: inout Run) -> Int {
    guard let part = part(of: charge.range, on: side) else { return 0 }
    var own = charge
    own.position = part.lowerBound
    own.length = min(charge.length, part.count)
    own.retransmitted = min(charge.retransmitted, part.count)
    reader.charge(own, to: side, &run)
    return part.count
  }

  mutating func flagConflict(_ range: Range<StreamPosition>, on side: Side, _ run: inout Run) {
    if let part = part(of: range, on: side) { reader.flagConflict(part, on: side, &run) }
  }

  /// Takes late octets. Returns whether they are the tunnel's.
  mutating func acceptLate(_ range: Range<StreamPosition>, on side: Side, _ run: inout Run) -> Bool {
    guard let part = part(of: range, on: side), part.count == range.count else { return false }
    reader.acceptLate(part, on: side, &run)
    return true
  }

  private mutating func count(_ run: inout Run) {
    var memory = MemoryLayout<StreamTunnel>.stride + 32 + heldOctets
    for side in 0..<2 {
      memory += pieces.look(side) { $0.memory } + held.look(side) { $0.capacity * MemoryLayout<Held>.stride }
    }
    run.connectionMemory += memory - counted
    counted = memory
  }
}
