import HTTPReassembly
import TestSupport
import Testing

@testable import Estimates

/// An app's log against the wire.
@Suite struct VerificationTests {
  private let wire = WireSamples.everything

  /// The log of an app that counts as `line`, `header` and `body` say, some time after each message.
  private func log(
    line: LineReading, status: LineReading, header: HeaderReading, body: BodyReading, delay: Int64 = 3_000_000,
    hasLengthOnly: Bool = false, of wire: [WireMessage] = WireSamples.everything
  ) -> AppLog {
    var entries: [LogEntry] = []
    for (index, message) in wire.enumerated() where message.row.kind != .interim {
      var entry = LogEntry(
        row: index + 1, kind: message.row.kind, host: message.host, path: message.path,
        time: message.row.lastTime + delay)
      let isRequest = message.row.kind == .request
      let parts = [
        (isRequest ? line : status).figure(of: message), header.figure(of: message),
        body.figure(of: message) ?? message.row.octets.body,
      ]
      entry.length = parts.reduce(0) { $0 + ($1 ?? 0) }
      if !hasLengthOnly {
        entry.lineLength = parts[0]
        entry.headerLength = parts[1]
        entry.bodyLength = parts[2]
      }
      entries.append(entry)
    }
    return AppLog(dialect: .monitor, entries: entries)
  }

  private func isBalanced(_ verification: Verification) -> Bool {
    verification.rows.allSatisfy { row in
      [row.line, row.header, row.body].allSatisfy {
        $0.difference == nil || $0.difference == $0.causes.octets + $0.unexplained
      }
        && (row.total.app ?? 0) - (row.total.wire ?? 0) == row.total.causes.octets + row.total.unexplained
        || row.message != nil && row.total.app == nil
    }
  }

  @Test func aLogThatCountsAsTheWireHasOnlyWhatAnAppCannotSee() throws {
    let verification = Verification(
      log(
        line: .request(.asSent, .crlf), status: .status(.asSent, .crlf), header: HeaderReading(form: .wire),
        body: .transferred),
      wire)
    let summary = VerificationSummary(verification)
    #expect(isBalanced(verification))
    #expect(summary.matched.count == 12)
    #expect(summary.wireOnly.count == 1)
    #expect(summary.unexplained == 0)
    let names = summary.causes.map(\.cause.kind)
    #expect(names.contains(.interim))
    #expect(names.contains(.chunkFraming))
    #expect(names.contains(.trailers))
    #expect(!names.contains(.fieldNotSeen))
    #expect(verification.clock?.offset == 0)
  }

  @Test func aResponseThatMayBeAnotherRequestsExplainsNothing() throws {
    // Chunk framing is what an app never sees; here it is not known to be the reason.
    var wire = WireSamples.everything
    let index = try #require(wire.firstIndex { $0.row.kind == .response && $0.row.octets.framing > 0 })
    let framing = wire[index].row.octets.framing + wire[index].row.octets.trailer
    wire[index].row.pairing = .inferred
    let verification = Verification(
      log(
        line: .request(.asSent, .crlf), status: .status(.asSent, .crlf), header: HeaderReading(form: .wire),
        body: .transferred, of: wire),
      wire)
    let row = try #require(verification.rows.first { $0.message?.row.number == wire[index].row.number })
    #expect(row.unexplained == -framing)
    #expect(row.total.causes.map(\.kind) == [.inferredPairing])
    #expect(VerificationSummary(verification).unexplained == framing)
    #expect(isBalanced(verification))
  }

  @Test func aMonitorThatDropsWhatItDoesNotSeeIsExplained() throws {
    let wire = WireSamples.repeated
    let verification = Verification(
      log(
        line: .request(.decodedPath, .lineFeed), status: .status(.asSent, .none),
        header: HeaderReading(form: .lineFeed, folds: .comma, unseen: ["accept", "host", "user-agent"]), body: .decoded,
        of: wire), wire)
    let summary = VerificationSummary(verification)
    #expect(isBalanced(verification))
    #expect(summary.unexplained == 0)
    let causes = Dictionary(uniqueKeysWithValues: summary.causes.map { ($0.cause.name, $0.cause.octets) })
    #expect(causes["query dropped"] == -10 * 6)
    #expect(causes["percent-decoding"] == -2 * 6)
    #expect(causes["field not seen by the app (accept)"] == -13 * 6)
    #expect(causes["field not seen by the app (user-agent)"] == -17 * 6)
    #expect(causes["empty line missing"] == -2 * 62)
    #expect(
      verification.requestReadings.first?.description
        == "request-line with the path percent-decoded, no query, ended by LF")
  }

  /// Fields that one row alone could lack are no evidence: any sum can be made of some.
  @Test func whatOneRowAloneWouldShowStaysUnexplained() throws {
    let verification = Verification(
      log(
        line: .request(.asSent, .crlf), status: .status(.asSent, .crlf),
        header: HeaderReading(form: .wire, unseen: ["accept"]), body: .transferred), wire)
    let summary = VerificationSummary(verification)
    #expect(isBalanced(verification))
    #expect(summary.unexplained == 13)
    #expect(!summary.causes.contains { $0.cause.kind == .fieldNotSeen })
  }

  /// A redirection's body has the length of its target's by chance, once. A monitor that counts it does so each time.
  @Test(arguments: [1, 4]) func aRedirectionHasItsTargetsContentWhereSeveralShowIt(_ count: Int) {
    let turns = (0..<4).flatMap { number -> [(request: String, response: String)] in
      let content = String(repeating: "x", count: 100 + 10 * number)
      return [
        (
          "GET /from\(number) HTTP/1.1\r\nHost: a.example\r\n\r\n",
          "HTTP/1.1 302 Found\r\nLocation: /to\(number)\r\nContent-Length: 0\r\n\r\n"
        ),
        (
          "GET /to\(number) HTTP/1.1\r\nHost: a.example\r\n\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: \(content.count)\r\n\r\n\(content)"
        ),
      ]
    }
    let wire = WireSamples.messages(turns)
    var log = log(
      line: .request(.asSent, .crlf), status: .status(.asSent, .crlf), header: HeaderReading(form: .wire),
      body: .transferred, of: wire)
    for index in log.entries.indices {
      log.entries[index].status = log.entries[index].kind == .response ? wire[index].row.status : 0
      guard wire[index].row.status == 302, let number = Int(wire[index].path.suffix(1)), number < count else {
        continue
      }
      log.entries[index].bodyLength = 100 + 10 * number
      log.entries[index].length = (log.entries[index].length ?? 0) + 100 + 10 * number
    }
    let verification = Verification(log, wire)
    #expect(isBalanced(verification))
    let named = verification.rows.filter { $0.total.causes.map(\.kind) == [.redirectContent] }
    #expect(named.count == (count > 1 ? count : 0))
    #expect(VerificationSummary(verification).unexplained == (count > 1 ? 0 : 100))
  }

  /// A length that is by chance the sum without the start-line contradicts the row, where other lengths have the line in them.
  @Test func aLengthWithoutTheLineNeedsOtherRows() throws {
    let wire = WireSamples.repeated
    var log = log(
      line: .request(.asSent, .crlf), status: .status(.asSent, .crlf), header: HeaderReading(form: .wire),
      body: .transferred, of: wire)
    let line = try #require(log.entries[4].lineLength)
    log.entries[4].length = log.entries[4].length.map { $0 - line }
    let one = Verification(log, wire)
    #expect(isBalanced(one) && one.rows[4].unexplained == -line && one.rows(with: .lineNotCounted).isEmpty)
    for index in log.entries.indices where index != 4 {
      log.entries[index].length = log.entries[index].length.map { $0 - (log.entries[index].lineLength ?? 0) }
    }
    let all = Verification(log, wire)
    #expect(isBalanced(all) && !all.rows(with: .lineNotCounted).isEmpty && all.rows(with: .sumOfParts).isEmpty)
  }

  @Test func aLogWithOneFigureAMessageIsExplained() throws {
    let verification = Verification(
      log(
        line: .nothing, status: .nothing, header: HeaderReading(form: .prettyJSON, folds: .comma), body: .transferred,
        hasLengthOnly: true), wire)
    let summary = VerificationSummary(verification)
    #expect(isBalanced(verification))
    #expect(summary.unexplained == 0)
    #expect(summary.causes.contains { $0.cause.kind == .jsonShape })
  }

  @Test func anOctetTooManyIsUnexplained() throws {
    var log = log(
      line: .request(.asSent, .crlf), status: .status(.asSent, .crlf), header: HeaderReading(form: .wire),
      body: .transferred)
    for index in log.entries.indices { log.entries[index].bodyLength = 1_000_003 + index * 7 }
    let verification = Verification(log, wire)
    #expect(isBalanced(verification))
    // All but the response that was cut short, whose rest may have come to the app.
    #expect(verification.rows.filter { $0.status == .matched && $0.unexplained != 0 }.count >= 11)
  }

  /// Figures of a log that is rounded in a way of its own: most are 0, and none is a count of octets.
  @Test func zerosAmongStrangeFiguresSayNothing() {
    let wire = WireSamples.repeated
    var log = log(
      line: .request(.asSent, .crlf), status: .status(.asSent, .crlf), header: HeaderReading(form: .wire),
      body: .transferred, hasLengthOnly: true, of: wire)
    for index in log.entries.indices {
      // Of one message with more than 70 octets in three there are 1 to 7 units.
      log.entries[index].length = (log.entries[index].length ?? 0) > 70 && index % 3 == 0 ? 1 + index % 7 : 0
    }
    let verification = Verification(log, wire)
    #expect(isBalanced(verification))
    let causes = Set(VerificationSummary(verification).causes.map(\.cause.kind))
    #expect(causes.isDisjoint(with: [.lineNotCounted, .headerNotCounted, .bodyNotCounted]), "\(causes)")
    #expect(verification.requestReadings.isEmpty && verification.responseReadings.isEmpty)
  }

  /// Bodies of no octets are right by any count, and say nothing of the others.
  @Test func aCountThatFitsNothingButZerosIsNotNamed() {
    let wire = WireSamples.repeated
    var log = log(
      line: .request(.asSent, .crlf), status: .status(.asSent, .crlf), header: HeaderReading(form: .wire),
      body: .transferred, of: wire)
    for index in log.entries.indices {
      log.entries[index].length = nil
      if let body = log.entries[index].bodyLength, body > 0 { log.entries[index].bodyLength = 500 + index * index % 91 }
    }
    let verification = Verification(log, wire)
    #expect(isBalanced(verification))
    #expect(!(verification.requestReadings + verification.responseReadings).contains { $0.figure == "body" })
    #expect(verification.requestReadings.map(\.figure) == ["start-line", "header"])
  }

  @Test func anyFiguresBalance() {
    var random = SeededRandom(seed: 5)
    for _ in 0..<RandomCases.count(200) {
      var log = log(
        line: .request(.asSent, .crlf), status: .status(.asSent, .crlf), header: HeaderReading(form: .wire),
        body: .transferred)
      for index in log.entries.indices {
        func figure() -> Int? {
          switch Int.random(in: 0..<6, using: &random) {
          case 0: nil
          case 1: Int.random(in: -5...2000, using: &random)
          default: Int.random(in: 0...120, using: &random)
          }
        }
        log.entries[index].lineLength = figure()
        log.entries[index].headerLength = figure()
        log.entries[index].bodyLength = figure()
        log.entries[index].length = figure()
        log.entries[index].isAborted = Bool.random(using: &random)
        if Bool.random(using: &random) { log.entries[index].time = nil }
        if Int.random(in: 0..<4, using: &random) == 0 { log.entries[index].host = "other.example" }
      }
      let balances = isBalanced(Verification(log, wire))
      #expect(balances)
    }
  }

  @Test(arguments: [0, 28_800_000_000_000, -19_800_000_000_000, 1_234_567_890] as [Int64])
  func findsTheClocksOffset(_ offset: Int64) {
    let log = log(
      line: .request(.asSent, .crlf), status: .status(.asSent, .crlf), header: HeaderReading(form: .wire),
      body: .transferred,
      delay: offset)
    let verification = Verification(log, wire)
    #expect(abs((verification.clock?.offset ?? .max / 2) - offset) < 50_000_000)
    #expect(VerificationSummary(verification).matched.count == 12)
  }

  @Test func anotherAppsLogMatchesNothing() {
    let entries = (1...10).map {
      LogEntry(row: $0, kind: .request, host: "elsewhere.example", path: "/\($0)", time: 0)
    }
    let summary = VerificationSummary(Verification(AppLog(dialect: .monitor, entries: entries), wire))
    #expect(summary.matched.count == 0)
    #expect(summary.otherHosts.count == wire.count)
  }

  @Test func matchesEachMessageOnce() {
    // Three rows for one message: two are left over.
    let request = wire.first { $0.path == "/up" && $0.row.kind == .request }
    let entries = (0..<3).map { index in
      var entry = LogEntry(
        row: index, kind: .request, host: "A.example:80", path: "/up/",
        time: (request?.row.firstTime ?? 0) + Int64(index) * 1_000_000)
      entry.length = 10
      return entry
    }
    let verification = Verification(AppLog(dialect: .monitor, entries: entries), wire)
    #expect(verification.rows.filter { $0.status == .matched }.count == 1)
    #expect(verification.rows.filter { $0.status == .appOnly }.count == 2)
    #expect(isBalanced(verification))
  }

  /// The log has a column for header sections, and no row has a value in it.
  @Test(arguments: [false, true]) func aColumnWithoutValuesIsUnknown(_ isThere: Bool) {
    var log = log(
      line: .request(.asSent, .crlf), status: .status(.asSent, .crlf), header: HeaderReading(form: .wire),
      body: .transferred)
    for index in log.entries.indices {
      (log.entries[index].lineLength, log.entries[index].headerLength, log.entries[index].length) = (nil, nil, nil)
    }
    log.columns = isThere ? [.requestHeaderLength, .responseHeaderLength, .bodyLength] : [.bodyLength]
    let verification = Verification(log, wire)
    let matched = verification.rows.filter { $0.entry != nil && $0.message != nil }
    #expect(matched.count == 12)
    #expect(matched.allSatisfy { ($0.total.app == nil) == isThere })
    #expect(verification.rows(with: .headerNotCounted).isEmpty == isThere)
  }

  /// Header sections of requests have the request-line in them; those of responses are a constant.
  @Test func aLineInTheHeaderSectionIsNotMissingWhereOtherFiguresAreStrange() {
    let wire = PollSamples.polls(40, every: 400).map { message in
      var message = message
      let more = message.row.number % 4 * 10
      message.row.octets.header += more
      message.fields = [WireField(name: Array("x".utf8), value: Array(repeating: 0x61, count: 23 + more))]
      return message
    }
    let entries = PollSamples.log(wire).map { entry in
      var entry = entry
      let header = wire[entry.row - 1].row.octets.header
      (entry.lineLength, entry.headerLength) = (nil, entry.kind == .request ? 20 + header : 77)
      entry.length = (entry.headerLength ?? 0) + (entry.bodyLength ?? 0)
      return entry
    }
    let requests = PollSamples.verify(entries, wire).rows.filter { $0.entry?.kind == .request }
    #expect(requests.allSatisfy { $0.total.difference == 0 && $0.total.unexplained == 0 })
  }

  /// Ten of forty responses are chunked, and three of them have trailers: the app counts bodies as they come from the socket.
  @Test func bodiesWithFramingAndTrailersAreExplained() {
    let wire = PollSamples.polls(40, every: 400).map { message in
      var message = message
      guard message.row.kind == .response, message.row.number % 8 == 0 else { return message }
      message.row.octets.framing = 17
      message.row.octets.trailer = message.row.number % 24 == 0 ? 12 : 0
      return message
    }
    let entries = PollSamples.log(wire).map { entry in
      var entry = entry
      entry.bodyLength = (entry.length ?? 0) - 50
      return entry
    }
    #expect(PollSamples.verify(entries, wire).rows.allSatisfy { $0.unexplained == 0 })
  }
}
