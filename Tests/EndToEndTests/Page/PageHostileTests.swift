import Foundation
import Testing

/// Nothing from the wire is taken for markup or a script.
@Suite(
  .enabled(if: Browser.whyNot == nil, "no browser: install chromium and python3 (scripts/install-dependencies --tests)")
)
struct PageHostileTests {
  private static let paths = [
    "/</script><script>alert(1)</script>", "/<img/src=x/onerror=alert(2)>", "/\"onmouseover=\"alert(3)",
    "/'onload='alert(4)",
    "/<!--<script>", "/]]><svg/onload=alert(5)>", "/__proto__", "/constructor", "/\u{202E}gpj.exe", "/\u{2028}alert(6)",
    "/${alert(7)}`", "/&lt;script&gt;", "/\\u003cscript\\u003e", "/%3Cscript%3E",
    "/" + String(repeating: "very-long-", count: 900), "/" + String(repeating: "e\u{301}\u{302}", count: 400),
  ]
  private static let hosts = [
    "<script>alert(8)</script>", "javascript:alert(9)", "\"><svg/onload=alert(10)>", "\u{202E}moc.elpmaxe", "__proto__",
  ]

  /// A page of requests and responses that are as bad as they can be; every fifth response is an error, so that
  /// its host and path are in more tables.
  private static func page() throws -> Page {
    var request = ""
    var response = ""
    for (index, path) in paths.enumerated() {
      request += """
        GET \(path) HTTP/1.1\r
        Host: \(hosts[index % hosts.count])\r
        <script>alert(11)</script>: x\r
        x-</script><script>alert(12)</script>: <script>alert(13)</script>\r
        </script><script>alert(14)</script>\r
        \r

        """
      let status = ["200 OK", "301 <script>", "404 </script>", "500 x", "200 OK"][index % 5]
      response += """
        HTTP/1.1 \(status)\r
        Content-Type: text/<script>alert(15)</script>\r
        Content-Encoding: <script>alert(16)</script>\r
        Location: javascript:alert(17)\r
        Set-Cookie: a=</script><script>alert(18)</script>\r
        Content-Length: 25\r
        \r
        <script>alert(19)</script
        """
    }
    return try Page(request: request, response: response)
  }

  @Test func nothingRuns() throws {
    let page = try Self.page()
    #expect(page.report.messages.rows.count == 2 * Self.paths.count, "the capture is as it is meant to be")
    let outcome = try Browser.open(
      page.url,
      [
        .evaluate("document.querySelectorAll('button, input[type=checkbox], summary').forEach((node) => node.click())"),
        .evaluate(
          """
          document.querySelectorAll('main *').forEach((node) => ['mouseover', 'focus', 'load', 'error'].forEach(
            (name) => node.dispatchEvent(new Event(name))))
          """),
        .evaluate(
          "[document.scripts.length, document.images.length, document.querySelectorAll('iframe, object, embed, a:not([href^=\"#\"])').length]"
        ),
        .evaluate(
          """
          [...document.querySelectorAll('*')].flatMap((node) => node.getAttributeNames()).filter((name) =>
            name.startsWith('on'))
          """),
        .evaluate(
          "[...document.querySelectorAll('#apis > .table > .scroll > table > tbody > tr:not(.below) > td:first-child')].map((cell) => cell.textContent)"
        ),
        .evaluate("document.documentElement.textContent.includes('\\u202e') || Object.prototype.host !== undefined"),
      ])
    #expect(outcome.values[2].numbers == [2, 0, 0], "the data, the page's script, and nothing else")
    #expect(outcome.values[3].texts == [])
    // It is all there to be read, as text.
    let apis = outcome.values[4].texts
    #expect(apis.count == Self.paths.count)
    #expect(apis.contains { $0.hasSuffix("/</script><script>alert(1)</script>") })
    #expect(apis.contains { $0.hasPrefix("<script>alert(8)</script>") })
    #expect(apis.contains { $0.hasSuffix("/\\xe2\\x80\\xaegpj.exe") })
    #expect(apis.contains { $0.contains("… (9,001 bytes)") })
    #expect(outcome.values[5] == .flag(false))
    PageBrowserTests.expectQuiet(outcome, page.url)
  }

  /// The data cannot end its element, whatever reads it.
  @Test func theDataHasNoMarkup() throws {
    let page = try Self.page()
    #expect(!page.json.contains(UInt8(ascii: "<")) && !page.json.contains(UInt8(ascii: ">")))
    let apis = try page.table("apis").rows.compactMap { $0["path"] as? String }
    #expect(apis.contains("/</script><script>alert(1)</script>"))
  }

  /// Names of fields are in the page; values, and content, are not.
  @Test func valuesAreNotInThePage() throws {
    let page = try Page(
      request: "GET /a?key=query-secret HTTP/1.1\r\nHost: a.example\r\nCookie: id=cookie-secret\r\n\r\n",
      response: "HTTP/1.1 200 OK\r\nSet-Cookie: id=set-secret\r\nContent-Length: 14\r\n\r\ncontent-secret")
    #expect(page.text.contains("set-cookie") && !page.text.contains("-secret"))
  }

  @Test func redactionHoldsForThePage() throws {
    let page = try Page(
      request: "GET /a/path-secret HTTP/1.1\r\nHost: 192.0.2.77\r\n\r\n",
      response: "HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n", ["--redact"])
    for hidden in ["path-secret", "192.0.2.77", "203.0.113.77", "198.51.100.88"] {
      #expect(!page.text.contains(hidden), "\(hidden)")
    }
    let row = try #require(try page.table("apis").rows.first)
    let csv = try #require(page.report.apis.rows.first)
    #expect(row["host"] as? String == csv["host"] && row["path"] as? String == csv["path"])
  }

  /// Even a page with foreign markup in it would run nothing of it and load nothing.
  @Test func thePolicyHolds() throws {
    let page = try Self.page()
    let scratch = try Scratch()
    let foreign = """
      <script>document.title = 'ran'</script><p id="p" onclick="document.title = 'ran'" style="color: red"></p>
      <img src="foreign.png" alt=""><form action="javascript:document.title = 'ran'"><button id="b"></button></form></body>
      """
    let text = page.text.replacingOccurrences(of: "</body>", with: foreign)
    let file = try scratch.file("report.html", Array(text.utf8))
    _ = try scratch.file("foreign.png", [0x89])
    let outcome = try Browser.open(
      file,
      [
        .evaluate("document.getElementById('p').click()"), .evaluate("document.getElementById('b').click()"),
        .evaluate("[document.title, getComputedStyle(document.getElementById('p')).color]"),
        .evaluate("document.querySelector('img').naturalWidth"),
        .evaluate("document.querySelectorAll('#apis tbody tr').length"),
      ])
    #expect(outcome.values[2].texts.first?.hasPrefix("Where the bytes went · ") == true)
    #expect(outcome.values[2].texts.last != "rgb(255, 0, 0)")
    #expect(outcome.values[3] == .number(0))
    #expect(outcome.values[4] != .number(0), "the page's own script still runs")
    #expect(outcome.console.count >= 3, "the browser says what it refused")
  }
}
