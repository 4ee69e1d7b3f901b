import Testing

@testable import Estimates

@Suite("A CSV file that is no log")
struct WrongCSVTests {
  static let header = CSVLogTests.header

  @Test(
    "a bad cell is named with its line, its column, what is there and what should be",
    arguments: [
      ("h,/p,request,1772359200,ten,1,2,3", "line 2, column length: expected a whole number of bytes, found 'ten'"),
      ("h,/p,request,1772359200,1.5,1,2,3", "line 2, column length: expected a whole number of bytes, found '1.5'"),
      ("h,/p,request,1772359200,0x10,1,2,3", "line 2, column length: expected a whole number of bytes, found '0x10'"),
      ("h,/p,request,1772359200,1.5e0,1,2,3", "line 2, column length: expected a whole number of bytes, found '1.5e0'"),
      ("h,/p,request,1772359200,1e999,1,2,3", "line 2, column length: expected a whole number of bytes, found '1e999'"),
      ("h,/p,request,1772359200,1e13,1,2,3", "line 2, column length: expected at most 2^40 bytes, found '1e13'"),
      ("h,/p,request,1772359200,inf,1,2,3", "line 2, column length: expected a whole number of bytes, found 'inf'"),
      (
        "h,/p,request,1772359200,1,99999999999999999999,2,3",
        "line 2, column line_length: expected a whole number of bytes, found '99999999999999999999'"
      ),
      (
        "h,/p,request,1772359200,1,1,1099511627777,3",
        "line 2, column header_length: expected at most 2^40 bytes, found '1099511627777'"
      ),
      ("h,/p,both,1772359200,1,1,2,3", "line 2, column type: expected request or response, found 'both'"),
      (",/p,request,1772359200,1,1,2,3", "line 2, column host: expected a host name, found nothing"),
      ("h x,/p,request,1772359200,1,1,2,3", "line 2, column host: expected a host name, found 'h x'"),
      ("/h,/p,request,1772359200,1,1,2,3", "line 2, column host: expected a host name, found '/h'"),
      ("h,p,request,1772359200,1,1,2,3", "line 2, column path: expected a path that begins with /, found 'p'"),
      ("h,/p,request,1772359200,1,1,2", "line 2, expected 8 cells as in the header, found 7"),
      ("h,/p,request,1772359200,1,1,2,3,4", "line 2, expected 8 cells as in the header, found 9"),
    ])
  func badCell(row: String, words: String) throws {
    #expect(try LogFolder.refusal(Self.header + "\n" + row + "\n") == words)
  }

  @Test("a few bad rows refuse the log, and are counted")
  func badRows() throws {
    let good = "h,/p,request,1772359200,1,1,2,3\n"
    let bad = "h,/p,request,1772359200,1,1,2,?\n"
    #expect(
      try LogFolder.refusal(Self.header + "\n" + good + "\n\n" + bad + good + bad + bad)
        == "line 5, column body_length: expected a whole number of bytes, found '?'; 3 of 5 rows are wrong")
  }

  @Test(
    "a server's access log is named",
    arguments: [
      "192.0.2.1 - - [01/Mar/2026:10:00:00 +0000] \"GET / HTTP/1.1\" 200 5\n", "#Software: IIS\n#Fields: date time\n",
      "h2 2026-03-01T10:00:00Z app/lb \"GET https://h:443/ HTTP/2.0\" 200\n",
    ])
  func accessLog(text: String) throws {
    #expect(
      try LogFolder.refusal(text)
        == "is a server's access log; expected a table with the names of its columns: CSV, SQLite or JSON")
  }

  @Test("- in the place of a length is unknown, and a column of both directions is named")
  func dashes() throws {
    let log = try LogFolder.read("url,request_bytes,response_bytes,bytes\nhttp://h/,-,7,9\n")
    #expect(log.entries.map(\.length) == [nil, 7])
    #expect(
      log.notices.contains(
        "column bytes may count both directions, and is not verified; if it does not, map it, as response_length=bytes"
      ))
  }

  @Test("missing columns are named, with what there is")
  func columns() throws {
    #expect(
      try LogFolder.refusal("host,url,type,length\nh,/p,request,1\n")
        == "line 1, no column occur_time; there are: host, url, type, length; map it, as occur_time=NAME")
    #expect(
      try LogFolder.refusal("Server,Address,type,length\nh,/p,request,1\n")
        == "line 1, no column host, path, occur_time; there are: Server, Address, type, length; map it, as host=NAME")
    #expect(
      try LogFolder.refusal("host,path,type,occur_time,size\nh,/p,request,1772359200,1\n").hasPrefix(
        "line 1, no column length, line_length, header_length, body_length; there are:"))
    #expect(
      try LogFolder.refusal("host,path,type,occur_time,length,Length\n") == "line 1, column length is there twice")
    var options = LogOptions()
    options.columns = try LogColumns(parsing: "status=code")
    #expect(try LogFolder.refusal(Self.header + "\n", options).hasPrefix("line 1, no column code; there are:"))
  }

  @Test(
    "broken quoting and line ends are named with their line",
    arguments: [
      ("h,/p\"q,request\n", "line 2: a quote inside a cell that does not begin with one"),
      ("h,\"/p\"q,request\n", "line 2: something after a closing quote"),
      ("h,\"/p,request\n", "line 2: a quote that nobody closes within 1048576 bytes"),
      ("h,/p\rrequest\n", "line 2: a carriage return without a line feed"),
      ("h,/p\u{1},request\n", "line 2: a control character (1); is this text?"),
    ])
  func structure(row: String, words: String) throws {
    #expect(try LogFolder.refusal(Self.header + "\n" + row) == words)
  }

  @Test("a cell that is not UTF-8 is named")
  func encoding() throws {
    let octets = Array((Self.header + "\nh,/caf").utf8) + [0xe9] + Array(",request,1772359200,1,1,2,3\n".utf8)
    #expect(try LogFolder.refusal(octets) == "line 2, cell 2: expected UTF-8")
  }

  @Test("an endless cell takes no more memory than a row may have")
  func endless() throws {
    let long = String(repeating: "x", count: 3 << 20)
    #expect(try LogFolder.refusal(Self.header + "\nh,/" + long) == "line 2: a row of more than 1048576 bytes")
    #expect(
      try LogFolder.refusal(Self.header + "\nh,\"/" + long)
        == "line 2: a quote that nobody closes within 1048576 bytes")
  }

  @Test("a file without rows is no log")
  func noRows() throws {
    #expect(try LogFolder.refusal("") == "is empty")
    #expect(try LogFolder.refusal("\n\r\n\n") == "is empty but for line ends")
    #expect(try LogFolder.refusal(Self.header) == "has a header but no rows")
  }
}
