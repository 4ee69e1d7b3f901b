/// A log that was read: its rows, and what its figures mean.
public struct AppLog: Sendable {
  /// Who wrote it, as far as it says.
  public var dialect: LogDialect
  /// Its rows, in its order.
  public var entries: [LogEntry]
  /// What to know about the log: what was left out, and which figures it lacks. In words for people, few of them.
  public var notices: [String] = []
  /// Rows that were left out.
  public var skippedRows = 0

  /// A log.
  public init(dialect: LogDialect, entries: [LogEntry]) {
    self.dialect = dialect
    self.entries = entries
  }
}

/// Who wrote a log. What its lengths mean differs, and with it what explains a difference from the wire.
public enum LogDialect: String, Sendable, CaseIterable {
  /// A table of an app's own monitor, CSV or SQLite: one row a message, or one row an exchange.
  case monitor
  /// URLSessionTaskTransactionMetrics, exported as JSON. Header counts include the start-line.
  case urlSessionMetrics = "urlsession_metrics"
  /// What curl writes of its transfers. Header figures include the start-line, and the response's sums over redirects, challenges
  /// and interim responses, as `length` of a request does. `bodyLength` is that of the last exchange; a request's has chunk
  /// framing in it, a response's has not.
  case curl
  /// Chrome's log of its network stack. Figures of requests are exact; a response's header section is as Chrome stores it,
  /// with one space after each colon; bodies are without chunk framing.
  case chromeNetlog = "chrome_netlog"
  /// HAR of Chrome and its relatives. A request's `headersSize` lacks the empty line; a response's `bodySize` includes chunk
  /// framing, and `length` is what was transferred.
  case harChrome = "har_chrome"
  /// HAR of Playwright. As Chrome's; a request's `headersSize` lacks the query too, in some requests.
  case harPlaywright = "har_playwright"
  /// HAR of Firefox. The response's `bodySize` is the header section and the content together, without chunk framing; `length` is
  /// that.
  case harFirefox = "har_firefox"
  /// HAR of Safari's Web Inspector.
  case harSafari = "har_safari"
  /// HAR of Charles.
  case harCharles = "har_charles"
  /// HAR of Proxyman.
  case harProxyman = "har_proxyman"
  /// HAR of mitmproxy. `headersSize` is the header list as Python prints it, without the start-line: S + 12n + 7;
  /// `content.size` is what was transferred.
  case harMitmproxy = "har_mitmproxy"
  /// HAR of anything else, read as HAR 1.2 says.
  case har
}

extension AppLog {
  /// Says how many rows have no time: they can be matched by order only.
  mutating func noteTimes() {
    let count = entries.count { $0.time == nil }
    if count > 0 { notices.append("rows without a time: \(count)") }
  }
}
