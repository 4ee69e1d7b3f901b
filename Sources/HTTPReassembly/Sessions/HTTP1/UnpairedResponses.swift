// Which response answers which request, where requests overlapped and octets were lost (MEASURES §10).
//
// Runs of messages without a hole between them keep their distance; across a hole it is unknown. Of all ways to give the responses to
// the requests in their order, the one with the most acknowledgments that fit is taken; where two are as good, nothing is.
//
// A hole between two whole messages holds at least one message: it has a place of its own among the others, and takes a counterpart as
// they do. And it holds no more requests than there is room for, by the shortest one that the client has sent.

import Packets

/// Responses whose requests are looked for, in the order of the stream.
struct UnpairedResponses {
  struct Response {
    var row: RowIndex
    var isInterim: Bool
    var start: StreamPosition
    /// How far the server had read the requests when it started the response.
    var acknowledged: StreamPosition
    /// Whether responses may have been lost directly before it.
    var followsHole: Bool
    /// What is between it and the response before it.
    var interval: MessageInterval
    /// Whether its head was lost: it starts somewhere before `start`, and may be more than one.
    var isHeadless: Bool
    /// Capture time since which it waits.
    var since: Int64
  }

  var responses: [Response] = []
  /// Whether responses may have been lost directly before the next one, and what is between it and the one before.
  var nextFollowsHole = false
  var nextInterval = MessageInterval()
  /// Whether the next one has no head.
  var nextIsHeadless = false
  /// Whether the oldest one waits longer than any should: the next one is looked at with the others, because it shows where they end.
  var isDue = false
  /// Whether the response before the first one has its request: then nothing but what was lost stands between that and the first ones
  /// of both sides.
  var isFrontKnown: Bool

  var memory: Int { MemoryLayout<UnpairedResponses>.stride + 32 + responses.capacity * MemoryLayout<Response>.stride }

  /// Responses that wait at most. What one search costs is its square.
  static var limit: Int { 64 }
  /// Responses that stay to be looked at again with those that come: the acknowledgments of a few requests alone can fit a wrong
  /// pair better than the right one, and it takes what follows to show it.
  static var retained: Int { 32 }
  /// Exchanges among which requests that wait are looked for. Of usual connections nearly all of them wait.
  static var searchLimit: Int { 1024 }
}

extension Conversation {
  /// A response starts whose request cannot be told yet: what comes later will say.
  mutating func deferPair(at start: LineStart, isBehindHole: Bool, wasAligned: Bool, _ run: inout Run) -> Pair {
    if let waiting = unpaired, let first = waiting.value.responses.first {
      if run.clock - first.since > run.configuration.acknowledgedHoleTimeout {
        waiting.value.isDue = true
      } else if waiting.value.responses.count >= UnpairedResponses.limit {
        // Where nothing was lost lately, those that come go on like the last ones.
        let isQuiet = !isBehindHole && isQuiet(waiting.value.responses.suffix(UnpairedResponses.retained), run)
        pairDeferred(retaining: isQuiet ? 0 : UnpairedResponses.retained, &run)
      }
      if isAligned, !isBehindHole, let pair = nextPair(run) { return pair }
      isAligned = false
    }
    let waiting = unpaired ?? OwnMemory(UnpairedResponses(isFrontKnown: wasAligned))
    unpaired = waiting
    waiting.value.nextFollowsHole = isBehindHole
    waiting.value.nextInterval = interval(before: start, run)
    return Pair(exchange: -1, pairing: .unknown)
  }

  /// Whether nothing was lost before some responses, nor before any request that waits, but for the oldest ones.
  private func isQuiet(_ responses: ArraySlice<UnpairedResponses.Response>, _ run: borrowing Run) -> Bool {
    guard !responses.contains(where: \.followsHole), !(requestSide.map { followsHole[$0] } ?? true) else {
      return false
    }
    let oldest = max(nextToAnswer, exchanges.end - UnpairedResponses.retained)
    for number in oldest..<max(oldest, exchanges.end) where read(number, run, { $0.followsHole }) == true {
      return false
    }
    return true
  }

  /// What a response is given to that continues a run of known ones.
  private func nextPair(_ run: borrowing Run) -> Pair? {
    read(nextToAnswer, run) { $0.exchange.request != nil && !$0.followsHole } == true
      ? Pair(exchange: nextToAnswer, pairing: .inferred) : nil
  }

  /// The row of a response is there whose request is looked for.
  mutating func wait(forPairOf row: RowIndex, isInterim: Bool, at start: LineStart, _ run: inout Run) {
    guard let waiting = unpaired else { return }
    waiting.value.responses.append(
      UnpairedResponses.Response(
        row: row, isInterim: isInterim, start: start.position, acknowledged: start.arrival.acknowledged,
        followsHole: waiting.value.nextFollowsHole, interval: waiting.value.nextInterval,
        isHeadless: waiting.value.nextIsHeadless, since: run.clock))
    waiting.value.nextIsHeadless = false
    guard waiting.value.isDue else { return }
    waiting.value.isDue = false
    pairDeferred(retaining: 1, &run)
  }

  /// Gives the responses that wait to requests, as far as that can be told, but for the last `retained` ones.
  mutating func pairDeferred(retaining retained: Int = 0, _ run: inout Run) {
    guard let waiting = unpaired else { return }
    let responses = waiting.value.responses
    let isFrontKnown = waiting.value.isFrontKnown
    let given = max(responses.count - retained, 0)
    if retained == 0 { unpaired = nil } else { waiting.value.responses.removeFirst(given) }
    guard given > 0 else { return }
    skipAnswered(run)
    let oldest = nextToAnswer
    let requests = waitingRequests(run)
    let isGapAtEnd = requestSide.map { followsHole[$0] } ?? true
    let (asked, answers) = (
      askedPlaces(requests, isFrontKnown: isFrontKnown), answerPlaces(responses, isFrontKnown: isFrontKnown, run)
    )
    let alignment = Alignment(
      gaps: asked.map(\.followsHole) + [isGapAtEnd],
      responses: answers.map { Alignment.Answer(isInterim: $0.isInterim, followsHole: $0.followsHole) }
    ) {
      asked[$0].evidence(for: $1, of: answers)
    }
    for (place, answer) in answers.enumerated() {
      guard let index = answer.index, index < given else { continue }
      let number = alignment.partner(of: place).flatMap { asked[$0].number }
      waiting.value.isFrontKnown = number != nil
      give(responses[index], to: number, isLast: index == responses.count - 1, &run)
    }
    // One that is never answered may have any number of exchanges behind it that are.
    if requests.count < UnpairedResponses.limit * 2, nextToAnswer == oldest,
      exchanges.end - oldest > UnpairedResponses.searchLimit
    {
      passUnanswered(before: oldest + 1, &run)
    }
    finishExchanges(&run)
  }

  /// The requests that wait, and between them those that were certainly lost.
  private func askedPlaces(_ requests: [WaitingRequest], isFrontKnown: Bool) -> [WaitingRequest] {
    let shortest = requestLengths.shortest
    var places: [WaitingRequest] = []
    places.reserveCapacity(requests.count * 2)
    for request in requests {
      var next = request
      if request.followsHole, isFrontKnown || !places.isEmpty {
        let holdsMore = request.interval.holdsMore(thanCertain: shortest)
        if request.interval.holdsMessage { places.append(WaitingRequest(lostBefore: request)) }
        // A lost one may have been sent with it.
        if request.interval.holdsMessage || holdsMore { next.acknowledgedBefore = nil }
        next.followsHole = holdsMore
      } else if places.isEmpty, !isFrontKnown {
        next.followsHole = true
      }
      places.append(next)
    }
    return places
  }

  /// The responses that wait, and between them those that were certainly lost.
  private func answerPlaces(
    _ responses: [UnpairedResponses.Response], isFrontKnown: Bool, _ run: borrowing Run
  ) -> [Candidate] {
    var places: [Candidate] = []
    places.reserveCapacity(responses.count * 2)
    for (index, response) in responses.enumerated() {
      var next = Candidate(response, run)
      next.index = index
      if places.isEmpty, !isFrontKnown {
        next.followsHole = true
      } else if response.followsHole, response.interval.holdsMessage {
        places.append(Candidate(lostBefore: response))
      }
      places.append(next)
    }
    return places
  }

  /// The requests that wait for a response, oldest first, as many as one search looks at.
  private func waitingRequests(_ run: borrowing Run) -> [WaitingRequest] {
    var requests: [WaitingRequest] = []
    var number = nextToAnswer
    let end = min(exchanges.end, nextToAnswer + UnpairedResponses.searchLimit)
    while number < end, requests.count < UnpairedResponses.limit * 2 {
      let before = read(number - 1, run) { $0.exchange.request == nil ? nil : $0.acknowledged } ?? nil
      let request = read(number, run) { open in
        open.exchange.request == nil || open.isAnswered
          ? nil : WaitingRequest(open, number: number, acknowledgedBefore: before)
      }
      if let request = request ?? nil { requests.append(request) }
      number += 1
    }
    return requests
  }

  private mutating func give(
    _ response: UnpairedResponses.Response, to number: Int?, isLast: Bool, _ run: inout Run
  ) {
    let row = response.row
    let exchange: Int
    if let number {
      passUnanswered(before: number, &run)
      exchange = number
      run.rows[message: row].pairing = .inferred
      run.rows[message: row].flags.insert(.pairingUncertain)
    } else {
      exchange = orphan(started: run.rows[message: row].firstTime, &run)
      run.rows[message: row].flags.insert(.pairingUncertain)
      run.note(.httpResponseWithoutRequest)
    }
    run.rows.messages[Int(row)].exchange = exchange
    adoptRequest(of: exchange, into: row, &run)
    guard !response.isInterim else { return }
    noteResponseStart(of: exchange, row, &run)
    let isInProgress = owners.look(1 - (requestSide ?? 0)) { $0.newest.row == row && $0.newest.isInProgress }
    let last = run.rows[message: row].lastTime
    change(exchange, &run) { open in
      open.isAnswered = true
      if !isInProgress { open.responseLast = last }
    }
    if number != nil { nextToAnswer = exchange + 1 }
    if isLast, number != nil {
      isAligned = true
      isAlignmentInferred = true
    }
  }
}

// One search asks for some thousand pairs: what it asks of them is gathered before, so that none of it copies what a run has.

/// What a search asks of a response, or of one that was lost.
private struct Candidate {
  /// Where it starts; of a lost one, the last place where it may.
  let start: StreamPosition
  /// How far the server had read the requests when it started it; of a lost one, at most.
  let acknowledged: StreamPosition
  var followsHole: Bool
  var isInterim = false
  var hasBody = false
  /// Whether content was announced, and did not follow.
  var isEmpty = false
  /// Whether nothing of its head was captured.
  var isLost = false
  /// The place of its row among those that wait; nil when it has none.
  var index: Int?

  init(_ response: UnpairedResponses.Response, _ run: borrowing Run) {
    start = response.start
    acknowledged = response.acknowledged
    followsHole = response.followsHole
    isInterim = response.isInterim
    isLost = response.isHeadless
    (hasBody, isEmpty) = run.rows.messages.look(Int(response.row)) { open in
      // Chunked content may have nothing but its framing, and content may be in a hole.
      let hasBody = open.message.octets.body + open.message.octets.framing + open.message.missing > 0
      let isEmpty = open.announcesContent && !hasBody && open.message.exactness != .atLeast
      return (hasBody, isEmpty && open.message.status >= 200)
    }
  }

  /// The response that was certainly lost before another one.
  init(lostBefore response: UnpairedResponses.Response) {
    start = response.start - MessageInterval.shortestMessage
    acknowledged = response.acknowledged
    followsHole = true
    isLost = true
  }
}

/// What a search asks of a request that waits for its response, or of one that was lost.
private struct WaitingRequest {
  /// Its exchange's number in the conversation; nil of a lost one.
  let number: Int?
  var followsHole: Bool
  let interval: MessageInterval
  private let start: StreamPosition
  private let end: StreamPosition
  private let acknowledged: StreamPosition
  /// What the request before it acknowledges; nil when that is not here.
  fileprivate var acknowledgedBefore: StreamPosition?
  private let hasContent: Bool
  private let isHEAD: Bool

  init(_ open: borrowing OpenExchange, number: Int, acknowledgedBefore: StreamPosition?) {
    self.number = number
    self.acknowledgedBefore = acknowledgedBefore
    followsHole = open.followsHole
    interval = open.interval
    start = open.start
    end = open.end
    acknowledged = open.acknowledged
    hasContent = open.hasContent
    isHEAD = open.method == .head
  }

  /// The request that was certainly lost before another one.
  init(lostBefore request: WaitingRequest) {
    number = nil
    followsHole = false
    interval = MessageInterval()
    start = request.start - Int(request.interval.length)
    end = start
    acknowledged = request.acknowledgedBefore ?? .unknown
    acknowledgedBefore = nil
    hasContent = true
    isHEAD = false
  }

  /// How much speaks for a response's answering it, by its place in its list; nil when it cannot.
  ///
  /// Requests that are sent together acknowledge the same, and so do their responses: only the first of such requests says where
  /// its response starts, and only the last of such responses says where its request ends. Next to a hole that is uncertain.
  func evidence(for index: Int, of responses: [Candidate]) -> Int32? {
    let response = responses[index]
    guard canBeAnswered(by: response) else { return nil }
    guard number != nil, !response.isLost else { return Alignment.lost }
    var evidence: Int32 = 0
    if acknowledged == response.start {
      if followsHole || acknowledgedBefore == nil {
        evidence += Alignment.weak
      } else if acknowledgedBefore != response.start {
        evidence += Alignment.strong
      }
    }
    if end == response.acknowledged {
      let next = index + 1 < responses.count ? responses[index + 1] : nil
      if next?.followsHole != false {
        evidence += Alignment.weak
      } else if next?.acknowledged != response.acknowledged {
        evidence += Alignment.strong
      }
    }
    return evidence
  }

  private func canBeAnswered(by response: Candidate) -> Bool {
    guard acknowledged <= response.start, start < response.acknowledged else { return false }
    // Of what was lost nobody knows the method, nor the content.
    if response.isLost || number == nil { return true }
    // The server has read all of a request when it answers it; of one with content, its head.
    if !hasContent, end > response.acknowledged { return false }
    return isHEAD ? !response.hasBody : !response.isEmpty
  }
}
