import Foundation
import Testing

@testable import Estimates

@Suite("A monitor's table as CSV")
struct CSVLogTests {
  static let header = "host,path,type,occur_time,length,line_length,header_length,body_length"

  @Test("every column of the table becomes its figure")
  func columns() throws {
    let log = try LogReader().read(LogFolder.fixture("monitor.csv"))
    #expect(log.dialect == .monitor)
    #expect(log.notices.isEmpty && log.skippedRows == 0)
    #expect(log.entries.map(\.row) == [2, 3, 4, 5, 6])
    #expect(log.entries.map(\.kind) == [.request, .response, .request, .response, .response])

    var request = LogEntry(row: 2, kind: .request, host: "api.example.com", path: "/v1/items", time: after(100))
    (request.method, request.queryLength) = ("GET", 7)
    (request.length, request.lineLength, request.headerLength, request.bodyLength) = (431, 26, 405, 0)
    #expect(request.exchange == nil && request.query == nil && request.endTime == nil && request.phases == nil)
    #expect(log.entries[0] == request)

    #expect(log.entries[2].path == "/a \"quoted\", path")
    #expect(log.entries[2].time == after(1_100))
    #expect(log.entries[2].lineLength == nil && log.entries[2].bodyLength == nil)
    // A monitor that adds expectedContentLength writes -1, which is unknown.
    #expect(log.entries[3].length == nil && log.entries[3].bodyLength == nil)
    #expect(log.entries[3].isAborted && !log.entries[3].isFromCache)
    #expect(log.entries[3].time == after(2_250))
    #expect(log.entries[4].host == "api.example.com:8080")
    #expect(log.entries[4].isFromCache && log.entries[4].time == after(3_500))
  }

  @Test(
    "separators, line ends, a byte order mark and a missing last line end make no difference",
    arguments: [",", ";", "\t"], ["\n", "\r\n"])
  func shapes(separator: String, lineEnd: String) throws {
    let rows = [Self.header, "h,/p,request,1772359200,10,1,2,3", "h,/p,response,1772359201,20,4,5,6"]
    for end in ["", lineEnd, lineEnd + lineEnd] {
      for mark in ["", "\u{feff}"] {
        let text = mark + rows.joined(separator: lineEnd).split(separator: ",").joined(separator: separator) + end
        let log = try LogFolder.read(text)
        #expect(log.entries.map(\.length) == [10, 20])
        #expect(log.entries.map(\.bodyLength) == [3, 6])
        #expect(log.entries.map(\.row) == [2, 3])
      }
    }
  }

  @Test("a whole number may be written as a decimal")
  func decimals() throws {
    let log = try LogFolder.read(Self.header + "\nh,/p,request,1772359200,1234.0,1.2e3,-1.0,+7.\n")
    let entry = try #require(log.entries.first)
    #expect(entry.length == 1_234 && entry.lineLength == 1_200 && entry.headerLength == nil && entry.bodyLength == 7)
  }

  @Test("names are found whatever their case and order, and can be mapped")
  func names() throws {
    var options = LogOptions()
    options.columns = try LogColumns(parsing: "host=Server Name,path=url,length=bytes=all")
    let log = try LogFolder.read(
      "bytes=all,URL, TYPE ,Occur_Time,server name\n5,http://h.example/a?b=c#d,Request,1772359200,H\n", options)
    #expect(log.entries.map(\.host) == ["h"])
    #expect(log.entries.map(\.path) == ["/a"])
    #expect(log.entries.map(\.queryLength) == [3])
    #expect(log.entries.map(\.length) == [5])
    #expect(
      log.notices == ["line_length", "header_length", "body_length"].map { "no column \($0): it is not verified" })
  }

  @Test("a whole URL gives both host and path")
  func url() throws {
    var options = LogOptions()
    options.columns = try LogColumns(parsing: "host=url,path=url")
    let log = try LogFolder.read("url,type,occur_time,length\nhttps://u:p@H:8443?q,request,1772359200,1\n", options)
    #expect(log.entries.map(\.host) == ["h:8443"])
    #expect(log.entries.map(\.path) == ["/"])
    #expect(log.entries.map(\.queryLength) == [1])
  }

  @Test(
    "a mapping that cannot be is refused",
    arguments: ["", "host", "host=", "hots=a", "host=a,host=b", "host=a,", "=a"])
  func wrongMapping(text: String) {
    #expect(throws: LogError.self) { try LogColumns(parsing: text) }
  }

  @Test("cells that lie across the pieces in which a file is read are whole")
  func pieces() throws {
    // A header and rows of 97 octets cross every alignment of the pieces of 4096 octets and 1 MiB.
    let count = 30_000
    var text = Self.header + "\n"
    for number in 0..<count {
      let path = "/\(number)/" + String(repeating: "é", count: 20) + "\"\""
      text += "host.example.com,\"\(path)\",request,1772359200,\(number),1,2,3\r\n"
    }
    let log = try LogFolder.read(text)
    #expect(log.entries.count == count)
    #expect(log.entries.map(\.length) == (0..<count).map { $0 })
    #expect(log.entries.last?.path == "/\(count - 1)/" + String(repeating: "é", count: 20) + "\"")
  }

  @Test("the log of TrafficProbe is read, with what its further columns say")
  func probe() throws {
    let log = try LogFolder.read(
      """
      \(Self.header),method,status,query_length,framing_length,hop,exchange,source,unknown,error
      h,/p,request,1772359200.250000,10,1,2,3,GET,,5,,0,1,estimate,,
      h,/p,response,1772359200.500000,10,1,2,3,GET,200,,,0,1,cache,framing,
      h,/p,response,1772359200.750000,10,1,2,3,GET,200,,,0,1,metrics,,NSURLErrorDomain -999

      """)
    #expect(log.entries.map(\.queryLength) == [5, nil, nil])
    // The second response cannot be of the exchange that has one: the app was started again.
    #expect(log.entries.map(\.exchange) == [1, 1, 2])
    #expect(log.entries.map(\.isPending) == [false, false, false])
    #expect(log.entries.map(\.isFromCache) == [false, true, false])
    #expect(log.entries.map(\.isAborted) == [false, false, true])
    #expect(log.entries.map(\.time) == [after(250), after(500), after(750)])
    #expect(
      try LogFolder.refusal("\(Self.header),query_bytes,query_length\n")
        == "line 1, columns query_bytes and query_length could both be query_bytes; map it, as query_bytes=NAME")
  }

  @Test("a row without a time is told")
  func noTime() throws {
    let log = try LogFolder.read(Self.header + "\nh,/p,request,,1,1,1,1\n")
    #expect(log.entries.map(\.time) == [nil])
    #expect(log.notices == ["rows without a time: 1"])
  }

  @Test("more rows than allowed are refused, exactly as many are not")
  func limit() throws {
    var options = LogOptions()
    options.rowLimit = 3
    let row = "h,/p,request,1772359200,1,1,1,1\n"
    #expect(try LogFolder.read(Self.header + "\n" + String(repeating: row, count: 3), options).entries.count == 3)
    #expect(
      try LogFolder.refusal(Self.header + "\n" + String(repeating: row, count: 4), options)
        == "has more than 3 rows; split it")
  }
}
