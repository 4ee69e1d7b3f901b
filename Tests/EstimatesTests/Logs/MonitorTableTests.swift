import HTTPReassembly
import Testing

@testable import Estimates

@Suite("What a monitor's table says beside figures")
struct MonitorTableTests {
  private func rows(_ columns: String, _ rows: String...) throws -> [LogEntry] { try log(columns, rows).entries }

  private func log(_ columns: String, _ rows: [String]) throws -> AppLog {
    try LogFolder.read(([columns] + rows).joined(separator: "\n") + "\n")
  }

  @Test("rows that share a name are one exchange, in each run of the app its own")
  func exchanges() throws {
    let found = try rows(
      "host,type,path,occur_time,length,exchange",
      "h,request,/1,1772359200,1,7", "h,request,/2,1772359200,1,8", "h,interim,/1,1772359200,1,7",
      "h,interim,/1,1772359200,1,7", "h,response,/1,1772359200,1,7", "h,response,/?,1772359200,1,",
      // The app is started again, and counts from 7 again; 8 had no response before.
      "h,request,/3,1772359300,1,7", "h,request,/4,1772359300,1,8", "h,response,/4,1772359300,1,8",
      "h,response,/3,1772359300,1,7", "H,response,/4,1772359300,1,8", "g,interim,/5,1772359300,1,7",
      "g,request,/5,1772359300,1,7", "g,request,/6,1772359300,1,x-7")
    #expect(found.map(\.exchange) == [1, 2, 1, 1, 1, nil, 3, 4, 4, 3, 5, 6, 6, 7])
  }

  @Test("a name whose requests wait together is an API's, and no exchange's")
  func sharedNames() throws {
    let turns = ["request", "request", "request", "response", "response", "response", "request", "response"]
    let found = try rows(
      "host,type,path,occur_time,length,exchange",
      "h,request,/1,1772359200,1,7", "h,response,/1,1772359200,1,7", "h,request,/2,1772359200,1,8")
    #expect(found.map(\.exchange) == [1, 1, 2])
    let entries = try log(
      "host,type,path,occur_time,length,exchange",
      turns.map { "h,\($0),/1,1772359200,1,7" } + ["h,request,/2,1772359200,1,8"]
    ).entries
    #expect(entries.dropLast().allSatisfy { $0.exchange == nil } && entries.last?.exchange != nil)
  }

  @Test("a trace's name joins no rows of several requests, and a response without a request joins none")
  func traces() throws {
    let columns = "host,type,path,occur_time,length,exchange"
    let overlapping = try log(
      columns, ["request,/1", "request,/2", "response,/1", "response,/2"].map { "h,\($0),1772359200,1,7" })
    #expect(overlapping.entries.allSatisfy { $0.exchange == nil })
    let first = ["request,/1", "response,/1"].map { "h,\($0),1772359200,1,6" }
    let turns = ["response,/1", "request,/1", "response,/1", "request,/1", "response,/1"]
    let found = try log(columns, first + turns.map { "h,\($0),1772359200,1,7" }).entries
    #expect(found.map(\.exchange) == [1, 1, 2, 3, 3, 4, 4])
    // A log that writes the response first, and a redirection whose response has the address of its end.
    let reversed = try log(
      columns,
      ["response,/1", "request,/1"].map { "h,\($0),1772359200,1,6" } + turns.prefix(4).map { "h,\($0),1772359200,1,7" })
    #expect(reversed.entries.map(\.exchange) == [1, 1, 2, 2, 3, 3])
    let redirected = try log(columns, ["request,/1", "response,/2"].map { "h,\($0),1772359200,1,7" })
    #expect(redirected.entries.map(\.exchange) == [1, 1])
  }

  @Test("methods of libraries that name them in lower case are those that are sent; others are as they are")
  func methods() throws {
    let found = try rows(
      "host,type,path,occur_time,length,method", "h,request,/1,1772359200,1,get", "h,request,/1,1772359200,1,POST",
      "h,request,/1,1772359200,1,Delete", "h,request,/1,1772359200,1,propfind")
    #expect(found.map(\.method) == ["GET", "POST", "DELETE", "propfind"])
  }

  @Test("a query is text where there is one; none is known where other rows show that the log has them")
  func queries() throws {
    let columns = "host,path,type,occur_time,length"
    let end = ",request,1772359200,1"
    func found(_ paths: String...) throws -> [String?] {
      try log(columns, paths.map { "h," + $0 + end }).entries.map(\.query)
    }
    #expect(try found("/a", "/b") == [nil, nil])
    #expect(try found("/a", "/b?c=%20d#e", "/?") == ["", "c=%20d", ""])
    // A whole URL says all of its own query, and nothing of other rows.
    #expect(try found("http://h/a", "/b", "http://h/c?d") == ["", nil, "d"])
    let entries = try log(columns, ["h,/a?bc" + end, "h,/a" + end]).entries
    #expect(entries.map(\.queryLength) == [2, nil])
  }

  @Test("a column with queries; its empty cells are known only where others are not")
  func queryColumn() throws {
    let columns = "query,host,path,type,occur_time,length,query_length"
    let end = ",h,/,request,1772359200,1,"
    func found(_ rows: String...) throws -> [LogEntry] { try log(columns, rows).entries }
    var entries = try found(end, end + "5", end + "0")
    #expect(entries.map(\.query) == [nil, nil, ""])
    #expect(entries.map(\.queryLength) == [nil, 5, 0])
    entries = try found(end, "?é=1" + end, "a" + end + "9", end + "5")
    #expect(entries.map(\.query) == ["", "é=1", "a", nil])
    #expect(entries.map(\.queryLength) == [nil, 4, 9, 5])
  }

  @Test("the end comes from its own column, else from a duration; a duration that cannot be seconds is told")
  func ends() throws {
    let columns = "host,path,type,occur_time,length,"
    let start = "h,/,request,1772359200,1,"
    #expect(
      try rows(columns + "end_time,duration", start + "1772359201.5,7", start + ",7").map(\.endTime) == [
        after(1_500), nil,
      ])
    #expect(
      try rows(columns + "duration_ms", start + "2.5", start + "-1", start).map(\.endTime) == [after(2.5), nil, nil])
    #expect(try rows(columns + "duration", start + "0.25", start).map(\.endTime) == [after(250), nil])
    let long = try log(columns + "duration", [start + "0.25", start + "250000000"])
    #expect(long.entries.map(\.endTime) == [nil, nil])
    let advice = "if it is in milliseconds, map it, as duration_ms=duration"
    #expect(long.notices.last == "column duration is not in seconds and is skipped; \(advice)")
    #expect(
      try LogFolder.refusal(columns + "end_time\n" + start + "yesterday\n").hasPrefix(
        "line 2, column end_time: expected a time"))
    #expect(
      try LogFolder.refusal(columns + "duration_ms\n" + start + "1e300\n")
        == "line 2, column duration_ms: expected a duration of at most a day, found '1e300'")
    #expect(try LogFolder.refusal(columns + "duration_ms\n" + start + "nan\n").contains("expected a duration"))
  }

  @Test("phases are on the first row of an exchange, wherever the log has them; -1 is unknown")
  func phases() throws {
    let columns = "host,path,type,occur_time,length,exchange,dns_ms,connect_ms,tls_ms,send_ms,wait_ms,receive_ms"
    var phases = ExchangeTimings()
    (phases.dns, phases.connect, phases.tls) = (1_000_000, 2_500_000, nil)
    (phases.send, phases.wait, phases.receive) = (0, 40_000_000, 5_000_000)
    let found = try rows(
      columns, "h,/,request,1772359200,1,1,,,,,,", "h,/,response,1772359200,1,1,1,2.5,-1,0,40,5",
      "h,/,request,1772359200,1,2,1,2.5,,0,40,5", "h,/,response,1772359200,1,2,9,9,9,9,9,9",
      "h,/,request,1772359200,1,3,,,,-1,,", "h,/,request,1772359200,1,,1,2.5,,0,40,5")
    #expect(found.map(\.phases) == [phases, nil, phases, nil, nil, phases])
  }

  @Test("an exchange that was under way is said by a flag, or by TrafficProbe's word")
  func pending() throws {
    let columns = "host,path,type,occur_time,length,"
    let start = "h,/,request,1772359200,1,"
    #expect(
      try rows(columns + "pending,unknown", start + "1,", start + ",cut pending", start + "0,cut", start + ",impending")
        .map(\.isPending) == [true, true, false, false])
  }
}
