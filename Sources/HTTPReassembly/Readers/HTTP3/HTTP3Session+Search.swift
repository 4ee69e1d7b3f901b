// Frames behind a gap that contained the header of one (MEASURES §8, §10).

import Packets

/// A search for the place where a frame of DATA begins again, behind a gap in the content of a message or in front of it.
struct HTTP3FrameSearch {
  /// Octets of the gap.
  var missing: Int
  /// Whether the octets are known to go on with content of the frame whose header was lost.
  var isInside = false
  /// The number of held octets at which it looks again.
  var nextLength = 4096

  /// The number of held octets at which it ends: octets in which no frame shows are then content of a frame that is longer.
  static let octetLimit = 256 << 10
  /// The number of headers in a row that show frames.
  private static let headersInRow = 3
  /// The length from which two headers in a row show frames. It has four octets, and a place that far away is one by chance as seldom.
  private static let farAway = 1 << 14
  /// The length of a single frame that fits exactly before the end of its stream. Shorter ones occur by chance, except right behind the gap:
  /// that is one place, and packets often begin with a frame.
  private static let longEnough = 64

  /// The number of octets from which those without frames are content, in front of frames or where the search has to end.
  static let longLength = 64 << 10

  /// The headers from a place on, each behind the frame of the one before.
  private struct Chain {
    var headers: UInt8 = 0
    /// Whether they lead exactly to the end of the stream.
    var isEnding = false
    /// Whether the octet at the place was not seen.
    var isUnseen = false
    /// The place of the next header.
    var next = 0
  }

  /// The octets from which a stream's rest is content, if no frame begins in it. Fewer may be the rest of fields.
  private static let leastContent = 2048

  /// The kinds of octets that lie behind a gap.
  enum Reading: Equatable {
    /// Frames, the first of them DATA at an offset.
    case frames(at: Int)
    /// Content of the frame whose header was lost, to the end of the stream.
    case content
    /// No frame shows.
    case nothing
    /// Frames show in two ways, or the octets contradict Content-Length.
    case unknown
  }

  /// Looks for headers of DATA that show frames.
  ///
  /// `isEnd` says whether the stream ends behind the octets. Octets that were not seen are in `unseen`, and have the value 0xff, which
  /// begins no frame. A header that leads to them shows as much as one that leads beyond all octets.
  static func read(
    _ octets: RawSpan, isEnd: Bool, unseen: [Range<Int>] = [], isInside: Bool = false
  ) -> Reading {
    let count = octets.byteCount
    var chains = [Chain](repeating: Chain(), count: count + 1)
    for place in unseen.joined() { chains[place].isUnseen = true }
    var best: Int?
    var isContent = isEnd && (isInside || unseen.isEmpty && count >= leastContent)
    for place in (0..<count).reversed() {
      if isContent, !isInside, isLastFrame(octets, at: place) { isContent = false }
      let type = UInt64(octets.octet(place))
      guard type == HTTP3Type.data || type == HTTP3Type.headers else { continue }
      var offset = place + 1
      guard let length = octets.variableLengthInteger(&offset), length <= UInt32.max else { continue }
      let next = offset + length
      var chain = Chain(headers: 1, isEnding: isEnd && next == count, next: next)
      if next < count {
        // Trailer fields end the stream, and empty frames have no use elsewhere.
        guard type == HTTP3Type.data, length > 0, chains[next].headers > 0 || chains[next].isUnseen else { continue }
        chain.headers = min(chains[next].headers, .max - 1) + 1
        chain.isEnding = chains[next].isEnding
      }
      chains[place] = chain
      guard type == HTTP3Type.data, length > 0,
        chain.headers >= headersInRow || chain.headers > 1 && length >= farAway
          || chain.isEnding && (chain.headers > 1 || length >= longEnough || place == 0)
      else { continue }
      // Each further place has to lead to the ones behind it.
      if let known = best, !leads(from: place, to: known, chains) { return .unknown }
      best = place
    }
    return best.map { .frames(at: $0) } ?? (isContent ? .content : .nothing)
  }

  /// Whether octets from a place on may be one frame of a message, or a reserved one (RFC 9114 §7.2.8). Any frame in a stream leads to its last one.
  private static func isLastFrame(_ octets: RawSpan, at place: Int) -> Bool {
    var offset = place
    guard let type = octets.variableLengthInteger(&offset),
      type <= HTTP3Type.headers || type >= 0x21 && (type - 0x21) % 0x1f == 0,
      let length = octets.variableLengthInteger(&offset)
    else { return false }
    return length == octets.byteCount - offset
  }

  /// Whether headers from a place on lead to a later one, or to octets in front of it that were not seen.
  private static func leads(from place: Int, to later: Int, _ chains: [Chain]) -> Bool {
    var place = place
    while place < later, !chains[place].isUnseen { place = chains[place].next }
    return place <= later
  }
}

extension HTTP3Session {
  /// Begins to look for frames behind a gap of `count` octets, if it lies in the content of a message, or is where a message begins. The
  /// stream then waits.
  mutating func beginSearch(_ flow: Flow, behind count: Int, _ run: inout Run) -> Bool {
    guard isSearchable(flow, &run),
      waiting.look(0, { $0.count }) + waiting.look(1, { $0.count }) < run.configuration.blockedStreamLimit / 2
    else { return false }
    flow.value.integer.reset()
    flow.value.position += count
    flow.value.search = HTTP3FrameSearch(missing: count)
    wait(flow, run.side, for: .frames)
    return true
  }

  /// Whether frames of DATA may come behind a gap at the current place of a stream.
  private mutating func isSearchable(_ flow: Flow, _ run: inout Run) -> Bool {
    switch flow.value.phase {
    case .frameType: break
    case .frameLength where flow.value.frameType == HTTP3Type.data: break
    default: return false
    }
    guard let slot = streams.slot(of: flow.value.key), streams[slot].halves[run.side].state != .idle else {
      return beginsBehindGap(flow, run)
    }
    // While the request is unknown, the frames count as content, as those in front of the gap did.
    if streams[slot].halves[run.side].mayBeTunnel { streams.resolveTunnel(slot, run.side, &run) }
    let half = streams[slot].halves[run.side]
    guard half.state == .content, !half.isTunnel, !flow.value.hasTrailers else { return false }
    // Behind an interim response, the gap has another message's start. Content shows that it is none.
    return !half.isStatusUnknown || run.rows[message: half.message.row].octets.body > 0
  }

  /// Whether the stream's first octets were lost, and no message of this side has begun on it.
  private mutating func beginsBehindGap(_ flow: Flow, _ run: borrowing Run) -> Bool {
    guard flow.value.kind == .request, !flow.value.hasFrame, flow.value.waiting == 0 else { return false }
    guard let slot = streams.slot(of: flow.value.key) else { return true }
    return streams[slot].halves[run.side].state == .idle && !streams[slot].hasFinalMessage
  }

  /// Looks for frames if enough octets have come since the last time.
  mutating func searchIfDue(_ flow: Flow, _ run: inout Run) {
    guard let state = flow.value.search else { return }
    // Sections that wait for fields need the other half.
    let isTooMuch =
      flow.value.heldLength >= HTTP3FrameSearch.octetLimit || heldOctets > run.configuration.blockedOctetLimit / 2
    guard isTooMuch || flow.value.heldLength >= state.nextLength else { return }
    search(flow, isLast: isTooMuch, &run)
  }

  /// Looks for frames in the held octets, and goes on with them. `isLast` ends the search: without frames the octets have no owner.
  mutating func search(_ flow: Flow, isLast: Bool, isForced: Bool = false, _ run: inout Run) {
    var isLast = isLast
    while let state = flow.value.search {
      var found = read(flow, state, run)
      let isLong = isLast && found == .nothing && (state.isInside || isLongEnough(flow))
      if isLong { found = .content }
      guard isLast || found != .nothing && found != .unknown else {
        flow.value.search?.nextLength = max(2 * flow.value.heldLength, state.nextLength)
        return
      }
      flow.value.search = nil
      flow.value.isWaiting = false
      waiting[run.side].removeAll { $0.stream == flow.value.stream }
      if !goOn(flow, found, behind: state.missing, &run) {
        giveUpFrame(flow, &run)
        lose(flow, &run)
        extendOwners(flow, .none, run)
      }
      readHeld(flow, isForced: isForced, &run)
      if isLong, !isForced { searchOn(flow, &run) }
      // It may wait for frames behind a later gap.
      isLast = isForced || flow.value.end != nil
    }
  }

  /// Whether frames would show in the held octets. Where many were not seen, headers of frames are likely to be among them.
  private func isLongEnough(_ flow: Flow) -> Bool {
    var unseen = 0
    for index in 0..<flow.value.held.count { unseen += flow.value.held[index].hidden }
    return flow.value.heldLength >= max(HTTP3FrameSearch.longLength, 8 * unseen)
  }

  /// Looks for frames behind octets that are content of a long one.
  private mutating func searchOn(_ flow: Flow, _ run: inout Run) {
    guard case .frameType = flow.value.phase, !flow.value.isWaiting else { return }
    guard isSearchable(flow, &run) else {
      lose(flow, &run)
      return extendOwners(flow, .none, run)
    }
    flow.value.search = HTTP3FrameSearch(missing: 0, isInside: true, nextLength: HTTP3FrameSearch.octetLimit)
    wait(flow, run.side, for: .frames)
  }

  /// Tells what kind the held octets have. Those that end the stream are the rest of one frame if, with its header, they have exactly the octets that
  /// Content-Length leaves. They are not if they have others.
  private mutating func read(
    _ flow: Flow, _ search: HTTP3FrameSearch, _ run: borrowing Run
  ) -> HTTP3FrameSearch.Reading {
    guard let slot = streams.slot(of: flow.value.key) else { return read(flow, isInside: search.isInside) }
    let (state, length, message) = streams[slot].halves.look(run.side) { ($0.state, $0.contentLength, $0.message) }
    guard state == .content, length > 0, message.isOpen(run.rows) else { return read(flow, isInside: search.isInside) }
    let (known, lost) = run.rows.messages.look(Int(message.row)) { ($0.message.octets.body, $0.message.missing) }
    let left = length - known
    let rest = flow.look { $0.unreadLength }
    let before = flow.value.waiting + search.missing
    // The type of DATA has one octet.
    let header = 1 + HTTP3Integer.length(of: UInt64(max(left, 0)))
    let isEnd = flow.value.end == .complete
    if isEnd, lost == 0, left > 0, rest > 0, before >= header, before + rest == header + left { return .content }
    switch read(flow, isInside: search.isInside) {
    case .content where lost == 0 || rest > left: return .unknown
    case .nothing where rest > left: return .unknown
    case let found: return found
    }
  }

  private func read(_ flow: Flow, isInside: Bool) -> HTTP3FrameSearch.Reading {
    if isInside, flow.value.held.isEmpty { return flow.value.end == nil ? .nothing : .frames(at: 0) }
    var octets: [UInt8] = []
    var unseen: [Range<Int>] = []
    var isEnd = flow.value.end == .complete
    for index in 0..<flow.value.held.count {
      let piece = flow.value.held[index]
      let length = piece.hidden + piece.octets.count - piece.taken
      guard octets.count + length <= 2 * HTTP3FrameSearch.octetLimit else {
        isEnd = false
        break
      }
      if piece.hidden > 0 {
        unseen.append(octets.count..<octets.count + length)
        octets += repeatElement(0xff, count: length)
      } else {
        octets += piece.octets[piece.taken...]
      }
    }
    return octets.withOctets { HTTP3FrameSearch.read($0, isEnd: isEnd, unseen: unseen, isInside: isInside) }
  }

  /// Goes on behind a gap. Octets before the first frame are content of the one whose header was lost. They have no owner where the message's
  /// start was lost, too, and they may be fields.
  private mutating func goOn(
    _ flow: Flow, _ reading: HTTP3FrameSearch.Reading, behind missing: Int, _ run: inout Run
  ) -> Bool {
    let offset: Int
    switch reading {
    case .frames(let place): offset = place
    case .content: offset = flow.look { $0.unreadLength }
    case .nothing, .unknown: return false
    }
    let isContent = reading == .content || offset >= HTTP3FrameSearch.longLength
    let side = run.side
    let isStart = beginsBehindGap(flow, run)
    guard let slot = isStart ? startBehindGap(flow, &run) : streams.slot(of: flow.value.key),
      streams[slot].halves[side].state == .content
    else { return false }
    let message = streams[slot].halves[side].message
    guard message.isOpen(run.rows) else { return false }
    awaitFrame(flow)
    flow.value.frameType = HTTP3Type.data
    if isStart {
      flow.value.hasFrame = true
      if isContent { flow.value.message = message }
      extendOwners(flow, flow.value.message, run)
    } else {
      flow.value.message = message
      if flow.value.waiting > 0 { countFraming(flow, &run) }
      extendOwners(flow, message, run)
      run.rows[message: message.row].missing += missing
    }
    streams[slot].halves[side].content.lose()
    run.rows[message: message.row].flags.insert(.contentNotSeen)
    if offset > 0 {
      flow.value.phase = isStart && !isContent ? .stray : .content
      flow.value.left = UInt64(offset)
    } else {
      flow.value.message = .none
    }
    return true
  }

  /// Starts the message whose fields were lost. Returns its slot.
  private mutating func startBehindGap(_ flow: Flow, _ run: inout Run) -> Int {
    let start = flow.value.held.isEmpty ? run.arrival : flow.value.held[0].arrival
    let slot =
      streams.slot(of: flow.value.key) ?? streams.open(flow.value.key, number: flow.value.stream, at: start.time, &run)
    _ = streams.startWithoutFields(slot, run.side, isRequest: run.side == client, start, &run)
    return slot
  }
}
