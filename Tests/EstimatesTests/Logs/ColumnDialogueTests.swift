import Foundation
import GRDB
import Testing

@testable import Estimates

@Suite("Columns that are asked for")
struct ColumnDialogueTests {
  /// A dialogue with answers that are known before.
  private final class Answers {
    var lines: [String]
    var shown: [String] = []
    init(_ lines: [String]) { self.lines = lines }
  }

  private func run(
    _ text: String, _ answers: [String], _ options: LogOptions = LogOptions()
  ) throws -> (mapping: LogMapping, shown: [String], log: AppLog) {
    let folder = try LogFolder()
    return try run(path: folder.write(Array(text.utf8)), answers, options)
  }

  private func run(
    path: String, _ answers: [String], _ options: LogOptions
  ) throws -> (mapping: LogMapping, shown: [String], log: AppLog) {
    let tables = try #require(try LogReader(options: options).unknownTables(path))
    let answers = Answers(answers)
    var dialogue = ColumnDialogue(
      tables: tables, mapping: LogMapping(columns: options.columns, table: options.table),
      ask: { question in
        answers.shown.append(question)
        return answers.lines.isEmpty ? nil : answers.lines.removeFirst()
      }, say: { answers.shown.append($0) })
    let mapping = try dialogue.run()
    #expect(answers.lines.isEmpty, "answers that nobody asked for: \(answers.lines)")
    var options = options
    (options.columns, options.table) = (mapping.columns, mapping.table)
    return (mapping, answers.shown, try LogReader(options: options).read(path))
  }

  private let exchanges =
    "Server,Where,When,up,down,note\nh.example,/a,1772359200,5,,x\nh.example,/b,1772359201,6,70,\n"

  @Test("each needed column is asked for, with a value of each; what is known is not")
  func exchange() throws {
    let (mapping, shown, log) = try run(
      exchanges, ["E", "1", " where ", "When", "", "", "4", "", "", "", "down", "", "", ""])
    #expect(
      mapping.columns.names == [
        .host: "Server", .path: "Where", .time: "When", .requestLength: "up", .responseLength: "down",
      ])
    #expect(
      shown.contains("  1  Server  h.example") && shown.contains("  5  down  70") && shown.contains("  6  note  x"))
    #expect(shown.contains("request_length (bytes of the whole request): "))
    #expect(log.entries.map(\.length) == [5, nil, 6, 70])
    #expect(log.entries.map(\.path) == ["/a", "/a", "/b", "/b"])
  }

  @Test("a row that is a message; an answer that is none is asked again")
  func message() throws {
    let (mapping, shown, log) = try run(
      "host,path,kind,when,octets\nh,/,request,1772359200,5\n",
      ["message", "m", "", "9", "kind", "4", "", "", "octets", "", "", ""])
    #expect(mapping.columns.names == [.type: "kind", .time: "when", .length: "octets"])
    #expect(shown.contains("This one is needed.") && shown.contains("There is no such column."))
    #expect(!shown.contains { $0.hasPrefix("host (") })
    #expect(log.entries.map(\.length) == [5])
  }

  @Test("a log that is known asks nothing")
  func known() throws {
    let folder = try LogFolder()
    let path = try folder.write(Array((CSVLogTests.header + "\n").utf8))
    #expect(try LogReader().unknownTables(path) == nil)
    #expect(try LogReader().unknownTables(LogFolder.fixture("chrome.har")) == nil)
  }

  @Test("the end of input, senseless answers, and answers that are no log end the dialogue in one line")
  func ends() throws {
    func words(_ answers: [String]) -> String {
      do { return "read: \(try run(exchanges, answers).log)" } catch { return "\(error)" }
    }
    #expect(words([]) == "the input ended before all columns were known")
    #expect(words(Array(repeating: "?", count: 5)) == "the question was not answered")
    #expect(words(["e"] + Array(repeating: "0", count: 5)) == "column host was not answered")
    #expect(
      words(["e", "1", "2"] + Array(repeating: "", count: 11)).hasPrefix(
        "with these columns the log cannot be read: no column "))
  }

  @Test("of several tables one is chosen")
  func tables() throws {
    let folder = try LogFolder()
    let path = folder.path("log.db")
    let queue = try DatabaseQueue(path: path)
    try queue.writeWithoutTransaction {
      try $0.execute(
        sql: """
          CREATE TABLE other (x); CREATE TABLE "the log" (address TEXT, up INTEGER, blob_ BLOB);
          INSERT INTO "the log" VALUES (NULL, 4, x'00'), ('http://h/a', 5, NULL);
          """)
    }
    try queue.close()
    let table = try #require(try LogReader().unknownTables(path)?.last)
    #expect(table.columns.map(\.sample) == ["http://h/a", "4", "a blob"])
    try DatabaseQueue(path: path).writeWithoutTransaction {
      try $0.execute(sql: "DELETE FROM \"the log\" WHERE address IS NULL")
    }
    let (mapping, shown, log) = try run(
      path: path, ["3", "2", "e", "1", "1", "", "", "", "up"] + Array(repeating: "", count: 7), LogOptions())
    #expect(mapping.table == "the log" && shown.contains("  2  the log  3 columns"))
    #expect(log.entries.map(\.length) == [5, nil])
  }

  @Test("a mapping is written as it is read")
  func file() throws {
    var mapping = LogMapping(table: "the log")
    mapping.columns.names = [.host: "Ser=ver, \"x\"", .requestLength: "up #1"]
    let text = try mapping.text(of: "a\nb.db")
    #expect(text == "# The columns of ab.db\ntable = the log\nhost = Ser=ver, \"x\"\nrequest_length = up #1\n")
    #expect(try LogMapping(parsing: text, file: "f") == mapping)
    let loose = try LogMapping(parsing: "\r\n \t# x\r\nurl=Where\r\n  length =  a b \t", file: "f")
    #expect(loose.columns.names == [.host: "Where", .path: "Where", .length: "a b"])
    mapping.columns.names = [.host: "a\nb"]
    #expect(throws: LogError.self) { try mapping.text(of: "x") }
  }

  @Test(
    "a file that is no mapping is refused with its line",
    arguments: [
      ("host", "f: line 1: expected NAME=COLUMN, found 'host'"),
      ("\nhost =", "f: line 2: expected NAME=COLUMN, found 'host ='"),
      ("host=a\nhost=b", "f: line 2: host is given twice"), ("table=a\ntable=b", "f: line 2: table is given twice"),
      (String(repeating: "x", count: 1 << 17), "f: is longer than 65536 bytes"),
    ])
  func wrongFile(text: String, words: String) {
    #expect(throws: LogError(words)) { try LogMapping(parsing: text, file: "f") }
  }

  @Test("a file with an unknown name says which there are")
  func unknownName() {
    do { _ = try LogMapping(parsing: "hots=a", file: "f") } catch {
      #expect(error.description.hasPrefix("f: line 1: no column 'hots'; there are url, host, path, "))
    }
    #expect(throws: LogError.self) { try LogMapping(parsing: "hots=a", file: "f") }
  }
}
