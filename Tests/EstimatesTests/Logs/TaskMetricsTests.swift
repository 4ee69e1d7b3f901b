import HTTPReassembly
import Testing

@testable import Estimates

@Suite("Task metrics of URLSession")
struct TaskMetricsTests {
  @Test("every transaction is there, redirects too")
  func transactions() throws {
    let log = try LogReader().read(LogFolder.fixture("task_metrics.json"))
    #expect(log.dialect == .urlSessionMetrics)
    #expect(log.entries.map(\.row) == [1, 1, 2, 2, 3, 3, 4, 5, 5])
    #expect(log.entries.map(\.status) == [0, 302, 0, 200, 0, 200, 0, 0, 200])

    var request = LogEntry(row: 1, kind: .request, host: "api.example.com", path: "/old", time: after(250))
    (request.method, request.queryLength, request.length) = ("GET", 4, 301)
    (request.headerLength, request.bodyLength, request.decodedLength) = (301, 0, 0)
    (request.exchange, request.query) = (1, "id=7")
    request.phases = ExchangeTimings()
    request.phases?.receive = log.entries[0].phases?.receive
    #expect(log.entries[0] == request)
    #expect(log.entries.map(\.exchange) == [1, 1, 2, 2, 3, 3, 4, 5, 5])
    #expect(log.entries.map(\.query) == ["id=7", "id=7"] + Array(repeating: "", count: 7))
    let response = log.entries[3]
    #expect(response.length == 1_250 && response.headerLength == 210 && response.bodyLength == 1_040)
    #expect(response.decodedLength == 4_096)
    let time = try #require(response.time)
    #expect(abs(time - after(550)) < 1_000)
    #expect(log.entries.map(\.isFromCache) == [false, false, false, false, true, true, false, false, false])
    // No response, and -1 for what was not counted.
    #expect(log.entries[6].isAborted && log.entries[6].headerLength == 250)
    #expect(log.entries[6].bodyLength == nil && log.entries[6].length == nil)
    #expect(
      log.notices == [
        "tasks with fewer transactions than redirects: 1",
        "transactions of HTTP/2 or HTTP/3: 1",
      ])
  }

  private func task(_ transaction: String) -> String { "{\"transactionMetrics\": [\(transaction)]}" }

  @Test(
    "tasks may be behind each other, and the last one cut",
    arguments: [
      "#\n#\n", "#,\n#", "##", "\u{1e}#\n\u{1e}#\n", "[#, #]", "#\n#\n{\"transactionM",
      "#,#,{\"transactionMetrics\": [{",
    ])
  func sequence(text: String) throws {
    let task = "{\n\(task("{\"request\": {\"url\": \"http://h/\"}, \"countOfRequestHeaderBytesSent\": 7}").dropFirst())"
    let log = try LogFolder.read(text.replacing("#", with: task))
    #expect(log.dialect == .urlSessionMetrics && log.entries.map(\.headerLength) == [7, 7])
    let isCut = text.contains("transactionM")
    #expect(log.notices.contains("the log ends inside of a task, which is left out") == isCut)
  }

  @Test("dates as text, since 1970 and since 2001; one task without an array")
  func dates() throws {
    for date in [
      "794052000", "1772359200", "1772359200000", "\"2026-03-01T10:00:00Z\"", "\"2026-03-01 10:00:00 +0000\"",
    ] {
      let log = try LogFolder.read(
        task(
          "{\"request\": {\"url\": \"http://h/\"}, \"requestStartDate\": \(date), \"countOfRequestHeaderBytesSent\": 1}"
        ))
      #expect(log.entries.map(\.time) == [tenOClock])
    }
    #expect(
      try LogFolder.read(task("{\"request\": {\"url\": \"http://h/\"}, \"countOfRequestHeaderBytesSent\": -1}")).notices
        == ["rows without a time: 1"])
  }

  @Test("phases come from the dates; connect ends where TLS begins; a clock that was set tells nothing")
  func phases() throws {
    let dates = [
      "domainLookupStartDate": 0.001, "domainLookupEndDate": 0.003, "connectStartDate": 0.003,
      "secureConnectionStartDate": 0.013, "secureConnectionEndDate": 0.043, "connectEndDate": 0.043,
      "requestStartDate": 0.044, "requestEndDate": 0.045, "responseStartDate": 0.105, "responseEndDate": 0.305,
    ]
    func first(_ dates: [String: Double]) throws -> [LogEntry] {
      let text = dates.map { "\"\($0.key)\": \(1_772_359_200 + $0.value)" }.joined(separator: ", ")
      return try LogFolder.read(
        task(
          "{\"request\": {\"url\": \"https://h/?\"}, \"response\": {\"statusCode\": 200}, \"countOfRequestHeaderBytesSent\": 1, "
            + text + "}")
      ).entries
    }
    // Seconds since 1970 as floating-point numbers are exact to a quarter of a microsecond.
    func isNear(_ found: Int64?, _ expected: Double?) -> Bool {
      guard let found, let expected else { return found == nil && expected == nil }
      return abs(Double(found) - expected * 1e6) < 1_000
    }
    var rows = try first(dates)
    var phases = try #require(rows[0].phases)
    #expect(isNear(phases.dns, 2) && isNear(phases.connect, 10) && isNear(phases.tls, 30))
    #expect(isNear(phases.send, 1) && isNear(phases.wait, 60) && isNear(phases.receive, 200))
    #expect(isNear(rows[0].endTime.map { $0 - tenOClock }, 45) && isNear(rows[1].endTime.map { $0 - tenOClock }, 305))
    #expect(rows[1].phases == nil && rows.map(\.query) == ["", ""] && rows.map(\.queryLength) == [0, 0])

    rows = try first(dates.filter { !$0.key.hasPrefix("secure") }.merging(["responseEndDate": 0.1]) { $1 })
    phases = try #require(rows[0].phases)
    #expect(isNear(phases.connect, 40) && phases.tls == nil && phases.receive == nil)
    #expect(try first([:])[0].phases == nil)
  }

  @Test(
    "an export that is not the accepted one is refused",
    arguments: [
      ("[]", "the outermost value: "), ("[{\"transactionMetrics\": []}]", "has 1 tasks and no transaction"),
      ("[1]", "the outermost value: "), ("[{}]", "the outermost value: "),
      ("[{\"transactionMetrics\": []}, 1]", "task 2, 2: "),
      ("[{\"transactionMetrics\": []}, {}]", "task 2, 2: no transactionMetrics"),
      ("[{\"transactionMetrics\": [{}]}]", "task 1, 1.transactionMetrics.1: no request"),
      (
        "[{\"transactionMetrics\": [{\"request\": {\"url\": \"http://h/\"}}]}]",
        "task 1, 1.transactionMetrics.1: no countOfRequestHeaderBytesSent"
      ),
      (
        "[{\"transactionMetrics\": [{\"request\": {\"url\": \"h\"}, \"countOfRequestHeaderBytesSent\": 1}]}]",
        "task 1, transaction 1: request.url: expected a URL, found 'h'"
      ),
      (
        "[{\"transactionMetrics\": [{\"request\": {\"url\": \"http://h/\"}, \"countOfRequestHeaderBytesSent\": 1e300}]}]",
        "task 1, 1.transactionMetrics.1.countOfRequestHeaderBytesSent: expected a whole number of bytes up to 2^40"
      ),
      (
        "[{\"transactionMetrics\": [{\"request\": {\"url\": \"http://h/\"}, \"countOfRequestHeaderBytesSent\": 1, \"resourceFetchType\": 9}]}]",
        "task 1, 1.transactionMetrics.1.resourceFetchType: expected 0 to 3"
      ),
      (
        "[{\"transactionMetrics\": [{\"request\": {\"url\": \"http://h/\"}, \"countOfRequestHeaderBytesSent\": 1, \"requestStartDate\": 12}]}]",
        "task 1, column occur_time: expected a time"
      ),
      (
        "[{\"transactionMetrics\": [{\"request\": {\"url\": \"file:///x\"}, \"countOfRequestHeaderBytesSent\": 1}]}]",
        "has 1 transactions, none of them of HTTP"
      ),
    ])
  func wrong(text: String, words: String) throws {
    let refusal = try LogFolder.refusal(text)
    #expect(refusal.hasPrefix(words), "\(refusal)")
  }
}
