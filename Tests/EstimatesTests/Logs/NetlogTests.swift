import Foundation
import HTTPReassembly
import Testing

@testable import Estimates

@Suite("Chrome's netlog")
struct NetlogTests {
  /// What a server counted that Chromium 156 asked, while it wrote the fixture: target, the request's line, header section and
  /// body, the response's. The page has a cookie, which the log has not.
  private static let truth: [(String, Int, Int, Int, Int, Int, Int)] = [
    ("/page", 20, 629, 0, 17, 94, 623),
    ("/api/items?page=1", 32, 509, 0, 17, 23, 123),
    ("/gzip", 20, 509, 0, 17, 46, 41),
    ("/favicon.ico", 27, 583, 0, 17, 23, 123),
    ("/chunked", 23, 509, 0, 17, 30, 11),
    ("/moved", 21, 509, 0, 20, 43, 5),
    ("/final?x=1", 25, 509, 0, 17, 23, 123),
    ("/api/send", 25, 602, 300, 17, 23, 123),
    ("/cached", 22, 509, 0, 17, 50, 77),
    ("/etag", 20, 509, 0, 17, 58, 88),
    ("/etag", 20, 555, 0, 27, 13, 0),
    ("/empty", 21, 509, 0, 17, 21, 0),
    ("/hints", 21, 509, 0, 17, 21, 9),
    ("/cut", 19, 509, 0, 17, 24, 100),
    ("/none", 20, 509, 0, 0, 0, 0),
    ("/none", 20, 509, 0, 0, 0, 0),
    ("/endless", 23, 509, 0, 17, 26, 500),
  ]

  @Test("figures of a recording of octets that are known")
  func recording() throws {
    let log = try LogReader().read(LogFolder.fixture("chrome-netlog.json"))
    #expect(log.dialect == .chromeNetlog && log.notices.isEmpty)
    let sent = log.entries.filter { $0.kind == .request && !$0.isFromCache }
    #expect(sent.count == Self.truth.count)
    for (index, truth) in Self.truth.enumerated() {
      // The same target is asked again in the order of the truth.
      let ordinal = Self.truth[..<index].count { $0.0 == truth.0 }
      let found = sent.filter { $0.path + ($0.query == "" ? "" : "?" + ($0.query ?? "-")) == truth.0 }
      let request: LogEntry = try #require(found.dropFirst(ordinal).first, "\(truth.0)")
      #expect(
        [request.lineLength, request.headerLength, request.bodyLength] == [truth.1, truth.2, truth.3], "\(truth.0)")
      let response = log.entries.first { $0.kind == .response && $0.exchange == request.exchange }
      guard truth.4 > 0 else {
        #expect(response == nil && request.isAborted)
        continue
      }
      let body: Int? =
        switch truth.0 {
        case "/moved": nil
        case "/etag" where response?.status == 304: nil
        default: truth.6
        }
      #expect(response?.lineLength == truth.4 && response?.headerLength == truth.5, "\(truth.0)")
      #expect(response?.bodyLength == body, "\(truth.0)")
      #expect(response?.length == nil && request.length == nil)
    }
  }

  @Test("interim responses, coding, cache, failures, and what was under way are told")
  func marks() throws {
    let log = try LogReader().read(LogFolder.fixture("chrome-netlog.json"))
    func rows(_ path: String) -> [LogEntry] { log.entries.filter { $0.path == path } }
    #expect(rows("/hints").map(\.kind) == [.request, .interim, .response])
    #expect(rows("/hints").map(\.status) == [0, 103, 200])
    #expect(rows("/hints").map { ($0.lineLength ?? 0) + ($0.headerLength ?? 0) }[1] == 57)
    #expect(rows("/gzip").map(\.decodedLength) == [nil, 5_000] && rows("/gzip")[1].bodyLength == 41)
    #expect(rows("/cached").map(\.isFromCache) == [false, false, true, true])
    #expect(rows("/cached").map(\.decodedLength) == [nil, 77, nil, 77])
    #expect(rows("/cached").last?.headerLength == nil && rows("/cached").last?.bodyLength == nil)
    #expect(rows("/empty").last?.bodyLength == 0)
    #expect(rows("/cut").map(\.isAborted) == [false, true] && rows("/cut").last?.bodyLength == 100)
    // The connection was closed: Chrome asks again, on another one.
    #expect(rows("/none").map(\.isAborted) == [true, true] && rows("/none").allSatisfy { $0.kind == .request })
    #expect(rows("/endless").map(\.isPending) == [true, true])
    #expect(log.entries.count(where: \.isPending) == 2)
    #expect(rows("/send").isEmpty && rows("/api/send").map(\.method) == ["POST", "POST"])
    for entry in log.entries { #expect(entry.time != nil && (entry.endTime ?? .max) >= (entry.time ?? 0)) }
    let phases = try #require(rows("/chunked")[0].phases)
    #expect(phases.send != nil && phases.wait != nil && phases.receive != nil && phases.dns == nil)
    let day: Int64 = 86_400_000_000_000
    #expect(log.entries.allSatisfy { ($0.time ?? 0) / day == (log.entries[0].time ?? -1) / day })
  }

  @Test("a log that Chrome could not end is read to its last whole event")
  func cut() throws {
    let whole = try Data(contentsOf: URL(fileURLWithPath: LogFolder.fixture("chrome-netlog.json")))
    let text = String(decoding: whole, as: UTF8.self)
    let events = try #require(text.range(of: "],\n\"polledData\""))
    let cut = try LogFolder.read(String(text[..<events.lowerBound].dropLast(40)))
    #expect(cut.notices == ["the netlog has no end: Chrome was killed, or still runs"])
    #expect(cut.entries == (try LogReader().read(LogFolder.fixture("chrome-netlog.json"))).entries)
    let early = try LogFolder.read(String(text.prefix(text.count / 2)))
    #expect(early.entries.count < cut.entries.count && early.entries.count(where: \.isPending) > 0)
  }

  /// A netlog with these events of one request, and with one of another kind of source.
  private func log(_ events: String..., offset: String = "\"1772359200000\"") throws -> String {
    let types = NetlogEvent.Kind.allCases.enumerated().map { "\"\($0.element.rawValue)\": \($0.offset)" }
    let list = events.map { event in
      let parts = event.split(separator: " ", maxSplits: 3)
      let type = NetlogEvent.Kind.allCases.firstIndex { $0.rawValue.hasSuffix(String(parts[0])) } ?? 999
      return
        "{\"type\": \(type), \"phase\": \(parts[1]), \"time\": \"\(parts[2])\", \"source\": {\"id\": 1, \"type\": 1}, "
        + "\"params\": \(parts.count > 3 ? String(parts[3]) : "{}")}"
    }
    return
      "{\"constants\": {\"logEventTypes\": {\(types.joined(separator: ", "))}, \"logSourceType\": {\"URL_REQUEST\": 1}, "
      + "\"logEventPhase\": {\"PHASE_BEGIN\": 1, \"PHASE_END\": 2}, \"timeTickOffset\": \(offset)}, \"events\": "
      + "[{\"type\": 0, \"source\": {\"id\": 9, \"type\": 7}, \"params\": 5}, \(list.joined(separator: ", "))]}"
  }

  private let start = "START_JOB 1 100 {\"url\": \"https://h/p?q\", \"method\": \"POST\"}"

  @Test("a request that began before the log has no URL there, and is left out")
  func begun() throws {
    let sent = [
      "SEND_REQUEST_HEADERS 0 110 {\"line\": \"POST /p?q HTTP/1.1\\r\\n\", \"headers\": [\"a: b\"]}",
      "READ_RESPONSE_HEADERS 0 120 {\"headers\": [\"HTTP/1.1 200 OK\"]}",
    ]
    let found = try LogFolder.read(log(sent[0], sent[1], start, sent[0], sent[1]))
    #expect(found.entries.map(\.status) == [0, 200] && found.entries.map(\.path) == ["/p", "/p"])
    #expect(found.notices == ["requests that began before the log, left out: 1"])
    #expect(try LogFolder.refusal(log(sent[0], sent[1])) == "has no request of HTTP that began after its own start")
  }

  @Test("a challenge makes a second exchange; a chunked upload and stripped credentials")
  func challenge() throws {
    let found = try LogFolder.read(
      log(
        start, "SEND_REQUEST_HEADERS 0 110 {\"line\": \"POST /p?q HTTP/1.1\\r\\n\", \"headers\": [\"a: b\"]}",
        "SEND_REQUEST_BODY 0 111 {\"is_chunked\": true, \"length\": 0}", "TRANSACTION_SEND_REQUEST 2 112",
        "READ_RESPONSE_HEADERS 0 120 {\"headers\": [\"HTTP/1.1 401 No\", \"b: c\"]}",
        "SEND_REQUEST_HEADERS 0 130 {\"line\": \"POST /p?q HTTP/1.1\\r\\n\", \"headers\": [\"Authorization: Basic [21 bytes were stripped]\"]}",
        "READ_RESPONSE_HEADERS 0 140 {\"headers\": [\"HTTP/1.1 200 OK\"]}", "READ_BODY 1 150", "READ_BODY 2 160",
        "REQUEST_ALIVE 2 170"))
    #expect(found.entries.map(\.exchange) == [1, 1, 2, 2] && found.entries.map(\.status) == [0, 401, 0, 200])
    #expect(found.entries.map(\.bodyLength) == [nil, nil, 0, 0])
    #expect(found.entries.map(\.lineLength) == [20, 17, 20, 17])
    #expect(found.entries.map(\.headerLength) == [8, 8, "Authorization: Basic ".utf8.count + 21 + 4, 2])
    #expect(found.entries.map(\.time) == [110, 120, 130, 140].map { after($0) })
    #expect(found.entries.map(\.endTime) == [after(112), nil, nil, after(160)])
    #expect(found.entries.allSatisfy { !$0.isAborted && !$0.isPending && $0.query == "q" && $0.host == "h" })
  }

  @Test("HTTP/2 has the figures of HTTP/1's spelling, and is told")
  func http2() throws {
    let found = try LogFolder.read(
      log(
        start,
        "HTTP2_SEND_REQUEST_HEADERS 0 110 {\"headers\": [\":method: POST\", \":authority: h\", \":scheme: https\", \":path: /p?q\", \"a: b\", \"cookie: [9 bytes were stripped]\"]}",
        "READ_RESPONSE_HEADERS 0 120 {\"headers\": [\"HTTP/1.1 200\", \"a: b\"]}"))
    let request = "POST /p?q HTTP/1.1\r\n"
    let fields = "host: h\r\na: b\r\ncookie: 123456789\r\n\r\n"
    #expect(found.entries.map(\.lineLength) == [request.utf8.count, "HTTP/1.1 200\r\n".utf8.count])
    #expect(found.entries.map(\.headerLength) == [fields.utf8.count, "a: b\r\n\r\n".utf8.count])
    #expect(found.notices == ["requests of HTTP/2 or HTTP/3: 1"])
    let bare = try LogFolder.read(log(start, "HTTP2_SEND_REQUEST_HEADERS 0 110 {\"headers\": [\":path: /p\"]}"))
    #expect(bare.entries.map(\.headerLength) == [nil] && bare.entries.map(\.lineLength) == [nil])
  }

  @Test("what is no netlog, or one without requests, is refused in one line")
  func wrong() throws {
    let head = "SEND_REQUEST_HEADERS 0 110 {\"headers\": []}"
    #expect(try LogFolder.refusal(log(start)) == "is a netlog without a request that was sent")
    #expect(try LogFolder.refusal("{\"constants\": {}, \"events\": []}") == "constants: no logEventTypes")
    #expect(
      try LogFolder.refusal(log(start, head, offset: "\"x\"")) == "constants.timeTickOffset: expected milliseconds")
    #expect(try LogFolder.refusal(log(start, head, offset: "-1")).hasSuffix("expected milliseconds"))
    #expect(
      try LogFolder.refusal(log("START_JOB 1 1 {\"url\": \"nowhere\"}", head))
        == "event 3: url: expected a URL, found 'nowhere'".replacingOccurrences(of: "3:", with: "3,"))
    #expect(
      try LogFolder.refusal(log("START_JOB 1 1 {\"url\": \"file:///x\"}", head))
        == "has 1 requests, none of them of HTTP")
    #expect(
      try LogFolder.refusal(log(start, "SEND_REQUEST_HEADERS 0 110 {\"headers\": 1}")).hasPrefix(
        "events.3.params.headers: "))
    #expect(
      try LogFolder.refusal(log(start, "SEND_REQUEST_HEADERS 0 9999999999999 {}"))
        == "events.3.time: expected milliseconds")
    var options = LogOptions()
    options.rowLimit = 1
    #expect(try LogFolder.refusal(log(start, head, head), options) == "has more than 1 requests; split it")
    options.format = .har
    #expect(try LogFolder.refusal(log(start, head), options) == "is a netlog of Chrome, not har")
  }
}
