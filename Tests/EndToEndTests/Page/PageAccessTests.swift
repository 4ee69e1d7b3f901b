import Foundation
import Testing

/// Everybody can use the page: without a mouse, on a phone, in light and dark.
@Suite(
  .enabled(if: Browser.whyNot == nil, "no browser: install chromium and python3 (scripts/install-dependencies --tests)")
)
struct PageAccessTests {
  /// Every control can be reached with the tab key alone and has a name; the theme changes with the space bar.
  @Test func canBeUsedWithoutAMouse() throws {
    let page = try PageBrowserTests.demo.get()
    let active = "document.activeElement.textContent"
    let background = "getComputedStyle(document.body).backgroundColor"
    let outcome = try Browser.open(
      page.url,
      [
        .scheme("light"), .key("Tab"), .evaluate(active), .key("Tab"), .evaluate(active), .evaluate(background),
        .key(" "), .key(" "), .evaluate(active), .evaluate(background),
        .evaluate(
          """
          [...document.querySelectorAll('button, input, select, [role=img], [role=table], [role=region], section')].filter(
            (node) => !(node.getAttribute('aria-label') || node.labels?.[0]?.textContent || node.textContent).trim()
          ).map((node) => node.outerHTML.slice(0, 200))
          """),
        .evaluate(
          "[...document.querySelectorAll('button, input, select, a')].filter((node) => node.tabIndex < 0).length"),
        .evaluate(
          "(() => { const ids = [...document.querySelectorAll('[id]')].map((node) => node.id); return ids.length - new Set(ids).size })()"
        ),
        .evaluate(
          "[...document.querySelectorAll('#sections a')].filter((link) => !document.querySelector(link.hash)).length"),
      ])
    #expect(outcome.values[0] == .text("Skip to the figures"))
    #expect(outcome.values[1] == .text("Theme: auto"))
    #expect(outcome.values[3] == .text("Theme: dark"))
    #expect(outcome.values[2] != outcome.values[4])
    #expect(outcome.values[5].texts == [], "controls and pictures without a name")
    #expect(outcome.values[6...] == [.number(0), .number(0), .number(0)])
    PageBrowserTests.expectQuiet(outcome, page.url)
  }

  /// Opens an API, an exchange of it, and one in the list of all.
  static let opening = """
    document.querySelector('#apis .opener').click();
    document.querySelector('#apis .waterfall .opener').click();
    document.querySelectorAll('#exchanges .opener')[2].click();
    document.querySelectorAll('.opened').length
    """

  /// On phones nothing is wider than the screen.
  @Test(arguments: [320, 390])
  func fitsAPhone(_ width: Int) throws {
    let page = try PageBrowserTests.demo.get()
    let outcome = try Browser.open(
      page.url,
      [
        .size(width, 844), .reload,
        .evaluate("document.querySelectorAll('.table > button').forEach((button) => button.click())"),
        .evaluate(Self.opening),
        .evaluate("document.documentElement.scrollWidth"),
        .evaluate(
          """
          [...document.querySelectorAll('main *')].filter((node) => node.getBoundingClientRect().right > \(width) + 1)
            .map((node) => node.outerHTML.slice(0, 120)).slice(0, 5)
          """),
      ])
    #expect(outcome.values[1] == .number(3), "an API and two exchanges are open")
    #expect(outcome.values[2] == .number(Double(width)))
    #expect(outcome.values[3].texts == [])
  }

  /// A script that gives how many texts there are, and those whose contrast to what is behind them is below 4.5 to 1.
  static let badContrasts = """
    (() => {
      const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
      const light = (color) => color.slice(0, 3).map((value) => value / 255)
        .map((value) => (value <= .04045 ? value / 12.92 : ((value + .055) / 1.055) ** 2.4))
        .reduce((sum, value, index) => sum + value * [.2126, .7152, .0722][index], 0);
      const behind = (node) => {
        for (; node; node = node.parentElement) {
          const color = rgb(getComputedStyle(node).backgroundColor);
          if (color.length === 3 || color[3] === 1) return color;
        }
        return [255, 255, 255];
      };
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const bad = [];
      let count = 0;
      while (walker.nextNode()) {
        const node = walker.currentNode.parentElement;
        if (!walker.currentNode.data.trim() || !node.getClientRects().length) continue;
        count += 1;
        const color = getComputedStyle(node)[node instanceof SVGElement ? 'fill' : 'color'];
        const [a, b] = [light(rgb(color)), light(behind(node))].sort((a, b) => b - a);
        const contrast = (a + .05) / (b + .05);
        if (contrast < 4.5) bad.push(`${node.textContent.slice(0, 40)}: ${contrast}`);
      }
      return [String(count), ...bad];
    })()
    """

  /// WCAG 2.2 §1.4.3: text has a contrast of 4.5 to 1 to what is behind it.
  @Test(arguments: ["light", "dark"])
  func canBeRead(_ scheme: String) throws {
    let page = try PageBrowserTests.demo.get()
    let outcome = try Browser.open(
      page.url,
      [
        .scheme(scheme),
        .evaluate(Self.opening),
        .evaluate(Self.badContrasts),
      ])
    let texts = outcome.values[1].texts
    #expect(Int(texts.first ?? "") ?? 0 > 500, "texts that were looked at")
    #expect(texts.dropFirst() == [])
  }
}
