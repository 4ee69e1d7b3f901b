import Foundation
import Testing

@testable import Estimates

@Suite("A file that is no log")
struct WrongLogTests {
  @Test(
    "what people give by mistake is named",
    arguments: [
      ([0x0a, 0x0d, 0x0d, 0x0a, 0, 0, 0, 28], "is a capture, not an app's log"),
      ([0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0], "is a capture, not an app's log"),
      ([0x1f, 0x8b, 8, 0], "is compressed; unpack it first"),
      ([0x28, 0xb5, 0x2f, 0xfd], "is compressed; unpack it first"),
      (Array("bplist00".utf8), "is a property list"), ([0x89, 0x50, 0x4e, 0x47, 0, 0], "is binary, and no SQLite"),
      ([0xff, 0xfe, 0x68, 0], "looks like UTF-16; save it as UTF-8"),
      ([0, 0x68, 0, 0x6f, 0, 0x73], "looks like UTF-16; save it as UTF-8"),
      (Array("hello world\n".utf8), "line 1, no column host, path, type, occur_time; there are: hello world"),
    ] as [([UInt8], String)])
  func mistakes(octets: [UInt8], words: String) throws {
    let refusal = try LogFolder.refusal(octets)
    #expect(refusal.hasPrefix(words), "\(refusal)")
  }

  @Test("no file, a folder, a device")
  func noFile() throws {
    let folder = try LogFolder()
    let path = folder.path("x")
    #expect(throws: LogError("\(path): there is no such file, or this user may not see it")) {
      try LogReader().read(path)
    }
    let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
    #expect(throws: LogError("\(parent): is a folder, not a log")) { try LogReader().read(parent) }
    #expect(throws: LogError("/dev/null: is not a regular file")) { try LogReader().read("/dev/null") }
  }

  @Test(
    "JSON that is broken, or of something else",
    arguments: [
      ("{\"log\": {\"entries\": []}}", "is a HAR without entries"),
      ("{\"log\": {}}", "log: no entries"), ("{\"log\": 1}", "log: "), ("{}", "the outermost value: neither a HAR"),
      ("{\"log\": {\"entries\": [{]}}", "is not JSON: "), ("[", "is not JSON: "),
      (String(repeating: "[", count: 100_000), "is not JSON: "),
      ("{\"log\": {\"entries\": [{}]}}", "entry 1, log.entries.1: no startedDateTime"),
      ("{\"log\": {\"entries\": [null]}}", "entry 1, "),
    ])
  func json(text: String, words: String) throws {
    let refusal = try LogFolder.refusal(text)
    #expect(refusal.hasPrefix(words), "\(refusal)")
  }

  @Test("a value of another type is named in words of JSON")
  func types() throws {
    func refusal(_ entry: String) throws -> String { try LogFolder.refusal("{\"log\": {\"entries\": [\(entry)]}}") }
    #expect(try refusal("null") == "entry 1, log.entries.1: expected an object")
    #expect(try refusal("{\"startedDateTime\": 1}") == "entry 1, log.entries.1.startedDateTime: expected a text")
    #expect(try LogFolder.refusal("{\"log\": 1}") == "log: expected an object")
    #expect(try LogFolder.refusal("{}").hasSuffix("nor a table (an array of objects, or objects behind each other)"))
  }

  @Test("a character of a million scalars does not fill the error")
  func longCharacter() throws {
    let text = "e" + String(repeating: "\u{301}", count: 300_000)
    for log in ["host,\(text)\n", "host,path,type,occur_time,length\nh,/,request,1772359200,\(text)\n"] {
      #expect(try LogFolder.refusal(log).utf8.count < 500)
    }
  }

  @Test("the position of a syntax error is told")
  func position() throws {
    let refusal = try LogFolder.refusal("{\"log\": {\n\"entries\": [\n  {\"a\": tru}\n]}}")
    #expect(refusal.contains("line 3, byte 1"), "\(refusal)")
  }

  private func entry(
    start: String = "\"2026-03-01T10:00:00Z\"", url: String = "\"http://h/\"", sizes: String = "\"headersSize\": 1",
    status: String = "200", timings: String = "{}"
  ) -> String {
    "{\"startedDateTime\": \(start), \"request\": {\"method\": \"GET\", \"url\": \(url), \(sizes)}, "
      + "\"response\": {\"status\": \(status)}, \"timings\": \(timings)}"
  }

  @Test("a wrong value in a HAR is named with its entry; the others are counted")
  func entries() throws {
    func refusal(_ entries: String...) throws -> String {
      try LogFolder.refusal("{\"log\": {\"entries\": [\(entries.joined(separator: ", "))]}}")
    }
    #expect(try refusal(entry()) == "")
    let cases = [
      (entry(start: "\"yesterday\""), "startedDateTime: expected ISO 8601, found 'yesterday'"),
      (entry(start: "\"\""), "startedDateTime: expected ISO 8601, found ''"),
      (entry(start: "1772359200"), "log.entries.1.startedDateTime: "),
      (entry(url: "\"/path\""), "request.url: expected a URL, found '/path'"),
      (entry(url: "\"http:///path\""), "request.url: expected a URL, found 'http:///path'"),
      (entry(url: "null"), "request: no url"),
      (entry(sizes: "\"headersSize\": \"12\""), "log.entries.1.request.headersSize: "),
      (entry(sizes: "\"headersSize\": 1.5"), "log.entries.1.request.headersSize: expected a whole number"),
      (entry(sizes: "\"bodySize\": 1e400"), "log.entries.1.request.bodySize: "),
      (entry(sizes: "\"bodySize\": 99999999999999999999"), "log.entries.1.request.bodySize: "),
      (entry(status: "1000"), "log.entries.1.response.status: expected a status code, found 1000"),
      (entry(timings: "{\"wait\": 1e30}"), "log.entries.1.timings.wait: expected milliseconds"),
    ]
    for (wrong, words) in cases {
      let found = try refusal(wrong)
      #expect(found.hasPrefix("entry 1, \(words)"), "\(found)")
    }
    #expect(try refusal(entry(), entry(url: "null"), entry(url: "null")).hasSuffix("no url; 2 of 3 rows are wrong"))
    #expect(try refusal(entry(url: "\"blob:http://h/1\"")) == "has 1 entries, none of them of HTTP")
  }

  @Test("a format that is asked for is not replaced by another; limits hold")
  func asked() throws {
    var options = LogOptions()
    options.format = .urlSessionMetrics
    #expect(try LogFolder.refusal("{\"log\": {\"entries\": []}}", options) == "is a HAR, not urlsession_metrics")
    options.format = .har
    #expect(try LogFolder.refusal("[]", options) == "is an array of JSON, not har")
    #expect(try LogFolder.refusal("host,path\n", options).hasPrefix("is not JSON: "))
    options.format = nil
    options.memoryLimit = 1_000
    let longPath = entry(url: "\"http://h/\(String(repeating: "a", count: 1_000))\"")
    #expect(
      try LogFolder.refusal("{\"log\": {\"entries\": [\(longPath)]}}", options)
        == "has rows that take more than 1000 bytes of memory; split it")
    options.memoryLimit = 1 << 30
    let long = String(repeating: "a", count: JSONElements.longest + 1)
    #expect(
      try LogFolder.refusal("{\"log\": {\"entries\": [\(long)]}}", options)
        == "has more than \(JSONElements.longest) bytes of JSON in one entry")
    options.rowLimit = 1
    let tasks = "[{\"transactionMetrics\": []}, {}, {}]"
    #expect(try LogFolder.refusal(tasks, options) == "has more than 1 tasks; split it")
    #expect(
      try LogFolder.refusal("{\"log\": {\"entries\": [\(entry()), \(entry())]}}", options)
        == "has more than 1 entries; split it")
  }
}
