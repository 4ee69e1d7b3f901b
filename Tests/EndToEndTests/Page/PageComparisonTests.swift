import Foundation
import TestSupport
import Testing

/// The page of `verify` and of `models` in a real browser: error charts with the figures of the files beside it.
@Suite(
  .enabled(if: Browser.whyNot == nil, "no browser: install chromium and python3 (scripts/install-dependencies --tests)")
)
struct PageComparisonTests {
  /// The cells of a section's table, row by row, as they are shown; without the marks of sorting, and "−" as a minus.
  private static func cells(_ section: Int) -> Browser.Step {
    .evaluate(
      """
      (() => {
        document.querySelectorAll('#comparison-\(section) .table > button').forEach((button) => button.click());
        return [...document.querySelectorAll('#comparison-\(section) tbody tr')].map((row) =>
          [...row.cells].map((cell) => cell.textContent.replace(/(\\d),(?=\\d{3})/g, '$1').replace('−', '-').replace('+', '')).join('|'));
      })()
      """)
  }

  /// The bars of a section: where each begins and how long it is, in percent of the chart; nothing for no difference.
  private static func bars(_ section: Int) -> Browser.Step {
    .evaluate(
      """
      [...document.querySelectorAll('#comparison-\(section) .differences .track')].map((track) => track.firstChild
        ? [track.firstChild.style.left, track.firstChild.style.width, track.firstChild.style.background].join('|') : '')
      """)
  }

  private static func texts(_ selector: String) -> Browser.Step {
    .evaluate("[...document.querySelectorAll('\(selector)')].map((node) => node.textContent)")
  }

  /// The log of an app that counts no query, ends lines with a line feed, and forgets the empty line.
  private static let verified = Result { () throws -> ComparisonPage in
    let capture = try Corpus.capture("nginx-keepalive")
    let scratch = try Scratch()
    #expect(try Sniffer.run([capture.path, "-q", "-o", scratch.path("report")]).status == 0)
    var log = AppLogFile(try Report(folder: scratch.url.appendingPathComponent("report")).messages)
    for index in log.rows.indices {
      log.rows[index].line -= 1
      log.rows[index].header -= 2
    }
    let file = try scratch.file("app.csv", Array(log.text.utf8))
    return try ComparisonPage(["verify", capture.path, "--log", file.path])
  }

  private static let models = Result {
    try ComparisonPage(["models", try Corpus.capture("mixed-2000").path])
  }

  @Test func showsWhatVerifyFound() throws {
    let page = try Self.verified.get()
    let outcome = try Browser.open(
      page.url,
      [
        Self.cells(0), Self.bars(0), Self.cells(1), Self.cells(2), Self.texts("#sections a"),
        Self.texts("#comparison-0 .facts li"), Self.texts("#comparison-1 .facts li"), Self.texts("main .notice"),
      ])
    PageBrowserTests.expectQuiet(outcome, page.url)

    let rows = try page.csv("verify.csv").rows
    let matched = rows.filter { $0["status"] == "matched" }
    func row(_ name: String, _ figure: String, _ rows: [CSVFile.Row]) -> String {
      let columns =
        [
          "line": ["app_line_bytes", "wire_start_line_bytes", "line_difference"],
          "header": ["app_header_bytes", "wire_header_bytes", "header_difference"],
          "body": ["app_body_bytes", "wire_body_bytes", "body_difference"],
          "total": ["app_bytes", "wire_message_bytes", "difference"],
        ][figure] ?? []
      let sums = columns.map { rows.sum($0) }
      return ([name] + sums.map(String.init) + [Self.share(sums[2], sums[1]), "\(rows.count)", "0"])
        .joined(separator: "|")
    }
    let requests = matched.filter { $0["type"] == "request" }
    let responses = matched.filter { $0["type"] != "request" }
    #expect(
      outcome.values[0].texts == [
        row("start-lines", "line", matched), row("header sections", "header", matched), row("bodies", "body", matched),
        row("requests", "total", requests), row("responses", "total", responses), row("all", "total", matched),
      ])
    // The largest difference takes half of the chart, and what does not differ has no bar.
    let bars = outcome.values[1].texts
    #expect(bars.count == 6)
    #expect(bars[5] == "0%|50%|var(--down)")
    #expect(bars[2] == "")
    #expect(matched.sum("body_difference") == 0)

    // Every cause with its octets, over the whole file.
    var causes: [String: (octets: Int, rows: Int)] = [:]
    for row in rows {
      for cause in row["causes"].components(separatedBy: "; ") where !cause.isEmpty {
        let parts = cause.components(separatedBy: "=")
        causes[parts[0], default: (0, 0)].octets += try #require(Int(parts[1]))
        causes[parts[0], default: (0, 0)].rows += 1
      }
    }
    #expect(Set(outcome.values[2].texts) == Set(causes.map { "\($0.key)|\($0.value.octets)|\($0.value.rows)" }))
    #expect(causes["empty line missing"]?.octets == -2 * matched.count)

    // APIs that differ, each with its sums; those that do not are not there.
    let apis = Dictionary(grouping: rows) { $0["host"] + $0["path"] }
    let wrong = apis.filter { $0.value.sum("difference") != 0 || $0.value.contains { $0["status"] != "matched" } }
    #expect(outcome.values[3].texts.count == wrong.count)
    for line in outcome.values[3].texts {
      let cells = line.components(separatedBy: "|")
      let own = try #require(apis[cells[0]])
      #expect(cells[1...2] == ["\(own.sum("app_bytes"))", "\(own.sum("wire_message_bytes"))"])
      #expect(cells[5] == "\(own.count)")
    }

    #expect(
      outcome.values[4].texts.prefix(4) == ["The app's log", "Causes", "APIs that differ", "What would save most"])
    let facts = outcome.values[5].texts
    #expect(facts.first?.hasSuffix("Every difference is explained.") == true)
    #expect(facts.dropFirst().first?.hasPrefix("the log knows \(matched.count) of \(rows.count) messages") == true)
    #expect(outcome.values[6].texts.contains { $0.contains("ended by LF") })
    #expect(outcome.values[6].texts.contains("empty line missing: add 2 for the empty line"))
    #expect(outcome.values[7].texts == [], "everything was compared")
  }

  @Test func showsWhatModelsSay() throws {
    let page = try Self.models.get()
    let outcome = try Browser.open(
      page.url,
      [
        Self.cells(0), Self.cells(1), Self.bars(0), Self.bars(1), Self.texts("#comparison-0 th"),
        Self.texts("#comparison-1 .legend li"), Self.texts("#sections a"),
      ])
    PageBrowserTests.expectQuiet(outcome, page.url)
    let rows = try page.csv("models.csv").rows
    for (index, direction) in ["request", "response"].enumerated() {
      let shown = outcome.values[index].texts
      #expect(shown.count == ModelsRun.names.count, "all models, without a click")
      var totals: [Int] = []
      for line in shown {
        let cells = line.components(separatedBy: "|")
        let own = rows.filter { $0["model"] == cells[0] }
        let figures = ["total_estimate", "total_bytes", "total_error"].map { own.sum("\(direction)_\($0)") }
        let parts = ["line", "header", "body", "framing"].map { own.sum("\(direction)_\($0)_error") }
        #expect(
          cells == [cells[0]] + figures.map(String.init) + [Self.share(figures[2], figures[1])]
            + ["\(own.sum("\(direction)_messages"))"] + parts.map(String.init))
        totals.append(figures[2])
      }
      #expect(totals.map(abs) == totals.map(abs).sorted(by: >), "the worst first")
      // Misses are to the left of the middle, what is too much to the right; each to the scale of the worst.
      let worst = Double(totals.map(abs).max() ?? 0)
      let bars = outcome.values[2 + index].texts
      #expect(bars.count == totals.count)
      for (bar, total) in zip(bars, totals) {
        guard total != 0 else {
          #expect(bar == "")
          continue
        }
        let parts = bar.components(separatedBy: "|")
        let (left, width) = (Double(parts[0].dropLast()) ?? -1, Double(parts[1].dropLast()) ?? -1)
        #expect(abs(width - Double(abs(total)) / worst * 50) < 0.01)
        #expect(abs(left - (total < 0 ? 50 - width : 50)) < 0.01)
        #expect(parts[2] == (total < 0 ? "var(--down)" : "var(--up)"))
      }
      #expect(direction == "request" || totals.contains { $0 > 0 } && totals.contains { $0 < 0 })
    }
    #expect(outcome.values[4].texts.prefix(3) == ["model", "estimate", "wire"])
    #expect(outcome.values[5].texts == ["the model says more", "the model says less"])
    #expect(outcome.values[6].texts.prefix(3) == ["Models: requests", "Models: responses", "What would save most"])
  }

  /// Paths of the log and of the wire, and names of fields in what is said of them, are text. A log's host has to be one.
  @Test func nothingOfALogRuns() throws {
    let path = "/</script><script>alert(1)</script><img/src=x/onerror=alert(2)>"
    let host = "a.example"
    let field = "x-<b>"
    let scratch = try Scratch()
    // As many, and as different, as make it sure that the field is not counted: equal messages fit a constant as well.
    let accepted = (1...6).map { String(repeating: "a", count: $0) }
    let requests = zip(accepted, [77, 15, 50, 4, 90, 31]).map { accepted, count in
      "GET \(path)\(accepted) HTTP/1.1\r\nHost: \(host)\r\nAccept: \(accepted)\r\n"
        + "\(field): \(String(repeating: "y", count: count))\r\n\r\n"
    }
    let capture = try scratch.file(
      "capture.pcap",
      HandMadeCapture.octets(
        request: requests.joined(),
        response: String(repeating: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", count: 6)))
    let rows = accepted.map {
      "\"\(host)\",\"\(path)\($0)\",request,1700000000,\(6 + host.utf8.count + 2 + 8 + $0.utf8.count + 2 + 2)\n"
    }
    let log = try scratch.file(
      "app.csv",
      Array(
        """
        host,path,type,occur_time,header_length
        \(rows.joined())\
        "\(host)","\(path)a",response,1700000000,0
        "\(host)","/__proto__\u{202e}<script>alert(4)</script>",request,1700000000,10

        """.utf8))
    for arguments in [["verify", capture.path, "--log", log.path], ["models", capture.path]] {
      let page = try ComparisonPage(arguments)
      let outcome = try Browser.open(
        page.url,
        [
          .evaluate(
            "document.querySelectorAll('button, input[type=checkbox], summary').forEach((node) => node.click())"),
          .evaluate(
            "[document.scripts.length, document.images.length, document.querySelectorAll('b, main script').length]"),
          Self.texts("#comparison-2 tbody td:first-child"), Self.texts("#comparison-1 tbody td:first-child"),
          .evaluate("document.documentElement.textContent.includes('\\u202e')"),
        ])
      PageBrowserTests.expectQuiet(outcome, page.url)
      #expect(outcome.values[1].numbers == [2, 0, 0], "the data, the page's script, and nothing else")
      #expect(outcome.values[4] == .flag(false))
      guard arguments[0] == "verify" else { continue }
      let apis = outcome.values[2].texts
      #expect(apis.contains(host + path + "a"))
      #expect(apis.contains { $0.contains("\\xe2\\x80\\xae") && $0.hasSuffix("<script>alert(4)</script>") })
      #expect(outcome.values[3].texts.contains("field not seen by the app (\(field))"))
      let json = page.text.components(separatedBy: "id=\"data\">").last?.components(separatedBy: "</script>").first
      #expect(json?.contains("<") == false && json?.contains("alert(4)") == true)
    }
  }

  /// Light, dark and narrow: nothing is wider than the screen or its cell, and every text can be told from what is behind it.
  @Test(arguments: ["light", "dark"])
  func canBeReadEverywhere(_ scheme: String) throws {
    for page in [try Self.verified.get(), try Self.models.get()] {
      let outcome = try Browser.open(
        page.url,
        [
          .scheme(scheme), .size(1280, 900), .reload, .evaluate(PageAccessTests.badContrasts), .size(360, 800), .reload,
          .evaluate("document.documentElement.scrollWidth"),
          .evaluate(
            """
            [...document.querySelectorAll('[id^=comparison] td > *')].filter((node) =>
              node.getBoundingClientRect().right > node.parentElement.getBoundingClientRect().right + 1).map((node) => node.outerHTML.slice(0, 120)).slice(0, 5)
            """), .evaluate(PageAccessTests.badContrasts),
        ])
      PageBrowserTests.expectQuiet(outcome, page.url)
      #expect(outcome.values[1] == .number(360))
      #expect(outcome.values[2].texts == [])
      for index in [0, 3] {
        #expect(Int(outcome.values[index].texts.first ?? "") ?? 0 > 200, "texts that were looked at")
        #expect(outcome.values[index].texts.dropFirst() == [])
      }
    }
  }

  @Test func redactionHoldsForTheSections() throws {
    let scratch = try Scratch()
    let capture = try scratch.file(
      "capture.pcap",
      HandMadeCapture.octets(
        request: "GET /a/path-secret HTTP/1.1\r\nHost: 192.0.2.77\r\n\r\n",
        response: "HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n"))
    let log = try scratch.file(
      "app.csv",
      Array("host,path,type,occur_time,length\n192.0.2.77,/a/path-secret,request,1700000000,10\n".utf8))
    let page = try ComparisonPage(["verify", capture.path, "--log", log.path, "--redact"])
    for hidden in ["path-secret", "192.0.2.77"] { #expect(!page.text.contains(hidden), "\(hidden)") }
    #expect(page.text.contains("\"title\":\"APIs by difference\""))
  }

  /// A share as the page shows it: one decimal, and what is not nothing never looks like it.
  private static func share(_ part: Int, _ whole: Int) -> String {
    guard whole != 0 else { return "" }
    let share = Double(abs(part)) / Double(whole) * 100
    return (part < 0 ? "-" : "") + (share > 0 && share < 0.05 ? "<0.1%" : String(format: "%.1f%%", share))
  }
}

/// `report.html` of `verify` or `models`, with the CSV files of the same run.
struct ComparisonPage: Sendable {
  let text: String
  private let scratch: Scratch

  var url: URL { scratch.url.appendingPathComponent("out/report.html") }

  init(_ arguments: [String]) throws {
    scratch = try Scratch()
    let outcome = try Sniffer.run(arguments + ["-q", "--format", "csv,html", "-o", scratch.path("out")])
    try #require(outcome.status == 0, "\(outcome.error)")
    text = try String(contentsOf: scratch.url.appendingPathComponent("out/report.html"), encoding: .utf8)
  }

  /// A file of the run.
  func csv(_ name: String) throws -> CSVFile {
    try CSVFile([UInt8](Data(contentsOf: scratch.url.appendingPathComponent("out/\(name)"))))
  }
}
