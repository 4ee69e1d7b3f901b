import Foundation
import Testing

@testable import Estimates

@Suite("A monitor's table as JSON")
struct JSONTableTests {
  private static let columns = [
    "url", "method", "status", "start_time", "request.body_bytes", "response.header_bytes", "error", "note",
  ]
  private static let rows = [
    ["http://h.example/a?b=c", "GET", "200", "1772359200.5", "0", "300", "", "x"],
    ["http://h.example/a", "POST", "404", "1772359201.25", "17", "310", "timeout", ""],
    ["http://h.example/c", "GET", "", "1772359202", "", "", "", "\"\u{e9}\\"],
  ]

  /// The rows as objects. An empty cell is null, or no member. A name with a point is the name of a member of an object.
  private static func objects(nested: Bool, sparse: Bool) -> [String] {
    rows.map { row in
      var own: [String] = []
      var inside: [(name: Substring, members: [String])] = []
      for (column, cell) in zip(columns, row) where !(sparse && cell.isEmpty) {
        let value = cell.isEmpty ? "null" : Double(cell) == nil ? quoted(cell) : cell
        let names = column.split(separator: ".")
        guard nested, names.count == 2 else {
          own.append("\(quoted(column)): \(value)")
          continue
        }
        let member = "\(quoted(String(names[1]))): \(value)"
        if let index = inside.firstIndex(where: { $0.name == names[0] }) {
          inside[index].members.append(member)
        } else {
          inside.append((names[0], [member]))
        }
      }
      own += inside.map { "\(quoted(String($0.name))): {\($0.members.joined(separator: ", "))}" }
      return "{\(own.joined(separator: ", ")), \"tags\": [1, {\"url\": 2}]}"
    }
  }

  private static func quoted(_ text: String) -> String {
    let escaped = text.flatMap { $0 == "\"" || $0 == "\\" ? ["\\", $0] : [$0] }
    return "\"\(String(escaped))\""
  }

  @Test("says the same as the table in CSV, whatever its form", arguments: [false, true], [false, true])
  func forms(nested: Bool, sparse: Bool) throws {
    let header = Self.columns.joined(separator: ",")
    let expected = try LogFolder.read(
      ([header] + Self.rows.map { $0.map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(separator: ",") })
        .joined(separator: "\n"))
    try #require(expected.entries.count == 5)
    let objects = Self.objects(nested: nested, sparse: sparse)
    let list = objects.joined(separator: ", ")
    let named = zip(["b", "\"", "a:{"], objects).map { "\(Self.quoted($0)): \($1)" }
    let texts: [String] = [
      objects.joined(separator: "\n"), "\n" + objects.joined(separator: "\r\n\r\n") + "\n", objects[0],
      "[" + objects.joined(separator: ",\n") + "]",
      "{\"version\": 1, \"names\": [\"a\"], \"rows\": [\(objects.joined(separator: ", "))], \"none\": []}",
      "{\n\"rows\": [\n\(objects.joined(separator: ",\n"))]}",
      objects.joined(separator: ",\n"), list + ",\n", objects.joined(),
      "{\(named.joined(separator: ", "))}",
      "{\"app\": {\"name\": \"x\"}, \"rows\": {\"all\": {\n\(named.joined(separator: ",\n"))}}}",
      "\u{1e}" + objects.joined(separator: "\n\u{1e}"), list.replacing(", ", with: ",\n  "),
      objects.joined(separator: "\n").replacing("}", with: "\n}"),
      "{\"app\": {\"id\": [{\"v\": 1}]}, \"data\": {\"of\": {\"rows\": [\(list)]}}}",
      "[\"5E1F\", \(objects.joined(separator: ", \"7C\", "))]",
      "{\"users\": [{\"name\": \"a\"}], \"rows\": [\(list)], \"more\": [{\"name\": 2}]}",
    ]
    for (index, text) in texts.enumerated() {
      let log = try LogFolder.read(text)
      let entries = text == objects[0] ? Array(expected.entries.prefix(2)) : expected.entries
      #expect(log.dialect == .monitor && log.notices == expected.notices, "\(text)")
      #expect(log.hasLines == (index < 3))
      // Rows have their own numbers: a header row is there in CSV only.
      #expect(log.entries.map(Self.withoutRow) == entries.map(Self.withoutRow), "\(text)")
    }
    let single = try LogFolder.read("\n{\n\"url\": \"http://h/\",\n\"response_length\": 1}")
    #expect(single.entries.map(\.length) == [nil, 1])
    #expect(try LogFolder.read(texts[0]).entries.map(\.row) == [1, 1, 2, 2, 3])
    #expect(try LogFolder.read(texts[1]).entries.map(\.row) == [2, 2, 4, 4, 6])
    #expect(try LogFolder.read(texts[3]).entries.map(\.row) == [1, 1, 2, 2, 3])
  }

  private static func withoutRow(_ entry: LogEntry) -> LogEntry {
    var entry = entry
    entry.row = 0
    return entry
  }

  @Test("a column may begin in any row, and may have no value")
  func columns() throws {
    let log = try LogFolder.read(
      """
      {"host": "h", "path": "/a", "response_length": 5, "request_length": null}
      {"host": "h", "path": "/b", "response_length": "7", "status": 200, "error": false, "from_cache": true}
      """)
    #expect(log.columns.isSuperset(of: [.requestLength, .status, .isFromCache]))
    #expect(log.entries.map(\.length) == [nil, 5, nil, 7])
    #expect(log.entries.map(\.isFromCache) == [false, false, true, true] && !log.entries.contains(where: \.isAborted))
  }

  @Test(
    "a log that its app could not end is read up to its last whole row",
    arguments: [
      "#\n#\n{\"url\": \"http://h/\u{e9}", "[#, #, {\"url\": \"http://h/", "[\n#,\n#,\n", "[#, #, ",
      "#,\n#,\n{\"url\": \"http", "##{", "\u{1e}#\n\u{1e}#\n\u{1e}{\"url\": [1", "#,\n#,\nabc",
      "{\"a\": 1, \"rows\": [#, #, {", "{\"a\": {\"rows\": [#, #, {", "{\"events\": [#, #, {\"url\": [1,",
    ])
  func cut(text: String) throws {
    let row = "{\"url\": \"http://h/\", \"request_bytes\": 7, \"response_bytes\": 9}"
    let log = try LogFolder.read(text.replacing("#", with: row))
    #expect(log.entries.map(\.length) == [7, 9, 7, 9])
    #expect(
      log.notices.last == "the log has no end: its app was killed, or still runs; a row that is not whole is left out")
  }

  @Test(
    "names are known on the way to a value, and the object that has all of them has none",
    arguments: [
      // A proxy's session: the status in words is not the code.
      """
      [{"status": "COMPLETE", "host": "h", "path": "/", "query": null, "totalSize": 33,
      "times": {"start": "2026-03-01T10:00:00Z"}, "request": {"sizes": {"headers": 7, "body": 0}},
      "response": {"status": 200, "sizes": {"headers": 9, "body": 17}}}]
      """,
      """
      {"level": 2, "createdAt": "x", "task": {"url": "http://h/", "startDate": "2026-03-01T10:00:00Z", "statusCode": 200,
      "requestHeadersSize": 7, "responseHeadersSize": 9, "responseBodySize": 17, "requestBodySize": 0}}
      """,
      """
      {"event": "finished", "request": {"url": "http://h/"}, "response": {"statusCode": 200}, "metrics": {
      "countOfRequestHeaderBytesSent": 7, "countOfRequestBodyBytesSent": 0, "countOfResponseHeaderBytesReceived": 9,
      "countOfResponseBodyBytesReceived": 17}, "@timestamp": "2026-03-01T10:00:00Z"}
      """,
      """
      {"log": [{"request": {"host": "h", "path": "/", "timestamp": "2026-03-01T10:00:00Z", "headers_size": 7,
      "body": {"bytes": 0}}, "response": {"status_code": 200, "headers_size": 9, "body": {"bytes": 17}}}]}
      """,
    ])
  func names(text: String) throws {
    let log = try LogFolder.read(text.replacing("\n", with: " "))
    #expect(log.entries.map(\.headerLength) == [7, 9] && log.entries.map(\.bodyLength) == [0, 17])
    #expect(log.entries.map(\.time) == [1_772_359_200_000_000_000, 1_772_359_200_000_000_000])
    #expect(log.entries.map(\.status) == [0, 200] && log.entries.allSatisfy { $0.host == "h" && $0.path == "/" })
  }

  @Test("an object of the request or the response is no record around both")
  func sides() throws {
    let side = "\"url\": \"http://h/\", \"bytes\": 9"
    let row = "{\"response\": {\(side), \"request\": {\(side)}}}\n"
    let refusal = try LogFolder.refusal(row + row)
    #expect(refusal.hasPrefix("as a table of JSON objects: no column host, path; there are: "), "\(refusal)")
  }

  @Test(
    "objects behind the text of a console are rows; other lines are left out",
    arguments: [
      "10:00:00.1 App[1:2] [traffic] #\n10:00:00.2 App[1:2] hello\n\n10:00:00.3 App[1:2] [traffic] #\n",
      "[traffic] #\r\n[traffic] #", "starts\n{ a = 1; }\nI/Net( 12): #\nI/Net( 12): #\nI/Net( 12): {\"url\": \"htt",
      "\u{1b}[32mweb_1 |\u{1b}[0m #\nweb_1 | {\"level\": 1}\nweb_1 | #\n",
    ])
  func console(text: String) throws {
    let row = "{\"url\": \"http://h/\", \"request_bytes\": 7, \"response_bytes\": 9, \"note\": {\"a\": \"{\"}}"
    let log = try LogFolder.read(text.replacing("#", with: row))
    #expect(log.entries.map(\.length) == [7, 9, 7, 9] && log.hasLines)
    let numbers = text.utf8.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated()
      .filter { $0.element.contains(UInt8(ascii: "#")) }.map { $0.offset + 1 }
    #expect(log.entries.map(\.row) == numbers.flatMap { [$0, $0] })
    #expect(log.notices.contains("lines without an object of JSON are left out"))
    #expect(log.notices.contains { $0.hasPrefix("the log has no end") } == text.hasSuffix("htt"))
  }

  @Test("objects of other events are left out and counted, and an object may be an error")
  func others() throws {
    let log = try LogFolder.read(
      """
      {"event": "start", "time": 1772359200, "error": {"url": "x"}}
      {"url": "http://h/", "bytes_sent": 7, "bytes_received": 9, "error": {"code": -1001}}
      {"url": "http://h/", "bytes_sent": 7, "bytes_received": 9, "error": null}
      {"url": "http://h/", "bytes_sent": 7, "bytes_received": 9, "error": {}}
      {"url": "http://h/", "bytes_sent": 7, "bytes_received": 9, "error": []}
      """)
    #expect(log.entries.map(\.row) == [2, 2, 3, 3, 4, 4, 5, 5])
    #expect(log.entries.map(\.isAborted) == [false, true] + Array(repeating: false, count: 6))
    #expect(log.notices.contains("objects without a host, a path and a length, left out: 1"))
  }

  @Test("columns are mapped by their names, and unknown ones are shown to people")
  func mapping() throws {
    let text = "[{\"to\": {\"at\": \"http://h/a\"}, \"in\": {\"all\": 9}}]"
    var options = LogOptions()
    options.columns = try LogColumns(parsing: "url=to.at,response_length=in.all")
    #expect(try LogFolder.read(text, options).entries.map(\.length) == [nil, 9])
    let folder = try LogFolder()
    let tables = try LogReader().unknownTables(folder.write(Array(text.utf8)))
    #expect(tables?.count == 1)
    #expect(tables?.first?.columns.sorted { $0.name < $1.name }.map(\.sample) == ["9", "http://h/a"])
    #expect(try LogReader(options: options).unknownTables(folder.write(Array(text.utf8))) == nil)
  }

  @Test(
    "a wrong table is named",
    arguments: [
      ("[{\"a\": 1}]", "as a table of JSON objects: no column host, path, type, occur_time; there are: a; map it"),
      ("{\"a\": [{\"c\": 1}], \"b\": [{\"c\": 1}]}", "has several arrays of objects; expected one"),
      ("{\"url\": \"http://h/\", \"response_length\": 1}\n[]", "line 2, the row: expected an object"),
      ("{\"url\": \"http://h/\", \"response_length\": 1}\n{\n", "line 2, is not JSON: "),
      ("{\"url\": \"http://h/\", \"response_length\": 1}\n{\n\n{", "line 2, is not JSON: "),
      ("[{\"url\": ", "is not JSON: "), ("[{\"a\": 1 2}]", "is not JSON: "),
      ("[[1], [2]]", "the outermost value: neither a HAR"),
      ("{}\n{}", "as a table of JSON objects: no column host, path, type, occur_time, nor any other"),
      ("a {\"url\": \"http://h/\", \"bytes_sent\": 1}\nb {\"url\n", "line 2, is not JSON: "),
      ("a {\"b\": 1}\n", "as a table of JSON objects: no column host, path, type, occur_time; there are: b; map it"),
      ("a {\"b\"\n", "line 1: a quote inside a cell"), ("[a {\"b\": 1\n", "is not JSON: "),
      ("[{\"url\": null, \"response_length\": null, \"status\": 200}]", "has 1 objects, none of them with a host"),
      (
        "[{\"a\": {\"url\": \"http://h/\", \"bytes_sent\": 1}, \"b\": {\"url\": \"http://h/\", \"bytes_sent\": 1}}]",
        "as a table of JSON objects: no column host, path, type, occur_time; there are: "
      ),
      ("[\"a\", {\"url\": \"http://h/\", \"response_length\": 1}, \"b\", \"c\"]", "row 2, the row: expected an object"),
      ("[{\"url\": \"http://h/\", \"response_length\": 1}, \"b\"]", "row 2, the row: expected an object"),
      ("[{\"url\": \"http://h/\", \"response_length\": 1}, 2]", "row 2, the row: expected an object"),
      (
        "[{\"url\": \"http://h/\", \"response_length\": 1}, {\"url\": \"http://h/\", \"response_length\": [1]}]",
        "row 2, response_length: expected one value, found an array"
      ),
      (
        "[{\"host\": \"h\", \"path\": \"/\", \"response_length\": 1}, {\"host\": \"h\"}]",
        "row 2, column path: expected a path"
      ),
      ("{\"a\": {\"b\": [{}]}}", "the outermost value: neither a HAR"),
      (
        "[{" + (0...1_000).map { "\"c\($0)\": 1" }.joined(separator: ",") + "}]",
        "has more than 1000 members with names of their own"
      ),
      (
        "{\"url\": \"http://h/\", \"response_length\": 1}\n{\"url\": \"\(String(repeating: "a", count: 1 << 20))\"}",
        "line 2, has more than 1048576 bytes"
      ),
    ])
  func mistakes(text: String, words: String) throws {
    let refusal = try LogFolder.refusal(text)
    #expect(refusal.hasPrefix(words), "\(refusal.prefix(300))")
  }

  @Test("a member that a row has twice needs one value")
  func repeatedMembers() throws {
    let row = "\"url\": \"http://h/\", \"response_length\": 1"
    let other = "{\"url\": \"http://h/\", \"response_length\": 2}"
    #expect(try LogFolder.read("[{\(row), \"response_length\" : 1 }, \(other)]").entries.count == 4)
    #expect(try LogFolder.read("[{\(row), \"more\": [{\"a\": 1, \"a\": 2}]}, \(other)]").entries.count == 4)
    #expect(
      try LogFolder.refusal("[{\(row), \"response_length\": 10}, \(other)]")
        == "row 1, response_length is there twice, with different values")
    #expect(
      try LogFolder.refusal("[\(other), {\(row), \"sizes\": {\"a\": \"}\", \"a\": \"\\\"\"}}]")
        == "row 2, a is there twice, with different values")
  }
}
