import Foundation
import TestSupport
import Testing

/// The commands that the page gives to copy: each is for the exchanges of its row.
@Suite struct PageLinkTests {
  /// The options of the run that decide which exchanges an API has.
  @Test func commandsRepeatTheOptions() throws {
    let demo = try Corpus.capture("demo").path
    func options(_ arguments: [String]) throws -> [String]? {
      try Page([demo] + arguments).data()["options"] as? [String]
    }
    #expect(try options([]) == [])
    #expect(
      try options(["--template", "--filter", "tcp port 80", "--no-decode"])
        == ["--template", "--no-decode", "--filter", "tcp port 80"])
    #expect(try options(["--redact"]) == nil, "hashed names select nothing")
  }

  @Test(
    .enabled(
      if: Browser.whyNot == nil, "no browser: install chromium and python3 (scripts/install-dependencies --tests)"))
  func commandsSelectTheirExchanges() throws {
    let page = try PageBrowserTests.demo.get()
    let outcome = try Browser.open(
      page.url,
      [
        .evaluate(
          "Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) => { copied = text } } }), 0"
        ),
        .evaluate("document.querySelector('#apis .opener').click()"),
        .evaluate(
          "[...document.querySelectorAll('#apis .opened button')].find((one) => one.textContent === 'Copy command').click()"
        ),
        .evaluate("copied"),
      ])
    guard case .text(let command) = try #require(outcome.values.last) else { throw Missing() }
    let condition = #"host == "img.example.com" && api_path == "/photos/{id}/320x240.jpg""#
    #expect(command == "sniffer 'demo.pcapng.gz' --template --where '\(condition)'")
    let selected = try Sniffer.run([try Corpus.capture("demo").path, "--template", "--where", condition])
    #expect(selected.output.contains("\nwhere \(condition): 54 exchanges"))
  }

  /// Connections of a closed capture could be fewer, too.
  @Test(
    .enabled(
      if: Browser.whyNot == nil, "no browser: install chromium and python3 (scripts/install-dependencies --tests)"))
  func closedCapturesHaveSavings() throws {
    let page = try Page([Corpus.capture("tls-closed").path])
    let outcome = try Browser.open(
      page.url, [.evaluate("[...document.querySelectorAll('#savings h3')].map((head) => head.textContent)")])
    #expect(outcome.values[0].texts == ["Connections beyond the first"])
  }

  private struct Missing: Error {}
}
