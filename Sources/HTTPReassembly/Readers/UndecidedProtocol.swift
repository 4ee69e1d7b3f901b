/// A connection whose protocol is not known yet: no octet has come, or too few that may begin HTTP/2 or the prefix of a proxy.
///
/// Such octets begin like the preface of HTTP/2, like a server of HTTP/2, or like a prefix. Events wait meanwhile: a packet that was
/// captured twice is charged before its octets are read, if it came before its turn. The right session replays all in order.
struct UndecidedProtocol {
  /// An event of the connection.
  enum Event {
    case octets(Side, [UInt8], StreamPosition, SegmentArrival)
    case charge(Charge, Side)
    case acknowledgment(Int, Side)
    case conflict(Range<StreamPosition>, Side)
    /// Octets that were never captured, before any octet of the connection was read.
    case missing(Int, StreamPosition, Side)
    /// Octets of such a gap that come after all.
    case late(Range<StreamPosition>, Side)

    /// The octets that it brought; nil without any.
    var octets: [UInt8]? {
      if case .octets(_, let octets, _, _) = self { return octets }
      return nil
    }
  }

  /// The result of the decision.
  enum Verdict {
    case http2
    case other
    /// A prefix with the number of its octets on each side.
    case prefix(ConnectionPrefix, lengths: Sides<Int>)
  }

  var opening: ConnectionOpening
  private(set) var events: [Event] = []
  /// The octets of each side.
  private var octets = Sides<[UInt8]>(repeating: [])
  /// Whether octets were lost before those of a side.
  private var missesStart = false
  private var counted = 0

  /// The maximum number of waiting events once octets have come. The preface comes in one segment, or in 24.
  static let eventLimit = 64
  /// The maximum number of waiting octets of a side. A server's settings are shorter.
  static let octetLimit = 1024

  /// The maximum number of waiting octets of a side if the capture may begin within HTTP/2: three frames of the smallest limit.
  static let frameOctetLimit = 3 * (HTTP2Settings.smallestFrameLimit + HTTP2FrameHeader.length)

  init(_ opening: ConnectionOpening) { self.opening = opening }

  /// The maximum number of waiting events of a prefix. It may come octet by octet.
  static let prefixEventLimit = 1024

  /// Whether a connection that starts with these octets may be HTTP/2 or has a prefix, but has too few octets to tell.
  static func isUndecided(_ octets: RawSpan, _ opening: ConnectionOpening) -> Bool {
    isUndecided(octets) || !opening.isSeen && frames(octets) != nil
      || !opening.followsPrefix && PrefixReading.mayStart(octets, isSeen: opening.isSeen)
  }

  /// Whether a connection that starts with these octets may be HTTP/2, but has too few octets to tell.
  private static func isUndecided(_ octets: RawSpan) -> Bool {
    let first = octets.octet(0)
    if first == 0x50 { return octets.byteCount < HTTP2Preface.length && HTTP2Preface.matches(octets) }
    return first == 0 && mayBeSettings(octets)
  }

  /// The number of frame headers that follow one another from the start of the octets, and whether there is another frame than DATA among
  /// them. Nil when a header does not fit.
  ///
  /// A capture may begin within HTTP/2. Its segments start with frames then.
  private static func frames(_ octets: RawSpan) -> (count: Int, isVaried: Bool)? {
    guard octets.byteCount >= HTTP2FrameHeader.length else { return nil }
    var (count, isVaried, offset) = (0, false, 0)
    while offset + HTTP2FrameHeader.length <= octets.byteCount {
      guard HTTP2FrameHeader.fits(octets, at: offset, longest: HTTP2Settings.smallestFrameLimit) else { return nil }
      let frame = HTTP2FrameHeader(octets, at: offset)
      count += 1
      if frame.type != HTTP2FrameHeader.data { isVaried = true }
      offset += HTTP2FrameHeader.length + frame.payloadLength
    }
    return (count, isVaried)
  }

  /// Whether the octets of a record are frames of HTTP/2 from its start to its end, and not of DATA alone.
  static func areFrames(_ octets: RawSpan) -> Bool { frames(octets)?.isVaried ?? false }

  /// Whether either side's stream starts like HTTP/2: with the whole preface, or with the header of a SETTINGS frame.
  static func isHTTP2(_ octets: RawSpan) -> Bool {
    if HTTP2Preface.starts(octets) { return true }
    return octets.byteCount >= HTTP2FrameHeader.length && octets.octet(0) == 0 && mayBeSettings(octets)
  }

  /// Whether the octets are the start of a SETTINGS frame's header on stream 0.
  private static func mayBeSettings(_ octets: RawSpan) -> Bool {
    let header: [UInt8?] = [0, nil, nil, HTTP2FrameHeader.settings, 0, 0, 0, 0, 0]
    for offset in 0..<min(octets.byteCount, header.count) {
      if let expected = header[offset], octets.octet(offset) != expected { return false }
    }
    return true
  }

  /// Whether octets of either side wait.
  var hasOctets: Bool { !octets[0].isEmpty || !octets[1].isEmpty }

  /// Whether the start of HTTP/2 was lost: octets of a side, and no preface came.
  var missesPreface: Bool { missesStart && !(0..<2).contains { octets[$0].withOctets { HTTP2Preface.starts($0) } } }

  /// Whether the first octets of a side are frames, as where a capture begins within HTTP/2.
  func startsWithFrames(_ side: Side) -> Bool {
    !octets[side].isEmpty && octets[side].withOctets { Self.frames($0) != nil }
  }

  /// Takes an event for which there is no room, before the first octets. Returns whether it has to be kept all the same.
  private mutating func pass(_ event: Event, _ run: inout Run) -> Bool {
    switch event {
    case .charge(let charge, _): run.connection.added.unattributed += charge.unplaced + charge.retransmitted
    case .acknowledgment(let overhead, _): run.connection.added.unattributed += overhead
    case .conflict(let range, let side):
      // A message too many is not exact then, but none too few.
      let index = events.lastIndex { if case .conflict(_, side) = $0 { true } else { false } }
      guard let index, case .conflict(let known, _) = events[index] else { return true }
      let widened = min(known.lowerBound, range.lowerBound)..<max(known.upperBound, range.upperBound)
      events[index] = .conflict(widened, side)
    case .octets, .missing, .late: return true
    }
    return false
  }

  /// Keeps octets of a side. Returns the verdict once it is known, and the number of kept octets. They are fewer than all where the others
  /// do not belong to a prefix, or where the other side comes first.
  mutating func add(
    _ side: Side, _ new: RawSpan, at position: StreamPosition, _ arrival: SegmentArrival, _ run: inout Run
  ) -> (verdict: Verdict?, count: Int) {
    let known = octets[side].count
    new.append(0..<new.byteCount, to: &octets[side])
    let reading = readPrefix()
    var kept = octets[side].count
    if let limit = reading?.limits[side] { kept = max(min(kept, limit), known) }
    let (count, rest) = (kept - known, octets[side].count - kept)
    octets[side].removeLast(rest)
    var own: [UInt8] = []
    new.append(0..<count, to: &own)
    var arrival = arrival
    let overhead = arrival.overhead
    // The headers belong to the first message in the packet, if there is one in the rest.
    if rest > 0 { arrival.overhead = 0 }
    events.append(.octets(side, own, position, arrival))
    if rest > 0, overhead > 0 {
      events.append(
        .charge(Charge(position: position + count, retransmitted: 0, overhead: overhead, length: rest), side))
    }
    countMemory(&run)
    guard let reading else { return (decide(), count) }
    if let prefix = reading.prefix { return (.prefix(prefix, lengths: reading.limits), count) }
    let isTooLong = octets[side].count > PrefixReading.lengthLimit || events.count > Self.prefixEventLimit
    return (isTooLong ? .other : nil, count)
  }

  /// Keeps an event without new octets. Returns the verdict when there are too many.
  mutating func add(_ event: Event, _ run: inout Run) -> Verdict? {
    let isFull = !hasOctets && events.count >= run.configuration.pendingChargeLimit
    guard !isFull || pass(event, &run) else { return nil }
    if case .missing = event { missesStart = true }
    events.append(event)
    countMemory(&run)
    guard hasOctets else { return isFull ? .other : nil }
    return events.count <= (mayHavePrefix ? Self.prefixEventLimit : Self.eventLimit) ? nil : .other
  }

  private mutating func countMemory(_ run: inout Run) {
    let memory = 64 + events.capacity * MemoryLayout<Event>.stride + 2 * (octets[0].count + octets[1].count)
    run.connectionMemory += memory - counted
    counted = memory
  }

  /// Decides between HTTP/2 and all else.
  private func decide() -> Verdict? {
    var mayBe = true
    for side in 0..<2 where !octets[side].isEmpty {
      let verdict: Verdict? = octets[side].withOctets { octets in
        if HTTP2Preface.starts(octets) { return .http2 }
        if !opening.isSeen || missesStart, let frames = Self.frames(octets) {
          return frames.count >= FrameSearch.enough && frames.isVaried ? .http2 : nil
        }
        return Self.isUndecided(octets) ? nil : .other
      }
      if case .http2 = verdict { return .http2 }
      if case .other = verdict { mayBe = false }
      let limit = opening.isSeen && !missesStart ? Self.octetLimit : Self.frameOctetLimit
      if octets[side].count > limit { mayBe = false }
    }
    return mayBe && events.count <= Self.eventLimit ? nil : .other
  }

  /// Whether the octets so far may be a prefix.
  private var mayHavePrefix: Bool { readPrefix() != nil }

  /// Reads the octets so far as a prefix: the most octets of each side that belong to it, and its facts once it is complete. Nil if they
  /// are none.
  private func readPrefix() -> (prefix: ConnectionPrefix?, limits: Sides<Int>)? {
    guard !opening.followsPrefix else { return nil }
    for side in 0..<2 {
      switch PrefixReading.read(octets[side], octets[1 - side], isSeen: opening.isSeen) {
      case .none: continue
      case .incomplete(let own, let other): return (nil, side == 0 ? Sides(own, other) : Sides(other, own))
      case .found(let prefix, let own, let other):
        return (prefix, side == 0 ? Sides(own, other) : Sides(other, own))
      }
    }
    return nil
  }

  /// Takes back the counted memory, because another session continues.
  mutating func release(_ run: inout Run) {
    run.connectionMemory -= counted
    counted = 0
  }
}
