import HTTPReassembly
import Testing

@testable import Estimates

@Suite("What curl writes of its transfers")
struct CurlLogTests {
  @Test("figures of a recording with curl 7.88.1")
  func recording() throws {
    let log = try LogReader().read(LogFolder.fixture("curl.ndjson"))
    #expect(log.dialect == .curl)
    #expect(
      log.notices == [
        "transfers with redirects or challenges, whose figures are sums: 2",
        "rows without a time: \(log.entries.count)",
      ])
    let requests = log.entries.filter { $0.kind == .request }
    let responses = log.entries.filter { $0.kind == .response }
    #expect(requests.map(\.row) == Array(1...10) && requests.map(\.exchange) == Array(1...10))
    #expect(
      requests.map(\.path)
        == ["/plain", "/a", "/b", "/moved", "/gzip", "/chunked", "/upload", "/head", "/auth", "/refused"])
    #expect(requests.map(\.query) == ["page=2"] + Array(repeating: "", count: 9))
    #expect(responses.map(\.path)[3] == "/final" && responses.map(\.query)[3] == "x=1")
    // A request with a body is counted with or without it, depending on how it went out.
    #expect(requests.map(\.length) == [91, 80, 80, 172, 125, 86, nil, 84, 362, 0])
    #expect(requests.map(\.headerLength) == [91, 80, 80, nil, 125, 86, nil, 84, nil, 0])
    #expect(requests.map(\.bodyLength) == [0, 0, 0, 0, 0, 0, 300, 0, 0, 0])
    #expect(requests.map(\.redirectCount) == [0, 0, 0, 1, 0, 0, 0, 0, 1, 0])
    #expect(requests.map(\.method) == ["GET", "GET", "GET", "", "GET", "GET", "POST", "HEAD", "", "GET"])
    #expect(responses.map(\.status) == [200, 200, 200, 200, 200, 200, 200, 501, 200])
    #expect(responses.map(\.headerLength) == [140, 140, 140, 276, 162, 120, 140, 196, 322])
    #expect(responses.map(\.bodyLength) == [123, 123, 123, 123, 41, 11, 123, 0, 123])
    #expect(responses.map(\.redirectCount) == [0, 0, 0, 1, 0, 0, 0, 0, 1])
    #expect(requests.map(\.isAborted) == Array(repeating: false, count: 9) + [true])
    #expect(log.entries.allSatisfy { $0.time == nil && $0.endTime == nil && $0.decodedLength == nil })
    // The third transfer uses the connection of the second.
    #expect(requests[1].phases?.connect == 450_000 && requests[2].phases?.connect == nil)
    #expect(requests[2].phases?.dns == nil && requests[3].phases == nil && requests[1].phases?.tls == nil)
  }

  private func line(_ more: String) -> String {
    "{\"url_effective\": \"http://h/p\", \"response_code\": 200, \(more)}\n"
  }

  @Test(
    "since curl 8.8 size_request has the body in it (measured with 8.23)",
    arguments: [
      ("libcurl/8.23.0 OpenSSL/3", 605, 300, 605, 305), ("libcurl/8.8.0", 605, 300, 605, 305),
      ("libcurl/10.0", 605, 300, 605, 305), ("libcurl/8.7.1", 605, 300, nil, nil),
      ("libcurl/7.88.1", 605, 300, nil, nil),
      ("", 605, 300, nil, nil), ("libcurl/8", 605, 300, nil, nil), ("libcurl/8.23.0", 100, 300, nil, nil),
      ("", 605, 0, 605, 605),
    ] as [(String, Int, Int, Int?, Int?)])
  func versions(version: String, sent: Int, upload: Int, length: Int?, header: Int?) throws {
    let request = try LogFolder.read(
      line("\"size_request\": \(sent), \"size_upload\": \(upload), \"curl_version\": \"\(version)\"")
    ).entries[0]
    #expect(request.length == length && request.headerLength == header && request.bodyLength == upload)
  }

  @Test("phases are differences of curl's times")
  func phases() throws {
    let entries = try LogFolder.read(
      line(
        "\"size_header\": 1, \"time_namelookup\": 0.001, \"time_connect\": 0.003, \"time_appconnect\": 0.008, "
          + "\"time_pretransfer\": 0.009, \"time_posttransfer\": 0.010, \"time_starttransfer\": 0.050, \"time_total\": 0.075"
      )
    ).entries
    var phases = ExchangeTimings()
    (phases.dns, phases.connect, phases.tls) = (1_000_000, 2_000_000, 5_000_000)
    (phases.send, phases.wait, phases.receive) = (1_000_000, 40_000_000, 25_000_000)
    #expect(entries[0].phases == phases && entries[1].phases == nil)
    #expect(entries[0].length == nil && entries[1].bodyLength == nil && entries[1].headerLength == 1)
  }

  @Test("a redirect to another host keeps the first for the request; a URL without a scheme is one")
  func hosts() throws {
    let entries = try LogFolder.read(
      "\n{\"url\": \"a:81/x?y\", \"url_effective\": \"https://b/z\", \"http_code\": 200, \"num_redirects\": 2, \"size_request\": 9}\r\n\r\n"
    ).entries
    #expect(entries.map(\.host) == ["a:81", "b"] && entries.map(\.path) == ["/x", "/z"])
    #expect(entries.map(\.query) == ["y", ""] && entries.map(\.row) == [2, 2])
    #expect(entries.map(\.redirectCount) == [2, 2])
  }

  @Test("over HTTP/2 the head is counted as text, without the body before 8.8")
  func http2() throws {
    func read(_ version: String) throws -> AppLog {
      try LogFolder.read(
        "{\"url_effective\": \"https://h/p\", \"method\": \"POST\", \"response_code\": 200, \"http_version\": \"2\", "
          + "\"size_request\": 90, \"size_upload\": 7, \"size_header\": 50, \"size_download\": 3, "
          + "\"curl_version\": \"libcurl/\(version)\"}\n")
    }
    let old = try read("7.88.1")
    #expect(old.entries.map(\.headerLength) == [90, 50] && old.entries.map(\.bodyLength) == [7, 3])
    #expect(old.entries.map(\.length) == [nil, nil])
    #expect(old.notices.first == "transfers of HTTP/2 or HTTP/3: 1")
    let new = try read("8.8.0")
    #expect(new.entries.map(\.headerLength) == [83, 50] && new.entries.map(\.length) == [90, nil])
  }

  @Test("what is no line of curl refuses the log, with its number")
  func wrong() throws {
    let good = line("\"size_request\": 1")
    #expect(
      try LogFolder.refusal(good + "hello\n").hasPrefix("line 2, expected an object of curl's %{json}: is not JSON"))
    #expect(try LogFolder.refusal(good + "{}\n" + good + "[]\n").hasSuffix("no url_effective; 2 of 4 rows are wrong"))
    #expect(
      try LogFolder.refusal(good + line("\"size_upload\": 1.5")).hasPrefix(
        "line 2, expected an object of curl's %{json}: size_upload: expected a whole number of bytes"))
    #expect(
      try LogFolder.refusal(good + line("\"x\": 1")).hasSuffix("none of the sizes is there")
        || LogFolder.refusal(good + line("\"x\": 1")).hasSuffix("no size_request"))
    #expect(
      try LogFolder.refusal(good + line("\"size_request\": 1, \"num_redirects\": -1")).hasSuffix(
        "expected a count, found -1"))
    #expect(
      try LogFolder.refusal(good + line("\"size_request\": 1, \"time_total\": 1e9")).hasSuffix(
        "expected seconds of one day"))
    #expect(
      try LogFolder.refusal("{\"url_effective\": \"ftp://h/\", \"size_request\": 0}\n")
        == "has 1 transfers, none of them of HTTP")
    var options = LogOptions()
    options.rowLimit = 1
    #expect(try LogFolder.refusal(good + good, options) == "has more than 1 rows; split it")
    options.format = .curl
    #expect(try LogFolder.refusal("\n \n", options) == "has no line with a transfer")
    #expect(
      try LogFolder.refusal("{\"log\": {}}\n", options).hasPrefix("line 1, expected an object of curl's %{json}: "))
  }
}
