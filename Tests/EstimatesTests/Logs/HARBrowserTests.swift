import HTTPReassembly
import Testing

@testable import Estimates

@Suite("HAR of browsers")
struct HARBrowserTests {
  @Test("Chrome: header text, transfer size, cache, HTTP/2, failures")
  func chrome() throws {
    let log = try LogReader().read(LogFolder.fixture("chrome.har"))
    #expect(log.dialect == .harChrome)
    #expect(log.entries.map(\.row) == [1, 1, 2, 2, 3, 3, 4, 5, 5, 6, 6])
    #expect(log.skippedRows == 2)
    #expect(
      log.notices == [
        "entries of chrome-extension: URLs, which are not HTTP, left out: 1",
        "entries of data: URLs, which are not HTTP, left out: 1", "entries without a response: 1",
        "entries of HTTP/2 or HTTP/3: 2",
      ])

    // Blocked, DNS and connect come before the request, send and wait before the response.
    var request = LogEntry(
      row: 1, kind: .request, host: "api.example.com:8080", path: "/v1/items", time: after(113.5))
    (request.method, request.queryLength, request.length) = ("GET", 14, 412)
    (request.headerLength, request.bodyLength) = (412, 0)
    (request.exchange, request.query, request.endTime) = (1, "page=2&q=a%20b", after(114))
    var phases = ExchangeTimings()
    (phases.dns, phases.connect, phases.send) = (2_000_000, 10_000_000, 500_000)
    (phases.wait, phases.receive) = (40_250_000, 3_000_000)
    request.phases = phases
    #expect(log.entries[0] == request)
    var response = LogEntry(
      row: 1, kind: .response, host: "api.example.com:8080", path: "/v1/items", time: after(154.25))
    (response.method, response.queryLength, response.status, response.length) = ("GET", 14, 200, 1_265)
    (response.headerLength, response.bodyLength, response.decodedLength) = (231, 1_034, 4_096)
    (response.exchange, response.query, response.endTime) = (1, "page=2&q=a%20b", after(157.25))
    #expect(log.entries[1] == response)

    #expect(log.entries[2].isFromCache && log.entries[3].isFromCache)
    let newer = log.entries[5]
    #expect(newer.headerLength == nil && newer.bodyLength == nil && newer.length == 142)
    #expect(log.entries[6].isAborted && log.entries[6].kind == .request)
    // Cancelled while the response came: the request is whole.
    #expect(!log.entries[7].isAborted && log.entries[8].isAborted && log.entries[8].length == 5_200)
    let unmodified = log.entries[10]
    #expect(unmodified.status == 304 && unmodified.bodyLength == 0 && unmodified.length == 120)
    #expect(!unmodified.isFromCache)
  }

  @Test("Firefox: bodySize is the whole response; zones; nothing of userinfo")
  func firefox() throws {
    let log = try LogReader().read(LogFolder.fixture("firefox.har"))
    #expect(log.dialect == .harFirefox)
    #expect(log.entries.map(\.row) == [1, 1, 2, 2, 3, 4, 4])
    #expect(log.entries[0].host == "api.example.com" && log.entries[0].queryLength == 3)
    #expect(log.entries[0].length == 404 && log.entries[0].bodyLength == 24)
    #expect(log.entries[0].time == after(110))
    let response = log.entries[1]
    #expect(response.headerLength == 210 && response.bodyLength == 1_100 && response.length == 1_310)
    #expect(response.decodedLength == 4_096 && response.time == after(140))
    #expect(log.entries[3].status == 301)
    #expect(log.entries[4].isAborted && log.entries[4].time == after(2_000))
    #expect(log.entries[6].bodyLength == nil && log.entries[6].length == nil)
  }

  @Test("Safari: where a response came from, and what failed")
  func safari() throws {
    let log = try LogReader().read(LogFolder.fixture("safari.har"))
    #expect(log.dialect == .harSafari)
    #expect(log.entries.map(\.length) == [402, 1_233, 0, 0, nil, nil])
    #expect(log.entries.map(\.isFromCache) == [false, false, true, true, false, false])
    #expect(log.entries.map(\.isAborted) == [false, false, false, false, false, true])
    #expect(log.entries[1].bodyLength == 1_013 && log.entries[1].decodedLength == 4_096)
  }
}
