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

  /// No console message, no exception, no dialog, and no request but those for the page itself.
  static func expectQuiet(_ outcome: BrowserOutcome, _ page: URL) {
    #expect(outcome.console == [])
    #expect(outcome.exceptions == [])
    #expect(outcome.dialogs == [])
    #expect(Set(outcome.requests) == [page.absoluteString])
  }

  private struct Missing: Error {}
}
