import HTTPReassembly
import TestSupport
import Testing

/// What is still known of connections whose client pipelines, and that lack packets (MEASURES §10).
@Suite struct PipelinedLossTests {
  /// A request is lost, and a later response has content that looks like responses. In one segment it is content where it ends with the
  /// segment. Else it may be a response to HEAD, and no row is exact.
  @Test(arguments: [true, false]) func contentThatLooksLikeAResponseInItsSegment(_ isContent: Bool) {
    var dialogue = Dialogue.opened()
    sendBurst(1...3, by: HTTP.get("/1").utf8.count, lost: [1], on: &dialogue)
    answer(1...3, on: &dialogue)
    let content = HTTP.ok("inner") + HTTP.ok("more")
    dialogue.send(.client, isContent ? HTTP.get("/4") : "HEAD /4 HTTP/1.1\r\nHost: a.example\r\n\r\n" + HTTP.get("/5"))
    let length = isContent ? content.utf8.count : 5000
    dialogue.send(.server, "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n" + content)
    dialogue.close()
    let analysis = analyze(dialogue)
    let last = analysis.responses.dropFirst(3)
    #expect(last.map(\.octets.body) == (isContent ? [content.utf8.count] : [0, 5, 4]))
    #expect(last.allSatisfy { $0.exactness != .exact || isContent })
  }

  /// Bursts of requests, each sent when everything before was answered.
  private func bursts(_ sizes: [Int], lostRequests: Set<Int> = [], lostResponses: Set<Int> = []) -> Dialogue {
    var dialogue = Dialogue.opened()
    var first = 1
    for size in sizes {
      for number in first..<first + size {
        var request = dialogue.segment(.client, [.ack, .push], Array(HTTP.get("/\(number)").utf8))
        request.time = dialogue.now
        dialogue.next[.client] = request.sequence &+ UInt32(request.payload.count)
        if !lostRequests.contains(number) { dialogue.capture(request) }
      }
      dialogue.received[.server] = dialogue.next[.client]
      for number in first..<first + size {
        dialogue.send(
          .server, HTTP.ok(String(repeating: "x", count: number)), isCaptured: !lostResponses.contains(number))
      }
      first += size
    }
    dialogue.close()
    return dialogue
  }

  @Test func pipelinedPairsAreRightOrUnknown() {
    var random = SeededRandom(seed: 99)
    var right = 0
    var possible = 0
    for _ in 0..<RandomCases.count(60) {
      let sizes = (0..<30).map { _ in random.number(1..<9) }
      let count = sizes.reduce(0, +)
      let lostRequests = Set((0..<2).map { _ in random.number(1..<count + 1) })
      let lostResponses = Set((0..<2).map { _ in random.number(1..<count + 1) })
      let analysis = analyze(bursts(sizes, lostRequests: lostRequests, lostResponses: lostResponses))
      for response in analysis.responses {
        let number = response.octets.body
        guard response.pairing != .unknown, response.exactness != .atLeast, response.missing == 0 else { continue }
        if response.path != "/\(number)" { #expect(response.pairing == .inferred, "\(number)") }
      }
      for number in 1...count where !lostRequests.contains(number) && !lostResponses.contains(number) {
        possible += 1
        if analysis.response("/\(number)")?.octets.body == number { right += 1 }
      }
    }
    #expect(Double(right) >= 0.98 * Double(possible), "\(right) of \(possible)")
  }

  /// Sends a burst of requests, cut into segments of `size` octets at most; those in `lost` are not captured.
  private func sendBurst(
    _ numbers: ClosedRange<Int>, by size: Int = 1400, lost: Set<Int> = [], on dialogue: inout Dialogue
  ) {
    let octets = Array(numbers.map { HTTP.get("/\($0)") }.joined().utf8)
    for (index, start) in stride(from: 0, to: octets.count, by: size).enumerated() {
      dialogue.send(
        .client, Array(octets[start..<min(start + size, octets.count)]), isCaptured: !lost.contains(index))
    }
  }

  /// Answers requests, the n-th with n octets, each response in a segment of its own.
  private func answer(_ numbers: ClosedRange<Int>, lost: Set<Int> = [], on dialogue: inout Dialogue) {
    for number in numbers {
      dialogue.send(
        .server, HTTP.ok(String(repeating: "x", count: number)), isCaptured: !lost.contains(number))
    }
  }

  /// A hole between two whole responses holds at least one: six requests and five responses leave one way, though no later response shows
  /// where these end.
  @Test func aHoleHoldsAResponse() {
    var dialogue = Dialogue.opened()
    sendBurst(1...6, on: &dialogue)
    answer(1...6, lost: [3], on: &dialogue)
    let analysis = analyze(dialogue)
    for number in [1, 2, 4, 5, 6] { #expect(analysis.response("/\(number)")?.octets.body == number, "\(number)") }
    #expect(analysis.response("/3") == nil)
  }

  /// A hole as long as one request holds one: what stands between two of them has its place.
  @Test func aHoleHasRoomForOneRequest() {
    var dialogue = Dialogue.opened()
    sendBurst(10...19, on: &dialogue)
    answer(10...19, on: &dialogue)
    let length = HTTP.get("/20").utf8.count
    sendBurst(20...20, lost: [0], on: &dialogue)
    sendBurst(21...24, by: length, lost: [3], on: &dialogue)
    answer(20...24, on: &dialogue)
    let analysis = analyze(dialogue)
    for number in 21...23 { #expect(analysis.response("/\(number)")?.octets.body == number, "\(number)") }
    #expect(analysis.responses.filter { $0.octets.body == 20 || $0.octets.body == 24 }.allSatisfy { $0.path.isEmpty })
  }

  /// Responses without content, by Content-Length or in chunks, answer GET as well as HEAD.
  @Test func emptyContentsBehindALostRequest() {
    var dialogue = Dialogue.opened()
    sendBurst(10...19, on: &dialogue)
    answer(10...19, on: &dialogue)
    sendBurst(20...20, lost: [0], on: &dialogue)
    answer(20...20, on: &dialogue)
    for first in stride(from: 21, to: 61, by: 4) {
      sendBurst(first...first + 3, on: &dialogue)
      answer(first...first, on: &dialogue)
      dialogue.send(.server, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      dialogue.send(.server, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
      answer(first + 3...first + 3, on: &dialogue)
    }
    dialogue.close()
    let analysis = analyze(dialogue)
    for number in 21...60 {
      let length = number % 4 == 1 || number % 4 == 0 ? number : 0
      #expect(analysis.response("/\(number)")?.octets.body == length, "\(number)")
    }
  }

  /// Content that was lost is content all the same: such a response is no sign of HEAD.
  @Test func aContentInAHoleBehindALostRequest() {
    var dialogue = Dialogue.opened()
    sendBurst(10...10, lost: [0], on: &dialogue)
    answer(10...10, on: &dialogue)
    for first in stride(from: 11, to: 41, by: 3) {
      sendBurst(first...first + 2, on: &dialogue)
      answer(first...first, on: &dialogue)
      dialogue.send(.server, "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n")
      dialogue.send(.server, String(repeating: "x", count: 500), isCaptured: first != 17)
      answer(first + 2...first + 2, on: &dialogue)
    }
    dialogue.close()
    let analysis = analyze(dialogue)
    for number in 14...40 {
      let length = number % 3 == 0 ? number == 18 ? 0 : 500 : number
      #expect(analysis.response("/\(number)")?.octets.body == length, "\(number)")
    }
  }

  /// Requests that start within the segment behind a lost one are found where the client has sent nothing but header sections, and not where
  /// what looks like one can be content.
  @Test(arguments: [false, true]) func requestsWithinASegmentBehindAHole(hasContent: Bool) {
    var dialogue = Dialogue.opened()
    sendBurst(10...19, on: &dialogue)
    answer(10...19, on: &dialogue)
    if hasContent {
      dialogue.send(.client, "POST /20 HTTP/1.1\r\nHost: a.example\r\nContent-Length: 3\r\n\r\nabc")
    } else {
      sendBurst(20...20, on: &dialogue)
    }
    answer(20...20, on: &dialogue)
    let length = HTTP.get("/21").utf8.count
    sendBurst(21...28, by: 2 * length + 5, lost: [0], on: &dialogue)
    answer(21...28, on: &dialogue)
    sendBurst(29...32, on: &dialogue)
    answer(29...32, on: &dialogue)
    dialogue.close()
    let analysis = analyze(dialogue)
    let first = hasContent ? 29 : 24
    let found = analysis.requests.filter { (Int($0.path.dropFirst()) ?? 0) > 20 }
    #expect(found.map(\.path) == (first...32).map { "/\($0)" })
    #expect(found.first?.exactness == .inferred)
    for number in first...32 { #expect(analysis.response("/\(number)")?.octets.body == number, "\(number)") }
  }

  /// What looks like a request behind a hole is none where anything but field lines and an empty line comes before it.
  @Test func noRequestBehindOtherLines() {
    var dialogue = Dialogue.opened()
    sendBurst(10...19, on: &dialogue)
    answer(10...19, on: &dialogue)
    let content = "some text\r\nand more of it\r\n\r\n" + HTTP.get("/inner")
    dialogue.send(
      .client, "POST /20 HTTP/1.1\r\nHost: a.example\r\nContent-Length: \(content.utf8.count)\r\n\r\n",
      isCaptured: false)
    dialogue.send(.client, content)
    answer(20...20, on: &dialogue)
    sendBurst(21...24, on: &dialogue)
    answer(21...24, on: &dialogue)
    dialogue.close()
    let analysis = analyze(dialogue)
    #expect(!analysis.requests.contains { $0.path == "/inner" })
    for number in 21...24 { #expect(analysis.response("/\(number)")?.octets.body == number, "\(number)") }
  }

  /// A response whose head is lost belongs to the one request that is left for it.
  @Test func aPipelinedResponseWithoutItsHead() {
    var dialogue = Dialogue.opened()
    sendBurst(1...6, on: &dialogue)
    answer(1...2, on: &dialogue)
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n"
    dialogue.send(.server, head + String(repeating: "x", count: 1000), isCaptured: false)
    for _ in 0..<4 { dialogue.send(.server, String(repeating: "x", count: 1000)) }
    answer(4...6, on: &dialogue)
    dialogue.close()
    let analysis = analyze(dialogue)
    let headless = analysis.response("/3")
    #expect(headless?.octets.total == 4000 && headless?.exactness == .atLeast && headless?.pairing == .inferred)
    #expect(headless?.missing == head.utf8.count + 1000)
    for number in 4...6 { #expect(analysis.response("/\(number)")?.octets.body == number, "\(number)") }
  }

  /// Where two responses have room in it, nobody knows whose the octets behind a hole are.
  @Test func octetsBehindAHoleForTwoResponses() {
    var dialogue = Dialogue.opened()
    sendBurst(1...6, on: &dialogue)
    answer(1...2, on: &dialogue)
    dialogue.send(.server, HTTP.ok("xxx") + "HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n", isCaptured: false)
    for _ in 0..<2 { dialogue.send(.server, String(repeating: "x", count: 1000)) }
    answer(5...6, on: &dialogue)
    sendBurst(7...8, on: &dialogue)
    answer(7...8, on: &dialogue)
    dialogue.close()
    let analysis = analyze(dialogue)
    let headless = analysis.responses.first { $0.octets.total == 2000 }
    #expect(headless?.pairing == .unknown && headless?.path.isEmpty == true)
    for number in 5...6 { #expect(analysis.response("/\(number)")?.octets.body == number, "\(number)") }
  }

  /// A capture that starts within a connection whose client sends several requests in one segment, and whose server answers so: two of each
  /// show it, and what comes later is found.
  @Test func pipeliningFromTheMiddle() {
    var dialogue = Dialogue.opened()
    for first in stride(from: 1, to: 40, by: 4) {
      sendBurst(first...first + 3, on: &dialogue)
      dialogue.send(.server, (first...first + 3).map { HTTP.ok(String(repeating: "x", count: $0)) }.joined())
    }
    dialogue.close()
    let analysis = analyze(Array(dialogue.packets().dropFirst(3)))
    for number in 9...40 { #expect(analysis.response("/\(number)")?.octets.body == number, "\(number)") }
    #expect(analysis.responses.filter { !$0.path.isEmpty }.allSatisfy { $0.path == "/\($0.octets.body)" })
  }
}
