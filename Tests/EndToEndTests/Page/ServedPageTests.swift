import Foundation
import TestSupport
import Testing

/// `sniffer live --page`: the page in a browser while the run goes on and a server is busy, and who does not get it.
@Suite(.enabled(if: LiveRun.isPossible, "needs root, Python and the permission to capture on lo"))
struct ServedPageTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// The address of the page of a run, as it says it.
  private func address(of run: LiveRun) throws -> URL {
    let line = try #require(run.process.error.split(separator: "\n").first { $0.contains("page on http://") })
    let text = try #require(line.split(separator: " ").last)
    return try #require(URL(string: String(text)))
  }

  /// A script that waits until something holds, and then gives a value.
  private func once(_ holds: String, _ value: String) -> Browser.Step {
    .evaluate(
      """
      new Promise((done, fail) => { const end = Date.now() + 300000; const look = () => (\(holds)) ? done(\(value)) : \
      Date.now() > end ? fail(new Error('never')) : setTimeout(look, 20); look(); })
      """)
  }

  private static let requests = """
    Number(document.querySelectorAll('.tiles .detail')[2].textContent.match(/([0-9,]+) requests?$/)[1].replaceAll(',', ''))
    """
  private static let state = "document.querySelector('#live [role=status]').textContent"

  @Test(.enabled(if: Browser.whyNot == nil, "no browser: install chromium and python3"))
  func isKeptUpToDateUnderLoad() throws {
    let server = try LocalServer()
    let run = try LiveRun(
      port: server.port, in: scratch, ["--allow-root", "--interval", "0.2", "--page", "127.0.0.1:0", "--format", "csv"])
    let url = try address(of: run)
    let load = try (0..<2).map { _ in try server.startRequests(.max, pause: 0.001) }
    let done = scratch.path("steps-done")
    let steps: [Browser.Step] = [
      // It goes on by itself: three pages, each with more in it.
      once("live.shown.version > 1", Self.requests),
      .evaluate("window.shown = live.shown.version; window.time = live.shown.time"),
      once("live.shown.version > window.shown", Self.requests), .evaluate("live.shown.time - window.time"),
      .evaluate(Self.state),
      // What is chosen stays.
      .evaluate(
        """
        [...document.querySelectorAll('#apis th button')].find((button) => button.textContent === 'requests').click()
        """),
      .evaluate("document.querySelector('#pause').focus(); window.shown = live.shown.version"),
      once("live.shown.version > window.shown", "document.querySelector('#apis [aria-sort=descending]').textContent"),
      .evaluate("document.activeElement.id"),
      // It waits while it is paused, and while something is open.
      .evaluate("document.querySelector('#pause').click(); window.shown = live.shown.version"),
      once("live.pending", "live.shown.version - window.shown"), .evaluate(Self.state),
      .evaluate("document.querySelector('#apis .opener').click(); document.querySelector('#pause').click()"),
      once("live.pending", Self.state), .evaluate("document.querySelectorAll('#apis .opened').length"),
      .evaluate("document.querySelector('#apis .opener').click(); window.shown = live.shown.version"),
      once("live.shown.version > window.shown", "document.querySelectorAll('#apis .opened').length"),
      .touch(done), once("live.shown.over", Self.state), .evaluate(Self.requests),
      .evaluate("document.querySelector('#ledger tbody').textContent.replaceAll(',', '')"),
      .evaluate("document.querySelectorAll('.tiles dd')[2].textContent"),
    ]
    let browser = try Browser.start(url, steps)
    // Of the steps before, none has a limit that is not in them.
    _ = eventually(within: 1200) { FileManager.default.fileExists(atPath: done) || !browser.isRunning }
    let isLoaded = load.allSatisfy { $0.isRunning }
    #expect(isLoaded, "the load has lasted as long as the steps")
    for client in load { client.signal(SIGTERM) }
    #expect(try run.stop().status == 0, "\(run.process.error)")
    let browsed = try browser.outcome()

    let values = browsed.values
    guard case .number(let first) = values[0], case .number(let second) = values[2], case .number(let time) = values[3]
    else { throw Missing() }
    #expect(first > 0 && second > first, "\(first) \(second)")
    #expect(time >= 1000, "at most once a second")
    #expect(values[4] == .text("Live"))
    #expect(values[7] == .text("requests"))
    #expect(values[8] == .text("pause"))
    #expect(values[10] == .number(0) && values[11] == .text("Live, paused"))
    #expect(values[13] == .text("Live, waiting until what is open is closed") && values[14] == .number(1))
    #expect(values[16] == .number(0))
    #expect(values[17] == .text("The run has ended"))
    // In the end the figures are those of the report.
    let report = try Report(folder: run.report)
    #expect(values[18] == .number(Double(report.apis.rows.sum("requests"))))
    guard case .text(let ledger) = values[19] else { throw Missing() }
    for name in ["body", "header", "network", "transport"] {
      #expect(ledger.contains("\(name)\(try #require(report.ledger(name)))"), "\(name)")
    }
    #expect(values[20] == .text("balanced"))
    #expect(report.ledger("dropped_packets") == 0)
    #expect(browsed.console == [] && browsed.exceptions == [] && browsed.dialogs == [])
    let asked = Set(browsed.requests.map { String($0.prefix { $0 != "?" }) })
    #expect(asked == [url.absoluteString, url.absoluteString + "events"])
  }

  /// Who has not the token, asks by a name, or comes from another site, gets nothing; and so does a ninth viewer.
  @Test(.enabled(if: Environment.tool("curl") != nil, "curl is not installed"))
  func othersAreRefused() throws {
    let curl = try #require(Environment.tool("curl"))
    let server = try LocalServer()
    let run = try LiveRun(port: server.port, in: scratch, ["--allow-root", "--page", "127.0.0.1:0"])
    let url = try address(of: run)
    let port = try #require(url.port)
    func status(_ url: String, _ options: String...) throws -> String {
      let asked = ["-s", "-o", "/dev/null", "--max-time", "300", "-w", "%{http_code} %{size_download}"]
      return try Command.run(curl, asked + options + [url]).output
    }
    let page = url.absoluteString
    #expect(try status(page).hasPrefix("200 "))
    #expect(try status(page, "-H", "Host: localhost:\(port)").hasPrefix("200 "))
    let token = url.pathComponents[1]
    let wrong = String(token.dropLast()) + (token.hasSuffix("A") ? "B" : "A")
    for other in ["/", "/\(wrong)/", "/\(wrong)/events", "/\(token)", "/\(token)/x", "//\(token)/", "/\(token)/../"] {
      // It says that the address is wrong, and nothing about the run.
      let answer = try Command.run(
        curl, ["-s", "--path-as-is", "--max-time", "300", "http://127.0.0.1:\(port)\(other)"])
      #expect(answer.output.contains("token of this run") && !answer.output.contains(token), "\(other)")
      #expect(try status("http://127.0.0.1:\(port)\(other)", "--path-as-is").hasPrefix("404 "), "\(other)")
    }
    for host in [
      "attacker.example:\(port)", "attacker.example", "127.0.0.1", "192.0.2.1:\(port)", "127.0.0.1:\(port + 1)",
    ] {
      #expect(try status(page, "-H", "Host: \(host)") == "403 0", "\(host)")
    }
    for origin in ["http://attacker.example", "null", "http://localhost:\(port)", "https://127.0.0.1:\(port)"] {
      for path in ["", "events"] { #expect(try status(page + path, "-H", "Origin: \(origin)") == "403 0", "\(origin)") }
    }
    #expect(try status(page + "events", "-H", "Sec-Fetch-Site: cross-site") == "403 0")
    #expect(try status(page, "-X", "POST") == "405 0")
    let viewers = try (0..<8).map { _ in try RunningCommand(curl, ["-sN", page + "events"]) }
    let areConnected = eventually { viewers.allSatisfy { $0.output.contains("retry:") } }
    #expect(areConnected)
    #expect(try status(page + "events") == "503 0")
    // All of them get the last page, and are let go.
    try server.makeRequests(20)
    #expect(try run.stop().status == 0)
    for viewer in viewers {
      let outcome = try viewer.wait()
      let last = try #require(outcome.outputLines.last { $0.hasPrefix("data: ") })
      #expect(outcome.status == 0 && last.contains(#""requests":20,"#) && last.contains(#""over":true"#))
    }
  }

  @Test(arguments: [
    (["--page", "0.0.0.0:0"], 1, "--page-remote"), (["--page", "somewhere:80"], 1, "not an IP address"),
    (["--page-remote"], 64, "--page-remote needs --page"), (["--page", ":0", "-q"], 64, "--quiet"),
  ])
  func wrongOnesAreRefused(_ options: [String], _ status: Int32, _ words: String) throws {
    let outcome = try Sniffer.run(["live", "-i", "lo", "--allow-root", "--duration", "0.1"] + options)
    #expect(outcome.status == status && outcome.error.contains(words), "\(outcome.error)")
  }

  private struct Missing: Error {}
}
