import HTTPReassembly
import Testing

@testable import Estimates

/// What producers write where they do not know a figure, in the shapes that were measured.
@Suite("HAR figures that are unknown")
struct HARDialectTests {
  /// A request and a response of a producer, with these sizes.
  private func rows(
    _ creator: String, _ method: String, request: (headers: Int, body: Int), status: Int,
    response: (headers: Int, body: Int), transfer: Int? = nil, content: Int = 0, more: String = ""
  ) throws -> [LogEntry] {
    try LogFolder.read(
      """
      {"log": {"creator": {"name": "\(creator)"}, "entries": [{"startedDateTime": "2026-03-01T10:00:00Z", \(more)
        "request": {"method": "\(method)", "url": "http://h/p?q", "headersSize": \(request.headers), "bodySize": \(request.body)},
        "response": {"status": \(status), "headersSize": \(response.headers), "bodySize": \(response.body),
          "content": {"size": \(content)}\(transfer.map { ", \"_transferSize\": \($0)" } ?? "")}, "timings": {}}]}}
      """
    ).entries
  }

  /// Header, body, decoded body and whole of a message.
  private func figures(_ entry: LogEntry?) -> [Int?] {
    [entry?.headerLength, entry?.bodyLength, entry?.decodedLength, entry?.length]
  }

  @Test("Chrome: a body of 0 octets is what the tool says, also of a Blob", arguments: ["WebInspector", "Playwright"])
  func chromeRequests(creator: String) throws {
    for method in ["GET", "HEAD", "OPTIONS", "DELETE"] {
      let found = try rows(
        creator, method, request: (300, 0), status: 200, response: (100, 7), transfer: 107, content: 7)
      #expect(figures(found.first) == [300, 0, nil, 300])
    }
    for method in ["POST", "PUT", "PATCH", "QUERY"] {
      let empty = try rows(
        creator, method, request: (300, 0), status: 200, response: (100, 7), transfer: 107, content: 7)
      #expect(figures(empty.first) == [300, 0, nil, 300])
      let known = try rows(
        creator, method, request: (300, 5), status: 200, response: (100, 7), transfer: 107, content: 7)
      #expect(figures(known.first) == [300, 5, nil, 305])
      #expect(figures(known.last) == [100, 7, 7, 107])
    }
  }

  @Test("Chrome: redirects, answers to preflights, 304, HTTP/2, the cache")
  func chromeResponses() throws {
    func found(
      _ status: Int, _ headers: Int, _ body: Int, _ transfer: Int?, _ content: Int, _ more: String = ""
    ) throws -> LogEntry? {
      try rows(
        "WebInspector", "GET", request: (300, 0), status: status, response: (headers, body), transfer: transfer,
        content: content, more: more
      ).last
    }
    #expect(try figures(found(302, 120, 0, 120, 0)) == [120, nil, nil, nil])
    #expect(try figures(found(204, 150, -150, 0, 0)) == [150, nil, 0, nil])
    #expect(try figures(found(304, 110, 0, 110, 4_096)) == [110, 0, nil, 110])
    #expect(try figures(found(200, -1, -1, 142, 99)) == [nil, nil, 99, 142])
    #expect(try figures(found(200, -1, -1, 0, 99)) == [nil, nil, 99, nil])
    #expect(try figures(found(200, 100, 20, nil, 99)) == [100, 20, 99, 120])
    let cached = try found(200, -1, 0, 0, 99, "\"_fromCache\": \"disk\",")
    #expect(figures(cached) == [nil, 0, 99, 0] && cached?.isFromCache == true)
  }

  @Test("Playwright: redirects are right; the cache shows by a body of minus the header; what was cut is unknown")
  func playwright() throws {
    func found(_ status: Int, _ headers: Int, _ body: Int, _ transfer: Int, _ content: Int) throws -> LogEntry? {
      let rows = try rows(
        "Playwright", "GET", request: (300, 0), status: status, response: (headers, body), transfer: transfer,
        content: content)
      #expect(rows.count == 2 && rows.allSatisfy { $0.isFromCache == rows[0].isFromCache })
      return rows.last
    }
    #expect(try figures(found(302, 120, 5, 125, -1)) == [120, 5, nil, 125])
    #expect(try figures(found(304, 110, 0, 110, 4_096)) == [110, 0, nil, 110])
    let cut = try found(200, -1, -1, -1, -1)
    #expect(figures(cut) == [nil, nil, nil, nil] && cut?.isFromCache == false)
    let cached = try found(200, 156, -156, 0, 5_207)
    #expect(figures(cached) == [156, nil, 5_207, nil] && cached?.isFromCache == true)
    #expect(
      try LogFolder.read(
        "{\"log\": {\"creator\": {\"name\": \"Playwright\"}, \"entries\": [{\"startedDateTime\": \"2026-03-01T10:00:00Z\", \"request\": {\"url\": \"http://h/\"}}]}}"
      )
      .dialect == .harPlaywright)
  }

  @Test("Firefox: redirects, 304, content before decoding, the cache")
  func firefox() throws {
    func found(
      _ status: Int, _ headers: Int, _ body: Int, _ content: Int, sent: Int = 300
    ) throws -> LogEntry? {
      try rows(
        "Firefox", "GET", request: (sent, 0), status: status, response: (headers, body), content: content
      ).last
    }
    // 41 octets of gzip, which nobody decoded; an older version wrote 5,000.
    #expect(try figures(found(200, 100, 141, 41)) == [100, 41, nil, 141])
    #expect(try figures(found(200, 100, 141, 5_000)) == [100, 41, 5_000, 141])
    // The content of the target, and what the cache has: verification says so.
    #expect(try figures(found(302, 120, 243, 0)) == [120, 123, 0, 243])
    #expect(try figures(found(304, 110, 198, 88)) == [110, 88, nil, 198])
    #expect(try found(200, 100, 77, 77, sent: 0)?.isFromCache == true)
    #expect(try found(200, 100, 177, 77)?.isFromCache == false)
  }

  @Test(
    "Firefox: where bodies are often shorter than header sections, bodySize is the content alone", arguments: [4, 5])
  func firefoxWithoutHeaders(short: Int) throws {
    let sizes = Array(repeating: 30, count: short) + [5_000, 0]
    let entries = sizes.map { size in
      """
      {"startedDateTime": "2026-03-01T10:00:00Z", "request": {"method": "GET", "url": "http://h/", "headersSize": 300, "bodySize": 0},
       "response": {"status": 200, "headersSize": 100, "bodySize": \(size), "content": {"size": 9}}}
      """
    }
    let log = try LogFolder.read(
      "{\"log\": {\"creator\": {\"name\": \"Firefox\"}, \"entries\": [\(entries.joined(separator: ","))]}}")
    let long = log.entries.filter { $0.kind == .response }.suffix(2)
    let expected =
      short < 5 ? [[100, 4_900, 9, 5_000], [100, 0, 9, 0]] : [[100, 5_000, 9, 5_100], [100, 0, 9, 100]]
    #expect(long.map(figures) == expected)
    #expect(
      try figures(rows("Firefox", "GET", request: (300, 0), status: 200, response: (-1, 41)).last)
        == [nil, 41, 0, nil])
  }

  @Test("methods in lower case; a date that was never set is an unknown time")
  func unset() throws {
    func found(_ method: String, _ date: String) throws -> AppLog {
      try LogFolder.read(
        """
        {"log": {"entries": [{"startedDateTime": "\(date)", "request": {"method": "\(method)", "url": "http://h/"},
          "response": {"status": 200}, "timings": {"send": 1, "wait": 2, "receive": 3}}]}}
        """)
    }
    #expect(try found("post", "2026-03-01T10:00:00Z").entries.map(\.method) == ["POST", "POST"])
    #expect(try found("Purge", "2026-03-01T10:00:00Z").entries.map(\.method) == ["Purge", "Purge"])
    for date in ["1970-01-01T00:00:00.000Z", "1970-01-01T08:00:00+08:00", "0001-01-01T00:00:00"] {
      let log = try found("GET", date)
      #expect(log.entries.allSatisfy { $0.time == nil && $0.endTime == nil })
      #expect(log.notices == ["rows without a time: 2"])
    }
    #expect(try found("GET", "1999-01-01T00:00:00Z").entries.allSatisfy { $0.time != nil })
  }
}
