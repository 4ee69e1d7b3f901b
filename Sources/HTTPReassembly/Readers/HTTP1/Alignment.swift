/// The best assignment of responses to requests, both in their order.
struct Alignment {
  /// The facts about a captured or a certainly lost response that an alignment needs.
  struct Answer {
    var isInterim: Bool
    /// Whether more responses may have been lost directly before it.
    var followsHole: Bool
  }

  private var partners: [Int?]

  /// The request of a response, by their places in their lists; nil when it cannot be told.
  func partner(of response: Int) -> Int? { partners[response] }

  /// - Parameters:
  ///   - gaps: Whether more requests may have been lost directly before each request, and after the last one.
  ///   - responses: The responses, including interim ones.
  ///   - evidence: The evidence for a pair; nil when the two cannot be a pair.
  init(
    gaps: [Bool], responses: [Answer],
    evidence: (Int, Int) -> Int32?
  ) {
    let requests = gaps.count - 1
    let rows = requests + 1
    let columns = responses.count + 1
    var gains: [Int32] = Array(repeating: Self.impossible, count: rows * columns)
    for request in 0..<requests {
      for response in 0..<responses.count {
        if let found = evidence(request, response) { gains[request * columns + response] = found }
      }
    }
    /// The cost of passing over a message. It is low where its counterpart may have been lost.
    func passRequest(_ response: Int) -> Int32 {
      response == responses.count ? 0 : responses[response].followsHole ? -1 : Self.contradiction
    }
    func passResponse(_ request: Int, _ response: Int) -> Int32 {
      responses[response].isInterim ? 0 : gaps[request] ? -1 : Self.contradiction
    }
    /// The number of requests that a response completes. An interim response leaves its request for the final one.
    func step(_ response: Int) -> Int { responses[response].isInterim ? 0 : 1 }

    // The best possible total for the messages from each pair of places on.
    var rest: [Int32] = Array(repeating: 0, count: rows * columns)
    for request in stride(from: requests, through: 0, by: -1) {
      for response in stride(from: responses.count, through: 0, by: -1) {
        guard request < requests || response < responses.count else { continue }
        var best = Self.impossible * 2
        if request < requests { best = max(best, passRequest(response) + rest[(request + 1) * columns + response]) }
        if response < responses.count {
          best = max(best, passResponse(request, response) + rest[request * columns + response + 1])
          if request < requests {
            let next = rest[(request + step(response)) * columns + response + 1]
            best = max(best, gains[request * columns + response] + next)
          }
        }
        rest[request * columns + response] = best
      }
    }

    // The best possible total for the messages before each pair of places.
    var lead: [Int32] = Array(repeating: Self.impossible * 2, count: rows * columns)
    lead[0] = 0
    for request in 0...requests {
      for response in 0...responses.count {
        let here = lead[request * columns + response]
        func reach(_ request: Int, _ response: Int, _ cost: Int32) {
          let index = request * columns + response
          lead[index] = max(lead[index], here + cost)
        }
        if request < requests { reach(request + 1, response, passRequest(response)) }
        guard response < responses.count else { continue }
        reach(request, response + 1, passResponse(request, response))
        if request < requests {
          reach(request + step(response), response + 1, gains[request * columns + response])
        }
      }
    }

    // A response gets a request when all best assignments agree. It is forced when every other assignment contradicts the capture.
    let best = rest[0]
    partners = Array(repeating: nil, count: responses.count)
    var isForced = Array(repeating: false, count: responses.count)
    for response in 0..<responses.count {
      var options: [(partner: Int?, total: Int32)] = []
      for request in 0...requests {
        let here = lead[request * columns + response]
        let passed = here + passResponse(request, response) + rest[request * columns + response + 1]
        if passed > best + Self.contradiction / 2 { options.append((nil, passed)) }
        guard request < requests else { continue }
        let gain = gains[request * columns + response]
        let total = here + gain + rest[(request + step(response)) * columns + response + 1]
        if gain > Self.impossible, total > best + Self.contradiction / 2 { options.append((request, total)) }
      }
      let equal = options.filter { $0.total == best }
      if let only = equal.first, equal.allSatisfy({ $0.partner == only.partner }) { partners[response] = only.partner }
      isForced[response] = options.count == 1
    }
    forgetUnproven(responses, gaps, isForced) { gains[$0 * columns + $1] }
    fillBetween(gaps)
  }

  /// Makes a pair of the only request and the only response between two pairs, if no request was lost there.
  private mutating func fillBetween(_ gaps: [Bool]) {
    guard partners.count > 2 else { return }
    for response in 1..<partners.count - 1 where partners[response] == nil {
      guard let before = partners[response - 1], let next = partners[response + 1], next == before + 2,
        !gaps[before + 1], !gaps[next]
      else { continue }
      partners[response] = before + 1
    }
  }

  /// Forgets the pairs of each run of messages without a gap if the evidence for the run is too weak.
  ///
  /// Chance alone can make one acknowledgment next to a gap fit.
  private mutating func forgetUnproven(
    _ responses: [Answer], _ gaps: [Bool], _ isForced: [Bool], _ gain: (Int, Int) -> Int32
  ) {
    var first = 0
    while first < responses.count {
      var end = first + 1
      var isProven = false
      var sum: Int32 = 0
      if let partner = partners[first] {
        sum = max(gain(partner, first), 0)
        isProven = isForced[first] || first == 0 && partner == 0 && !responses[0].followsHole && !gaps[0]
        while end < responses.count, !responses[end].followsHole, let next = partners[end],
          let last = partners[end - 1], next == last || next == last + 1 && !gaps[next]
        {
          sum += max(gain(next, end), 0)
          if isForced[end] { isProven = true }
          end += 1
        }
      }
      if !isProven, sum < 2 * Self.weak { for index in first..<end { partners[index] = nil } }
      first = end
    }
  }

  /// The value of a matching acknowledgment, away from gaps and next to a gap. Passing over a message costs 1.
  static let strong: Int32 = 5
  static let weak: Int32 = 2
  /// The value of a pair with one lost half.
  static let lost: Int32 = -1

  /// The value of an impossible pair.
  private static var impossible: Int32 { -1_000_000 }
  /// The value of a message without a counterpart where no message was lost.
  private static var contradiction: Int32 { -1000 }
}
