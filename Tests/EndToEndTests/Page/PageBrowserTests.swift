import Foundation
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
          ['bytes', 'apis', 'throughput', 'exchanges', 'headers', 'compression', 'caching', 'outcomes', 'connections', \
          'ledger', 'anomalies'].map((id) => document.querySelectorAll(`#${id} tbody tr, #${id} .bar, #${id} .time, \
          #${id} rect`).length)
          """),
        .evaluate("document.querySelector('#ledger tbody').textContent"),
        .evaluate("document.querySelectorAll('.notice').length"),
      ])
    #expect(outcome.values[0].numbers.count == 11)
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
    #expect(exchanges > 1000)
    #expect(outcome.values[0].texts.contains { $0.contains("top 1,000 of") && $0.contains("exchanges") })
    #expect(page.text.utf8.count < 2_000_000)
    Self.expectQuiet(outcome, page.url)
  }

  /// What could not be kept to make the page is said at the top, and nothing else is.
  @Test func saysWhatWasNotKept() throws {
    let page = try Self.demo.get()
    let nothing = #""passed_over":{"messages":0,"fields":0,"contents":0,"#
    #expect(page.text.contains(nothing))
    let text = page.text.replacingOccurrences(
      of: nothing, with: #""passed_over":{"messages":1200,"fields":0,"contents":1,"#)
    let scratch = try Scratch()
    let url = try scratch.file("report.html", Array(text.utf8))
    let outcome = try Browser.open(
      url, [.evaluate("[...document.querySelectorAll('main > .notice')].map((node) => node.textContent)")])
    #expect(
      outcome.values[0].texts
        == ["Figures about fields, compression and caching leave out 1,200 messages, 1 body: too many at once."])
    Self.expectQuiet(outcome, url)
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
          "[...document.querySelectorAll('#throughput text[text-anchor=end][x=\"54\"]')].map((node) => Number(node.getAttribute('y')))"
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
  static func expectQuiet(_ outcome: BrowserOutcome, _ page: URL) {
    #expect(outcome.console == [])
    #expect(outcome.exceptions == [])
    #expect(outcome.dialogs == [])
    #expect(Set(outcome.requests) == [page.absoluteString])
  }

  private struct Missing: Error {}
}
