// Which response answers which request, where requests overlapped and octets were lost (MEASURES §10).
//
// Runs of messages without a hole between them keep their distance; across a hole it is unknown. Of all ways to give the responses to
// the requests in their order, the one with the most acknowledgments that fit is taken; where two are as good, nothing is.

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
    /// Capture time since which it waits.
    var since: Int64
  }

  var responses: [Response] = []
  /// Whether responses may have been lost directly before the next one.
  var nextFollowsHole = false

  var memory: Int { MemoryLayout<UnpairedResponses>.stride + 32 + responses.capacity * MemoryLayout<Response>.stride }

  /// Responses that wait at most. What one search costs is its square.
  static var limit: Int { 64 }
  /// Responses that stay to be looked at again with those that come: the acknowledgments of a few requests alone can fit a wrong
  /// pair better than the right one, and it takes what follows to show it.
  static var retained: Int { 32 }
}

extension Conversation {
  /// A response starts whose request cannot be told yet: what comes later will say.
  mutating func deferPair(isBehindHole: Bool, _ run: inout Run) -> Pair {
    if let waiting = unpaired, let first = waiting.value.responses.first {
      if run.clock - first.since > run.configuration.acknowledgedHoleTimeout {
        pairDeferred(&run)
      } else if waiting.value.responses.count >= UnpairedResponses.limit {
        // Where nothing was lost lately, those that come go on like the last ones.
        let isQuiet = !isBehindHole && isQuiet(waiting.value.responses.suffix(UnpairedResponses.retained), run)
        pairDeferred(retaining: isQuiet ? 0 : UnpairedResponses.retained, &run)
      }
      if isAligned, !isBehindHole, let pair = nextPair(run) { return pair }
      isAligned = false
    }
    let waiting = unpaired ?? OwnMemory(UnpairedResponses())
    unpaired = waiting
    waiting.value.nextFollowsHole = isBehindHole
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
        followsHole: waiting.value.nextFollowsHole, since: run.clock))
  }

  /// Gives the responses that wait to requests, as far as that can be told, but for the last `retained` ones.
  mutating func pairDeferred(retaining retained: Int = 0, _ run: inout Run) {
    guard let waiting = unpaired else { return }
    let responses = waiting.value.responses
    let given = max(responses.count - retained, 0)
    if retained == 0 { unpaired = nil } else { waiting.value.responses.removeFirst(given) }
    guard given > 0 else { return }
    skipAnswered(run)
    let waitingRequests = waitingRequests(run)
    let gaps = waitingRequests.map { read($0, run, { $0.followsHole }) ?? true }
    let isGapAtEnd = requestSide.map { followsHole[$0] } ?? true
    let alignment = Alignment(gaps: gaps + [isGapAtEnd], responses: responses) { request, response in
      evidence(request, of: waitingRequests, response, of: responses, run)
    }
    for (index, response) in responses.prefix(given).enumerated() {
      let number = alignment.partner(of: index).map { waitingRequests[$0] }
      give(response, to: number, isLast: index == responses.count - 1, &run)
    }
    finishExchanges(&run)
  }

  /// The requests that wait for a response, oldest first, as many as one search looks at.
  private func waitingRequests(_ run: borrowing Run) -> [Int] {
    var numbers: [Int] = []
    var number = nextToAnswer
    while number < exchanges.end, numbers.count < UnpairedResponses.limit * 2 {
      if read(number, run, { $0.exchange.request != nil && !$0.isAnswered }) == true { numbers.append(number) }
      number += 1
    }
    return numbers
  }

  /// How much speaks for a response's answering a request, by their places in their lists; nil when it cannot.
  ///
  /// Requests that are sent together acknowledge the same, and so do their responses: only the first of such requests says where
  /// its response starts, and only the last of such responses says where its request ends. Next to a hole that is uncertain.
  private func evidence(
    _ request: Int, of requests: [Int], _ index: Int, of responses: [UnpairedResponses.Response], _ run: borrowing Run
  ) -> Int32? {
    let response = responses[index]
    guard let keys = keys(requests[request], response, run) else { return nil }
    var evidence: Int32 = 0
    if keys.ofRequest {
      let before = read(requests[request] - 1, run) { $0.exchange.request == nil ? nil : $0.acknowledged } ?? nil
      if read(requests[request], run, { $0.followsHole }) == true || before == nil {
        evidence += Alignment.weak
      } else if before != response.start {
        evidence += Alignment.strong
      }
    }
    if keys.ofResponse {
      let next = index + 1 < responses.count ? responses[index + 1] : nil
      if next?.followsHole != false {
        evidence += Alignment.weak
      } else if next?.acknowledged != response.acknowledged {
        evidence += Alignment.strong
      }
    }
    return evidence
  }

  /// Which acknowledgments fit if a response answers a request; nil when it cannot.
  private func keys(
    _ number: Int, _ response: UnpairedResponses.Response, _ run: borrowing Run
  ) -> (ofRequest: Bool, ofResponse: Bool)? {
    let (octets, isEmpty) = run.rows.messages.look(Int(response.row)) {
      let isEmpty = $0.announcesContent && $0.message.octets.body == 0 && $0.message.exactness != .atLeast
      return ($0.message.octets, isEmpty && $0.message.status >= 200)
    }
    return read(number, run) { request in
      guard request.acknowledged <= response.start, request.start < response.acknowledged else { return nil }
      // The server has read all of a request when it answers it; of one with content, its head.
      if !request.hasContent, request.end > response.acknowledged { return nil }
      if request.method == .head, octets.body > 0 { return nil }
      // Content was announced, and did not follow.
      if isEmpty, request.method != .head { return nil }
      return (request.acknowledged == response.start, request.end == response.acknowledged)
    } ?? nil
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
