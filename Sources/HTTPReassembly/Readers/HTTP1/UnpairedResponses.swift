// Pairs of requests and responses, if requests overlapped and octets were lost (MEASURES §10).
//
// Messages in a run without a gap keep their distance. Across a gap, the distance is unknown. Of all assignments of responses
// to requests in their order, the one with the most matching acknowledgments is taken. If two are equally good, none is taken.
//
// A gap between two whole messages contains at least one message. It has its own place among the others, and takes a
// counterpart as they do. The gap contains no more requests than it has room for, by the client's shortest request.

import Packets

/// Responses that wait for their requests, in the order of the stream.
struct UnpairedResponses {
  struct Response {
    var row: RowIndex
    var isInterim: Bool
    var start: StreamPosition
    /// The position up to which the server had read the requests when it started the response.
    var acknowledged: StreamPosition
    /// Whether responses may have been lost directly before it.
    var followsHole: Bool
    /// The interval between it and the response before it.
    var interval: MessageInterval
    /// Whether its head was lost. It starts somewhere before `start`, and may be more than one response.
    var isHeadless: Bool
    /// The capture time since which it waits.
    var since: Int64
  }

  var responses: [Response] = []
  /// Whether responses may have been lost directly before the next one, and the interval between it and the one before.
  var nextFollowsHole = false
  var nextInterval = MessageInterval()
  /// Whether the next one has no head.
  var nextIsHeadless = false
  /// Whether the oldest response has waited too long. The next one is paired with the others, because it shows where they end.
  var isDue = false
  /// Whether the response before the first one has its request. Then only lost messages stand between that pair and the first
  /// messages of both sides.
  var isFrontKnown: Bool

  var memory: Int { MemoryLayout<UnpairedResponses>.stride + 32 + responses.capacity * MemoryLayout<Response>.stride }

  /// The maximum number of waiting responses. The cost of one search is its square.
  static var limit: Int { 64 }
  /// The number of responses kept for a second search with later ones.
  ///
  /// The acknowledgments of a few requests alone can fit a wrong pair better than the right one. Later messages show the error.
  static var retained: Int { 32 }
  /// The number of exchanges searched for waiting requests. In usual connections nearly all of them wait.
  static var searchLimit: Int { 1024 }
}

extension Conversation {
  /// Defers the pair of a response whose request is still unknown. Later messages decide it.
  mutating func deferPair(at start: LineStart, isBehindHole: Bool, wasAligned: Bool, _ run: inout Run) -> Pair {
    if let waiting = unpaired, let first = waiting.value.responses.first {
      if run.clock - first.since > run.configuration.acknowledgedHoleTimeout {
        waiting.value.isDue = true
      } else if waiting.value.responses.count >= UnpairedResponses.limit {
        // Without recent losses, later responses continue like the last ones.
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

  /// Whether no messages were lost before some responses and before the waiting requests, except the oldest ones.
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

  /// The pair of a response that continues a run of known ones.
  private func nextPair(_ run: borrowing Run) -> Pair? {
    read(nextToAnswer, run) { $0.exchange.request != nil && !$0.followsHole } == true
      ? Pair(exchange: nextToAnswer, pairing: .inferred) : nil
  }

  /// Adds a response with its row to the responses that wait for their requests.
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

  /// Pairs the waiting responses with requests where possible, except the last `retained` ones.
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
    // Any number of answered exchanges may follow one that is never answered.
    if requests.count < UnpairedResponses.limit * 2, nextToAnswer == oldest,
      exchanges.end - oldest > UnpairedResponses.searchLimit
    {
      passUnanswered(before: oldest + 1, &run)
    }
    finishExchanges(&run)
  }

  /// The waiting requests, and the certainly lost ones between them.
  private func askedPlaces(_ requests: [WaitingRequest], isFrontKnown: Bool) -> [WaitingRequest] {
    let shortest = requestLengths.shortest
    var places: [WaitingRequest] = []
    places.reserveCapacity(requests.count * 2)
    for request in requests {
      var next = request
      if request.followsHole, isFrontKnown || !places.isEmpty {
        let holdsMore = request.interval.holdsMore(thanCertain: shortest)
        if request.interval.holdsMessage { places.append(WaitingRequest(lostBefore: request)) }
        // A lost request may have been sent with it.
        if request.interval.holdsMessage || holdsMore { next.acknowledgedBefore = nil }
        next.followsHole = holdsMore
      } else if places.isEmpty, !isFrontKnown {
        next.followsHole = true
      }
      places.append(next)
    }
    return places
  }

  /// The waiting responses, and the certainly lost ones between them.
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

  /// The requests that wait for a response, oldest first, up to the limits of one search.
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

// One search checks some thousand pairs. Its facts are gathered before, so that no check copies parts of the run.

/// The facts about a captured or a lost response that a search needs.
private struct Candidate {
  /// Its start; for a lost response, the last possible start.
  let start: StreamPosition
  /// The position up to which the server had read the requests when it started the response; for a lost response, the maximum.
  let acknowledged: StreamPosition
  var followsHole: Bool
  var isInterim = false
  var hasBody = false
  /// Whether content was announced, but did not follow.
  var isEmpty = false
  /// Whether its head was not captured.
  var isLost = false
  /// Its index among the waiting responses; nil for a lost one.
  var index: Int?

  init(_ response: UnpairedResponses.Response, _ run: borrowing Run) {
    start = response.start
    acknowledged = response.acknowledged
    followsHole = response.followsHole
    isInterim = response.isInterim
    isLost = response.isHeadless
    (hasBody, isEmpty) = run.rows.messages.look(Int(response.row)) { open in
      // Chunked content may have only its framing, and content may be in a gap.
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

/// The facts about a captured or a lost request that a search needs.
private struct WaitingRequest {
  /// Its exchange's number in the conversation; nil for a lost request.
  let number: Int?
  var followsHole: Bool
  let interval: MessageInterval
  private let start: StreamPosition
  private let end: StreamPosition
  private let acknowledged: StreamPosition
  /// The acknowledgment of the request before it; nil when that request is not here.
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

  /// The evidence that a response, by its index, answers this request; nil when it cannot.
  ///
  /// Requests that are sent together have the same acknowledgment, and so do their responses. Only the first such request
  /// shows where its response starts, and only the last such response shows where its request ends. Next to a gap, this is
  /// uncertain.
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
    // The method and the content of a lost message are unknown.
    if response.isLost || number == nil { return true }
    // A server that answers has read the whole request, or the head of a request with content.
    if !hasContent, end > response.acknowledged { return false }
    return isHEAD ? !response.hasBody : !response.isEmpty
  }
}
