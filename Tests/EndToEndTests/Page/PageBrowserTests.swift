import Foundation
import TestSupport
import Testing

/// The page in a real browser: what it shows, how it is used, what it asks of the world.
@Suite(
  .enabled(if: Browser.whyNot == nil, "no browser: install chromium and python3 (scripts/install-dependencies --tests)")
)
struct PageBrowserTests {
  /// The page of the demo.
  static let demo = Result { try Page([Corpus.capture("demo").path, "--template"]) }

  /// The texts of a column of the table of the APIs, and how the column says that it is sorted.
  private static let requests = """
    [...document.querySelectorAll('#apis tbody td[data-label=requests]')].map((cell) => \
    Number(cell.textContent.replaceAll(',', '')))
    """
  private static let header =
    "[...document.querySelectorAll('#apis th')].find((head) => head.textContent === 'requests')"

  @Test func isWholeAndQuiet() throws {
    let page = try Self.demo.get()
    let outcome = try Browser.open(
      page.url,
      [
        .evaluate(
          """
          ['savings', 'bytes', 'hosts', 'apis', 'exchanges', 'timeline', 'waits', 'headers', 'compression', 'caching', \
          'types', 'outcomes', 'clients', 'connections', 'ledger', 'anomalies'].map((id) => document.querySelectorAll(\
          `#${id} tbody tr, #${id} .bar, #${id} .time, #${id} rect, #${id} .behind li`).length)
          """),
        .evaluate("document.querySelector('#ledger tbody').textContent"),
        .evaluate("document.querySelectorAll('.notice').length"),
      ])
    #expect(outcome.values[0].numbers.count == 16)
    #expect(outcome.values[0].numbers.allSatisfy { $0 > 0 }, "rows or bars in each section: \(outcome.values[0])")
    let body = try #require(page.report.ledger("body"))
    guard case .text(let ledger) = outcome.values[1] else { throw Missing() }
    #expect(ledger.replacingOccurrences(of: ",", with: "").contains("body\(body)"))
    #expect(outcome.values[2] == .number(0), "nothing is cut or missing in the demo")
    Self.expectQuiet(outcome, page.url)
  }

  @Test func sortsByClickAndByKey() throws {
    let page = try Self.demo.get()
    let outcome = try Browser.open(
      page.url,
      [
        .evaluate("document.querySelector('#apis .table > button').click()"),
        .evaluate("\(Self.header).firstChild.click()"), .evaluate(Self.requests),
        .evaluate("\(Self.header).getAttribute('aria-sort')"),
        .evaluate("\(Self.header).firstChild.focus()"), .key("Enter"), .evaluate(Self.requests),
        .evaluate("\(Self.header).getAttribute('aria-sort')"),
      ])
    let expected = page.report.apis.rows.map { Double($0.integer("requests")) }.sorted()
    #expect(outcome.values[2].numbers == expected.reversed())
    #expect(outcome.values[3] == .text("descending"))
    #expect(outcome.values[5].numbers == expected)
    #expect(outcome.values[6] == .text("ascending"))
    Self.expectQuiet(outcome, page.url)
  }

  @Test func searches() throws {
    let page = try Self.demo.get()
    let outcome = try Browser.open(
      page.url,
      [
        .evaluate("document.querySelector('#apis .table > button').click()"),
        .evaluate("document.querySelector('#apis input').focus()"), .type("ITEMS"),
        .evaluate("[...document.querySelectorAll('#apis tbody tr td:first-child')].map((cell) => cell.textContent)"),
        .evaluate("document.querySelector('#apis [role=status]').textContent"),
      ])
    let expected = page.report.apis.rows.map { $0["host"] + $0["path"] }.filter { $0.contains("items") }
    #expect(expected.count > 2 && expected.count < page.report.apis.rows.count)
    #expect(outcome.values[2].texts.sorted() == expected.sorted())
    #expect(outcome.values[3] == .text("\(expected.count) of \(expected.count) rows found"))
    Self.expectQuiet(outcome, page.url)
  }

  /// What the limits leave out is said.
  @Test func saysWhatIsCut() throws {
    let page = try Page([Corpus.capture("mixed-2000").path])
    let outcome = try Browser.open(
      page.url, [.evaluate("[...document.querySelectorAll('.notice')].map((node) => node.textContent)")])
    let exchanges = page.report.exchanges.rows.count
    let shown = try page.table("exchanges").rows.count
    #expect(exchanges > shown && shown >= 1000)
    let notices = outcome.values[0].texts.map { $0.replacingOccurrences(of: ",", with: "") }
    #expect(notices.contains { $0.hasPrefix("\(shown) of \(exchanges) exchanges: those with the most bytes") })
    #expect(page.text.utf8.count < 3_000_000)
    Self.expectQuiet(outcome, page.url)
  }

  /// What could not be kept to make the page is said at the top, and nothing else is.
  @Test func saysWhatWasNotKept() throws {
    let page = try Self.demo.get()
    let nothing = #""without_parts":0,"#
    #expect(page.text.contains(nothing))
    let text = page.text.replacingOccurrences(of: nothing, with: #""without_parts":1200,"#)
    let scratch = try Scratch()
    let url = try scratch.file("report.html", Array(text.utf8))
    let outcome = try Browser.open(
      url, [.evaluate("[...document.querySelectorAll('main > .notice')].map((node) => node.textContent)")])
    #expect(outcome.values[0].texts.count == 1)
    #expect(outcome.values[0].texts.first?.contains("1,200 messages were too many in progress") == true)
    Self.expectQuiet(outcome, url)
  }

  /// An API opens to its exchanges, and an exchange to its parts, with the figures of the CSV files; a second press closes.
  @Test func opensAnAPIAndAnExchange() throws {
    let page = try Self.demo.get()
    let outcome = try Browser.open(
      page.url,
      [
        .evaluate("document.querySelector('#apis .opener').focus()"), .key("Enter"),
        .evaluate("document.querySelector('#apis .opener').getAttribute('aria-expanded')"),
        .evaluate("document.querySelector('#apis .opener').textContent"),
        .evaluate("document.querySelectorAll('#apis .waterfall > li').length"),
        .evaluate("document.querySelector('#apis .waterfall .opener').click()"),
        .evaluate("document.querySelector('#apis .facts-of dd').textContent"),
        .evaluate(
          """
          [...document.querySelectorAll('#apis .waterfall .opened tbody tr')].map((row) => \
          [...row.cells].map((cell) => cell.textContent.replaceAll(',', '')).join(' '))
          """),
        .key("Enter"), .evaluate("document.querySelectorAll('#apis .below').length"),
      ])
    #expect(outcome.values[1] == .text("true"))
    let costliest = try #require(
      page.report.apis.rows.max {
        $0.integer("request_ip_bytes") + $0.integer("response_ip_bytes")
          < $1.integer("request_ip_bytes") + $1.integer("response_ip_bytes")
      })
    #expect(outcome.values[2] == .text(costliest["host"] + costliest["path"]))
    #expect(outcome.values[3] == .number(10))
    guard case .text(let words) = outcome.values[5] else { throw Missing() }
    let number = try #require(words.split(separator: " ").first.map(String.init))
    let messages = page.report.messages.rows.filter { $0["exchange"] == number }
    let largest = try #require(
      page.report.exchanges.rows.filter { $0["host"] == costliest["host"] && $0["api_path"] == costliest["path"] }
        .map { $0.integer("ip_bytes") }.max())
    #expect(messages.sum("ip_bytes") == largest)
    for part in ["start_line", "header", "body", "overhead"] {
      let requests = messages.filter { $0["type"] == "request" }.sum("\(part)_bytes")
      let responses = messages.filter { $0["type"] != "request" }.sum("\(part)_bytes")
      let name = part == "start_line" ? "start-line" : part
      #expect(outcome.values[6].texts.contains("\(name) \(requests) \(responses) \(requests + responses)"), "\(part)")
    }
    #expect(outcome.values[7] == .number(0))
    Self.expectQuiet(outcome, page.url)
  }

  /// Filters and orders let through and sort as they say, by the figures of the CSV file.
  @Test func filtersExchanges() throws {
    let page = try Self.demo.get()
    func choose(_ label: String, _ value: String) -> Browser.Step {
      .evaluate(
        """
        (() => { const select = [...document.querySelectorAll('#exchanges label')].find((label) => \
        label.firstChild.textContent === '\(label)').querySelector('select'); select.value = '\(value)'; \
        select.dispatchEvent(new Event('change')) })()
        """)
    }
    let status = Browser.Step.evaluate("document.querySelector('#exchanges [role=status]').textContent")
    let outcome = try Browser.open(
      page.url,
      [
        status, choose("Host", "api.example.com"), status, choose("Method", "POST"), status, choose("Status", "failed"),
        choose("Method", ""), choose("Host", ""), status, choose("Status", ""), choose("Type", "image/jpeg"), status,
        choose("Type", ""), .evaluate("document.querySelector('#exchanges input[type=search]').focus()"),
        .type("ITEMS"), status, choose("Order", "bytes"),
        .evaluate(
          "[...document.querySelectorAll('#exchanges .exchange .figure:nth-child(3)')].map((node) => Number(node.title.replace(/\\D/g, '')))"
        ),
      ])
    let rows = page.report.exchanges.rows
    let types = Dictionary(
      page.report.messages.rows.filter { $0["type"] == "response" }.map { ($0["exchange"], $0["content_type"]) }
    ) { first, _ in first }
    func count(_ isFound: (CSVFile.Row) -> Bool) -> String { "\(rows.filter(isFound).count) exchanges" }
    let texts = outcome.values.compactMap { value -> String? in
      guard case .text(let text) = value else { return nil }
      return text.components(separatedBy: ",")[0]
    }
    let found = rows.filter { ($0["host"] + $0["path"]).lowercased().contains("items") }
    let expected: [String] = [
      count { _ in true }, count { $0["host"] == "api.example.com" },
      count { $0["host"] == "api.example.com" && $0["method"] == "POST" },
      count { $0["response"].isEmpty || $0.integer("status") >= 400 },
      count { types[$0["exchange"]]?.hasPrefix("image/jpeg") == true }, "\(found.count) exchanges",
    ]
    #expect(texts == expected)
    let sorted = found.map { Double($0.integer("ip_bytes")) }.sorted(by: >)
    #expect(outcome.values.last?.numbers == Array(sorted.prefix(40)))
    Self.expectQuiet(outcome, page.url)
  }

  /// A page of more exchanges than it shows makes elements for those that it shows, so that it opens at once however many there are.
  @Test func makesOnlyWhatItShows() throws {
    let page = try Page([Corpus.capture("mixed-2000").path])
    let outcome = try Browser.open(
      page.url,
      [
        .evaluate(
          "[document.querySelectorAll('#exchanges .exchange .figure:nth-child(3)').length, document.getElementsByTagName('*').length]"
        )
      ])
    #expect(page.report.exchanges.rows.count > 2000)
    let numbers = outcome.values[0].numbers
    #expect(numbers.count == 2 && numbers[0] == 40 && numbers[1] < 10_000, "\(numbers)")
  }

  /// Responses without requests have a name, and a direction that has next to nothing no figures upon each other.
  @Test(arguments: ["one-sided", "one-sided-client"])
  func oneSideAloneCanBeRead(_ capture: String) throws {
    let page = try Page([Corpus.capture(capture).path])
    let outcome = try Browser.open(
      page.url,
      [
        .evaluate("document.querySelectorAll('.table > button').forEach((button) => button.click())"),
        .evaluate("[...document.querySelectorAll('#apis tbody td:first-child')].map((cell) => cell.textContent)"),
        .evaluate(
          "[...document.querySelectorAll('#timeline text[text-anchor=end][x=\"54\"]')].map((node) => Number(node.getAttribute('y')))"
        ),
      ])
    let names = page.report.apis.rows.map { $0["host"].isEmpty ? "(unknown)" : $0["host"] + $0["path"] }
    #expect(outcome.values[1].texts.sorted() == names.sorted())
    let levels = outcome.values[2].numbers.sorted()
    #expect(levels.count >= 2)
    #expect(zip(levels, levels.dropFirst()).allSatisfy { $1 - $0 >= 13 }, "\(levels)")
    Self.expectQuiet(outcome, page.url)
  }

  /// No console message, no exception, no dialog, and no request but those for the page itself.
  /// WebSockets as their client counted them: a bar has a mark for each direction, and an API opens to its frames and the cost of pings.
  @Test func showsFramesOfWebSockets() throws {
    let folder = Corpus.folder.appendingPathComponent("websockets")
    let witness = try CSVFile(
      Array(Data(contentsOf: folder.appendingPathComponent("sockets.witness.csv"))), lineEnd: .lineFeed
    ).rows
    let page = try Page([folder.appendingPathComponent("sockets.pcapng.gz").path])
    let openers = "[...document.querySelectorAll('#apis tbody .opener')]"
    let outcome = try Browser.open(
      page.url,
      [
        .evaluate(
          """
          [...document.querySelectorAll('#exchanges .time')].filter((bar) => bar.querySelector('.density.up') && \
          bar.querySelector('.density.down')).length
          """),
        .evaluate(
          """
          [...document.querySelectorAll('#exchanges .density')].every((mark) => mark.getBoundingClientRect().width > 0 && \
          mark.getBoundingClientRect().right < mark.parentElement.getBoundingClientRect().right + 2)
          """),
        .evaluate("\(openers).map((opener) => opener.textContent)"),
        .evaluate("\(openers)[0].click()"),
        .evaluate(
          """
          [...document.querySelectorAll('#apis .below [aria-label^="Table: Frames of"] tbody tr')].flatMap((row) => \
          ['frames', 'pings and pongs'].map((name) => row.querySelector(`td[data-label="${name}"]`).textContent))
          """),
        .evaluate("document.querySelector('#apis .below .soft').textContent"),
      ])
    let paths = Set(witness.map { $0["path"] })
    #expect(outcome.values[0] == .number(Double(paths.count)))
    #expect(outcome.values[1] == .flag(true))
    let first = try #require(outcome.values[2].texts.first)
    let sides = witness.filter { first.hasSuffix($0["path"]) }.sorted { $0["direction"] < $1["direction"] }
    let expected = sides.flatMap { [$0.integer("frames"), $0.integer("keepalive_bytes")] }
    #expect(
      Set(outcome.values[4].texts.compactMap { Int($0.replacingOccurrences(of: ",", with: "")) }) == Set(expected))
    let kept = sides.reduce(0) { $0 + $1.integer("keepalive_bytes") }
    guard case .text(let words) = outcome.values[5] else { throw Missing() }
    #expect(words.hasPrefix("Pings and pongs, which keep it open, took \(kept) bytes ("))
    Self.expectQuiet(outcome, page.url)
  }

  static func expectQuiet(_ outcome: BrowserOutcome, _ page: URL) {
    #expect(outcome.console == [])
    #expect(outcome.exceptions == [])
    #expect(outcome.dialogs == [])
    #expect(Set(outcome.requests) == [page.absoluteString])
  }

  private struct Missing: Error {}
}
