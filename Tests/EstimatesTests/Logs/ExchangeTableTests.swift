import GRDB
import HTTPReassembly
import Testing

@testable import Estimates

@Suite("A table with one row an exchange")
struct ExchangeTableTests {
  private func log(_ rows: String...) throws -> AppLog { try LogFolder.read(rows.joined(separator: "\n") + "\n") }

  @Test("every column becomes a figure of the request or of the response")
  func columns() throws {
    let found = try log(
      "url,method,status,occur_time,end_time,response_start_time,request_length,request_line_length,request_header_length,"
        + "request_body_length,request_decoded_length,response_length,response_line_length,response_header_length,"
        + "response_body_length,response_decoded_length,send_ms,wait_ms",
      "https://u@H:8443/a?b=c,POST,201,1772359200,1772359200.5,1772359200.25,10,1,2,7,8,100,11,22,67,99,50,100")
    var request = LogEntry(row: 2, kind: .request, host: "h:8443", path: "/a", time: tenOClock)
    (request.exchange, request.method, request.query, request.queryLength) = (1, "POST", "b=c", 3)
    request.endTime = after(50)
    var phases = ExchangeTimings()
    (phases.send, phases.wait) = (50_000_000, 100_000_000)
    var response = request
    (response.kind, response.status, response.time, response.endTime) = (.response, 201, after(250), after(500))
    request.phases = phases
    (request.length, request.lineLength, request.headerLength) = (10, 1, 2)
    (request.bodyLength, request.decodedLength) = (7, 8)
    (response.length, response.lineLength, response.headerLength) = (100, 11, 22)
    (response.bodyLength, response.decodedLength) = (67, 99)
    #expect(found.entries == [request, response])
    #expect(found.dialect == .monitor && found.notices.isEmpty)
  }

  @Test(
    "a length is found under the names that logs have for it",
    arguments: [
      ("request_bytes", \LogEntry.length, 0), ("requestSize", \.length, 0), ("reqBytes", \.length, 0),
      ("bytes_sent", \.length, 0), ("Bytes-Received", \.length, 1), ("resp_size", \.length, 1),
      ("res_size", \.length, 1), ("resBodyBytes", \.bodyLength, 1),
      ("requestBodySize", \.bodyLength, 0), ("request_payload_size", \.bodyLength, 0),
      ("responsePayloadSize", \.bodyLength, 1), ("response_body_bytes", \.bodyLength, 1),
      ("response content length", \.bodyLength, 1), ("responseHeadersSize", \.headerLength, 1),
      ("req_header_bytes", \.headerLength, 0), ("countOfRequestHeaderBytesSent", \.headerLength, 0),
      ("countOfResponseBodyBytesReceived", \.bodyLength, 1), ("response_line_size", \.lineLength, 1),
      ("responseDecodedBodySize,response_body_size", \.decodedLength, 1),
    ] as [(String, KeyPath<LogEntry, Int?> & Sendable, Int)])
  func names(column: String, figure: KeyPath<LogEntry, Int?> & Sendable, message: Int) throws {
    let more = column.contains(",") ? ",3" : ""
    let found = try log("URL,\(column)", "http://h/,12345\(more)").entries
    #expect(found.map(\.kind) == [.request, .response])
    #expect(found[message][keyPath: figure] == 12_345)
    let figures = [\LogEntry.length, \.lineLength, \.headerLength, \.bodyLength, \.decodedLength]
    // Nothing else is known of either.
    #expect(found.flatMap { entry in figures.compactMap { entry[keyPath: $0] } }.filter { $0 != 3 } == [12_345])
    #expect(found.map(\.time) == [nil, nil])
  }

  @Test("what failed has no response, where the log has a column for its status; -1 is unknown")
  func failures() throws {
    let found = try log(
      "host,path,status,start_time,request_size,response_size,error",
      "h,/a,200,1772359200,5,9,", "h,/b,,1772359201,5,,timeout", "h,/c,0,1772359202,5,0,cancelled",
      "h,/d,,1772359203,5,7,cut", "h,/e,404,1772359204,-1,-1,")
    #expect(found.entries.map(\.path) == ["/a", "/a", "/b", "/c", "/d", "/d", "/e", "/e"])
    #expect(found.entries.map(\.exchange) == [1, 1, 2, 3, 4, 4, 5, 5])
    #expect(found.entries.map(\.row) == [2, 2, 3, 4, 5, 5, 6, 6])
    #expect(found.entries.map(\.isAborted) == [false, false, true, true, false, true, false, false])
    #expect(found.entries.map(\.length) == [5, 9, 5, 5, 5, 7, nil, nil])
    #expect(found.entries.map(\.status) == [0, 200, 0, 0, 0, 0, 0, 404])
    #expect(found.entries.map(\.time) == [0, 0, 1, 2, 3, 3, 4, 4].map { after($0 * 1_000) })
    // Without such a column every request has a response of which this is all.
    #expect(try log("url,request_size", "http://h/,1").entries.count == 2)
  }

  @Test("rows that sum up several requests are refused, and running numbers count none")
  func sums() throws {
    let header = "url,hits,request_size,response_size\n"
    #expect(
      try LogFolder.refusal(header + "http://h/a,9,5,9\nhttp://h/b,1,5,9\nhttp://h/c,3,5,9\n")
        == "has rows that sum up several requests (column count, requests, hits or calls); expected a row for each request"
    )
    #expect(try LogFolder.refusal(header + "http://h/a,1,5,9\nhttp://h/b,1,5,9\n") == "")
    let running = (4..<24).map { "http://h/a,\($0 % 16),5,9\n" }
    #expect(try LogFolder.refusal(header + running.joined()) == "")
  }

  @Test("the words of languages for nothing are no length, and columns that may be lengths are named")
  func absentLengths() throws {
    let found = try log(
      "url,request_size,response_size,image_size", "http://h/,null,NaN,7", "http://h/,N/A,nil,7", "http://h/,NULL,3,7")
    #expect(found.entries.map(\.length) == [nil, nil, nil, nil, nil, 3])
    #expect(
      found.notices.contains(
        "columns that may be lengths and are not read: image_size; map them, as response_length=NAME"))
  }

  @Test("the number of an error in the place of a status is no status")
  func errorNumbers() throws {
    let found = try log("host,path,status,start_time,request_size", "h,/a,-1,1772359200,5", "h,/b,-1001,1772359201,5")
    #expect(found.entries.map(\.kind) == [.request, .request] && found.skippedRows == 0)
    #expect(found.entries.map(\.status) == [0, 0] && found.entries.map(\.length) == [5, 5])
  }

  @Test("cache, a flag of the row, and an end by duration are those of the exchange")
  func flags() throws {
    let found = try log(
      "url,occur_time,duration_ms,response_size,from_cache,pending", "http://h/,1772359200,1500,1,1,1",
      "http://h/,1772359200,,1,0,0"
    ).entries
    #expect(found.map(\.isFromCache) == [true, true, false, false])
    #expect(found.map(\.isPending) == [true, true, false, false])
    #expect(found.map(\.endTime) == [nil, after(1_500), nil, nil])
  }

  @Test("an SQLite table is found by the same columns, beside one that is none")
  func database() throws {
    let folder = try LogFolder()
    let path = folder.path("log.db")
    let queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction {
      try $0.execute(
        sql: """
          CREATE TABLE room_master_table (id INTEGER, identity_hash TEXT);
          CREATE TABLE transactions (
            id INTEGER PRIMARY KEY, requestDate INTEGER, responseDate INTEGER, tookMs INTEGER, protocol TEXT, method TEXT,
            url TEXT, host TEXT, path TEXT, scheme TEXT, requestPayloadSize INTEGER, requestHeadersSize INTEGER,
            responseCode INTEGER, responsePayloadSize INTEGER, responseHeadersSize INTEGER, error TEXT);
          INSERT INTO transactions VALUES (4, 1772359200000, 1772359200250, 250, 'http/1.1', 'GET', 'http://h/a?b', 'h',
            '/a?b', 'http', 0, 120, 200, 512, 80, NULL);
          """)
    }
    try queue.close()
    let found = try LogReader().read(path).entries
    #expect(found.map(\.row) == [4, 4] && found.map(\.path) == ["/a", "/a"] && found.map(\.query) == ["b", "b"])
    #expect(found.map(\.headerLength) == [120, 80] && found.map(\.bodyLength) == [0, 512])
    #expect(found.map(\.time) == [tenOClock, after(250)])
  }

  @Test("what the listener for OkHttp in docs/app-logs.md wrote, with figures of a server that counted")
  func okHttp() throws {
    let found = try LogReader().read(LogFolder.fixture("okhttp.csv"))
    let truth: [(target: String, sentHeader: Int, sentBody: Int, header: Int, body: Int)] = [
      ("/plain?page=2", 99, 0, 23, 123),
      ("/gzip", 99, 0, 46, 41),
      ("/chunked", 99, 0, 30, 11),
      ("/moved", 99, 0, 43, 5),
      ("/final?x=1", 99, 0, 23, 123),
      ("/empty", 99, 0, 21, 0),
      ("/cut", 99, 0, 24, 100),
      ("/api/send", 161, 300, 23, 123),
    ]
    #expect(found.entries.count == 2 * truth.count)
    for (index, truth) in truth.enumerated() {
      guard let pair = Optional(found.entries.filter { $0.exchange == index + 1 }), pair.count == 2 else {
        Issue.record("exchange \(index + 1) of \(truth.target)")
        continue
      }
      #expect(pair.allSatisfy { $0.path + ($0.query == "" ? "" : "?" + ($0.query ?? "-")) == truth.target })
      #expect(pair.map(\.headerLength) == [truth.sentHeader, truth.header], "\(truth.target)")
      #expect(pair.map(\.bodyLength) == [truth.sentBody, truth.body], "\(truth.target)")
      #expect((pair[1].endTime ?? 0) >= (pair[1].time ?? .max) && (pair[1].time ?? 0) >= (pair[0].time ?? .max))
    }
    #expect(found.entries.filter(\.isAborted).map(\.path) == ["/cut"])
    #expect(found.entries.allSatisfy { $0.length == nil && $0.lineLength == nil })
  }

  @Test("a table with types has one row a message, whatever else it has")
  func shapes() throws {
    #expect(
      try log("host,path,type,occur_time,length,request_size", "h,/,response,1772359200,7,9").entries.map(\.length) == [
        7
      ])
    // A column called type may be anything in a log without lengths of messages.
    #expect(try log("url,type,response_size", "http://h/,image/png,9").entries.map(\.length) == [nil, 9])
  }

  @Test(
    "what is missing or could be two things is refused",
    arguments: [
      (
        "url,method,start_time,bytes", "http://h/,GET,1772359200,9",
        "line 1, column bytes counts request and response together; expected a column for each, as request_length and response_length"
      ),
      (
        "url,request_size,request_bytes", "http://h/,1,1",
        "line 1, columns request_size and request_bytes could both be request_length; map it, as request_length=NAME"
      ),
      ("url,request_size,requestSize", "http://h/,1,1", "line 1, column request_size is there twice"),
      ("path,request_size", "/,1", "line 1, no column host; there are: path, request_size; map it, as host=NAME"),
      (
        "url,request_size", "http://h/,1k",
        "line 2, column request_length: expected a whole number of bytes, found '1k'"
      ), ("url,request_size", ",1", "line 2, column host: expected a host name, found nothing"),
      ("url,request_size", "/x,1", "line 2, column host: expected a host name, found '/x'"),
    ])
  func wrong(header: String, row: String, words: String) throws {
    #expect(try LogFolder.refusal(header + "\n" + row + "\n") == words)
  }

  @Test("a mapping wins over every name, and takes its column from the others")
  func mapping() throws {
    var options = LogOptions()
    options.columns = try LogColumns(
      parsing: "url=Where,response_body_length=response_size,request_length=request_bytes")
    let found = try LogFolder.read("where,response_size,request_size,request_bytes\nhttp://h/,4,5,6\n", options).entries
    #expect(found.map(\.length) == [6, nil] && found.map(\.bodyLength) == [nil, 4])
    #expect(throws: LogError("column mapping: host is given twice")) { try LogColumns(parsing: "url=a,host=b") }
  }
}
