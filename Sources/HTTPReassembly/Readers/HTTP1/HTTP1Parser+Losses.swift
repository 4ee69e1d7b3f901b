// Octets that are in no packet, and the end of the stream.

extension HTTP1Parser {
  /// Skips `count` octets of the stream that were never captured. Unless `isExact`, their number is an estimate, so that they
  /// may be content, but no content continues behind them.
  mutating func skipMissing<Events: HTTP1Events>(
    _ count: Int, isExact: Bool = true, events: inout Events, context: inout Events.Context
  ) {
    let inside = loseOctets(count, isExact: isExact, events: &events, context: &context) { length, events, context in
      events.missingBody(length, &context)
    }
    if inside < count { events.missingOutsideMessages(count - inside, &context) }
  }

  /// Skips `count` octets of the packet beyond its snap length.
  mutating func skipUnseen<Events: HTTP1Events>(
    _ count: Int, events: inout Events, context: inout Events.Context
  ) {
    // They are in the packet with the end of the header section, so they are content.
    if state == .undecided { startUndecidedContent() }
    let inside = loseOctets(count, isExact: true, events: &events, context: &context) { length, events, context in
      events.unseenBody(length, &context)
    }
    if inside < count { events.unseenOutsideMessages(count - inside, as: outsideReason, &context) }
  }

  /// Skips unreadable octets. Returns how many of them are certainly content.
  private mutating func loseOctets<Events: HTTP1Events>(
    _ count: Int, isExact: Bool, events: inout Events, context: inout Events.Context,
    body: (Int, inout Events, inout Events.Context) -> Void
  ) -> Int {
    var inside = 0
    switch state {
    case .undecided where isExact && undecided == .length && remaining == count:
      // The next readable octet is at the end of the content. The octets before it are therefore content.
      inside = count
      body(inside, &events, &context)
      position += inside
      remaining = 0
      completeMessage(&events, &context)
    case .undecided:
      breakMessage(.incomplete, by: .loss, &events, &context)
    case .body where isExact, .chunkData where isExact:
      inside = min(count, remaining)
      body(inside, &events, &context)
      position += inside
      remaining -= inside
      let wasChunk = state == .chunkData
      if remaining == 0 { endOfKnownLength(&events, &context) }
      if inside < count {
        if wasChunk {
          breakMessage(.incomplete, by: .loss, &events, &context)
        } else {
          loseFraming(&events, &context)
        }
      }
    case .bodyUntilClose where isExact:
      inside = count
      body(inside, &events, &context)
      position += inside
    case .fields:
      breakMessage([.incomplete, .headerNotSeen], by: .loss, &events, &context)
    case .body, .bodyUntilClose, .chunkData, .chunkSize, .chunkEnd, .trailer:
      breakMessage(.incomplete, by: .loss, &events, &context)
    case .startLine, .lost, .other:
      loseFraming(&events, &context)
    }
    position += count - inside
    return inside
  }

  private mutating func loseFraming<Events: HTTP1Events>(
    _ events: inout Events, _ context: inout Events.Context
  ) {
    isWaiting = false
    isFreshTunnel = false
    guard !breakOffAfterStartLine(&events, &context) else { return }
    dropLine(&events, &context)
    if state != .other { state = isConfirmed ? .lost : .other }
  }

  /// Starts a message with a start-line whose terminator alone is unreadable, even without following octets.
  private mutating func breakOffAfterStartLine<Events: HTTP1Events>(
    _ events: inout Events, _ context: inout Events.Context
  ) -> Bool {
    guard state == .startLine || state == .lost, let partial, partial.length == partial.line.count,
      partial.line.last == ASCII.carriageReturn
    else { return false }
    let line = Line(start: partial.start, length: partial.length, next: nil, limits: events.limits(context))
    let content = Array(partial.line.dropLast())
    let hasBegun = content.withOctets {
      StartLine.isCertain($0) && begin($0, line, &events, &context)
    }
    guard hasBegun else { return false }
    forgetLine()
    breakMessage([.incomplete, .headerNotSeen], by: .loss, &events, &context)
    return true
  }

  /// Ends the stream. `isComplete` is true if the sender closed it (FIN), and no octet can follow `position`.
  mutating func finish<Events: HTTP1Events>(
    isComplete: Bool, events: inout Events, context: inout Events.Context
  ) {
    switch state {
    case .bodyUntilClose where isComplete: completeMessage(&events, &context)
    case .undecided where isComplete: completeWithoutContent(&events, &context)
    case .startLine, .lost, .other: dropLine(&events, &context)
    case .fields, .undecided, .body, .bodyUntilClose, .chunkSize, .chunkData, .chunkEnd, .trailer:
      breakMessage(.incomplete, by: isComplete ? .end : .other, &events, &context)
    }
  }
}
