import Foundation
import HTTPReassembly
import TableReading
import Testing

@testable import Reports

@Suite struct ReportReaderTests {
  private let folder = TemporaryFolder()

  /// A figure that reports get and comparisons do not know would be left out in silence.
  @Test func everyColumnIsKnown() {
    let columns = APIRow.columns(Configuration.Grouping(path: true, method: true))
    let integers = columns.filter { if case .integer = $0.kind { true } else { false } }.map(\.name)
    #expect(integers == APIColumn.allCases.map(\.rawValue))
    #expect(
      columns.filter { if case .real = $0.kind { true } else { false } }.map(\.name) == ["wait_ms_p50", "wait_ms_p95"])
    for sum in APISum.allCases {
      for (position, column) in APIColumn.allCases.enumerated() {
        let counts = counts([column: position + 1])
        let isPart = sum.columns.0 == column || sum.columns.1 == column
        #expect(counts[sum] == (isPart ? position + 1 : 0))
      }
    }
  }

  @Test func whatIsWrittenIsReadAgain() throws {
    // Octets that are escaped, quoted, or defused for spreadsheets.
    let names: [[UInt8]] = [
      Array("=1+1".utf8), Array("'a".utf8), Array("a,\"b\"".utf8), Array("a\\x41".utf8), Array("\\".utf8),
      [0xff, 0x00, 0x0a, 0x5c], Array("ü\u{202e}".utf8), Array("-".utf8),
    ]
    var texts = TextPool()
    var totals = emptyTotals()
    for (index, name) in names.enumerated() {
      var api = APITotals()
      api.host = texts.intern(name)
      api.path = texts.intern(name.reversed())
      api.requests = index + 1
      api.responses = 7
      api.request.octets.header = 10
      api.response.octets.body = 20
      api.response.overhead = 40
      api.status5xx = 3
      for value in [1_234_567, 99_000_001] as [Int64] { api.wait.record(value) }
      totals.apis.append(api)
    }
    totals.texts = texts
    let context = ReportContext(grouping: Configuration.Grouping(path: true, method: false), toolVersion: "0")
    var reports = try ReportSet([.csv, .sqlite], folder: folder.path, context)
    try reports.finish(totals)
    let csv = try ReportReader.read(folder.path)
    let database = try ReportReader.read(folder.path + "/report.sqlite")
    #expect(csv.apis == database.apis && csv.apis.count == names.count)
    for (index, name) in names.enumerated() {
      let api = try #require(csv.apis[APIKey(host: name, path: name.reversed())])
      #expect(api.figures[.requests] == index + 1 && api.figures[.ip] == 70 && api.figures[.message] == 30)
      #expect(api.waitP50 == 1_234_567 && api.waitP95 == 99_000_001)
      #expect(api.figures == APICounts(totals.apis[index]))
    }
    #expect(database.isComplete == true && database.isRedacted == false && database.grouping == csv.grouping)
  }

  /// What a signal stopped says so in a database, and beside a table.
  @Test(arguments: [false, true]) func aStoppedRunIsNotComplete(_ isStopped: Bool) throws {
    var totals = emptyTotals()
    if isStopped { totals.noteStop() }
    let context = ReportContext(grouping: Configuration.Grouping(path: true, method: false), toolVersion: "0")
    var reports = try ReportSet([.csv, .sqlite], folder: folder.path, context)
    try reports.finish(totals)
    for name in ["apis.csv", "report.sqlite"] {
      #expect(try ReportReader.read(folder.path + "/" + name).isComplete == !isStopped, "\(name)")
    }
  }

  @Test func wrongFilesAreNamedInOneLine() throws {
    let good = apisCSV([("a", "/", [:])])
    let wrong: [(String, String)] = [
      (good.replacing("response_bytes,", with: ""), "no column response_bytes"),
      (good.replacing("host,path", with: "host,host"), "column twice"),
      (good.replacing("a,/,0", with: "a,/,-1"), "line 2: requests is not a whole number"),
      (good.replacing("a,/,0", with: "a,/,1e3"), "line 2: requests is not a whole number"),
      (good.replacing("a,/,0", with: "a,/,99999999999999999999"), "line 2: requests is not a whole number"),
      (good.replacing("a,/,0", with: "a,/,9999999999999"), "line 2: requests is not between 0 and"),
      (good.replacing("a,/,0", with: "a,/"), "line 2: has 33 cells under 34 columns"),
      (good.replacing("0,,\r\n", with: "0,nan,\r\n"), "wait_ms_p50 is not a number of milliseconds"),
      (good.replacing("0,,\r\n", with: "0,,1e300\r\n"), "wait_ms_p95 is not a number of milliseconds"),
      (good.replacing("0,,\r\n", with: "0,,-1\r\n"), "wait_ms_p95 is not a number of milliseconds"),
      ("message,exchange\r\n1,2\r\n", "is not a report"), ("", "is not a report"), ("{}", "is not a report"),
    ]
    for (text, problem) in wrong {
      let path = try folder.put("apis.csv", text)
      let error = #expect(throws: ReadingError.self) { try ReportReader.read(path) }
      let description = error?.description ?? ""
      #expect(
        description.contains(problem) && description.hasPrefix(path) && !description.contains("\n"), "\(description)")
    }
    // Sums that would overflow.
    let most = APIColumn.requestIP.limit
    let path = try folder.put("apis.csv", apisCSV([("a", "/", [.requestIP: most]), ("b", "/", [.requestIP: 1])]))
    #expect(throws: ReadingError.self) { try ReportReader.read(path) }
  }

  /// Anyone may have made a report: its rows and names are bounded.
  @Test func rowsAndNamesAreBounded() throws {
    let name = [UInt8](repeating: UInt8(ascii: "a"), count: 1 << 20)
    var long = ReportedAPIs(name: "long")
    for index in 0..<63 { try long.add(APIKey(host: [UInt8(index)], path: name), ReportedAPI()) }
    #expect(throws: RowFault.self) { try long.add(APIKey(host: [63], path: name), ReportedAPI()) }
    var many = ReportedAPIs(name: "many")
    for _ in 0..<1 << 18 { try many.add(APIKey(host: [], path: []), ReportedAPI()) }
    #expect(throws: RowFault.self) { try many.add(APIKey(host: [], path: []), ReportedAPI()) }
  }

  @Test func wrongPlacesAreNamed() throws {
    let other = TemporaryFolder()
    for path in [other.path, other.path + "/none", "/dev/null"] {
      let error = #expect(throws: ReadingError.self) { try ReportReader.read(path) }
      #expect(error?.description.hasPrefix(path) == true)
    }
  }
}
