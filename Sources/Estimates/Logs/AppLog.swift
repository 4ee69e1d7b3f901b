/// A log that was read: its rows, and the meaning of its figures.
public struct AppLog: Sendable {
  /// The log's producer, if the log names it.
  public var dialect: LogDialect
  /// Its rows, in its order.
  public var entries: [LogEntry]
  /// A few notices for people: the rows that were left out, and the figures that the log lacks.
  public var notices: [String] = []
  /// Rows that were left out.
  public var skippedRows = 0
  /// The word for a row of the log, whose number is `LogEntry.row`: "line", "entry".
  public var rowNoun: (one: String, more: String) {
    switch dialect {
    case .monitor: hasLines ? ("line", "lines") : ("row", "rows")
    case .curl: ("transfer", "transfers")
    case .chromeNetlog: ("event", "events")
    case .urlSessionMetrics: ("transaction", "transactions")
    default: ("entry", "entries")
    }
  }
  /// The columns that a table has, also where no row has a value.
  var columns: Set<LogColumn> = []
  /// Whether the rows are the lines of a text file.
  var hasLines = false
  /// Octets of memory that the rows of `add` take.
  private var octets = 0

  /// A log.
  public init(dialect: LogDialect, entries: [LogEntry]) {
    self.dialect = dialect
    self.entries = entries
  }
}

/// The producer of a log. The meaning of lengths depends on it, and so do the causes of differences from the wire.
public enum LogDialect: String, Sendable, CaseIterable {
  /// A table of an app's own monitor, CSV, SQLite or JSON: one row a message, or one row an exchange.
  case monitor
  /// URLSessionTaskTransactionMetrics, exported as JSON. Header counts include the start-line.
  case urlSessionMetrics = "urlsession_metrics"
  /// The output of curl about its transfers. Header figures include the start-line. The response's header figure sums over
  /// redirects, challenges and interim responses, and so does a request's `length`. `bodyLength` belongs to the last exchange. It
  /// includes chunk framing in a request, and not in a response.
  case curl
  /// Chrome's log of its network stack. Figures of requests are exact. A response's header section is as Chrome stores it, with
  /// one space after each colon. Bodies are without chunk framing.
  case chromeNetlog = "chrome_netlog"
  /// HAR of Chrome and its relatives. A request's `headersSize` lacks the empty line. A response's `bodySize` includes chunk
  /// framing, and `length` has all transferred octets.
  case harChrome = "har_chrome"
  /// HAR of Playwright. Like Chrome's, but a request's `headersSize` lacks the query too, in some requests.
  case harPlaywright = "har_playwright"
  /// HAR of Firefox. The response's `bodySize` has the header section and the content together, without chunk framing. `length`
  /// is the same figure.
  case harFirefox = "har_firefox"
  /// HAR of Safari's Web Inspector.
  case harSafari = "har_safari"
  /// HAR of Charles.
  case harCharles = "har_charles"
  /// HAR of Proxyman.
  case harProxyman = "har_proxyman"
  /// HAR of mitmproxy. `headersSize` is the length of the header list as Python prints it, without the start-line: S + 12n + 7.
  /// `content.size` counts the content as transferred.
  case harMitmproxy = "har_mitmproxy"
  /// HAR of any other producer, read as HAR 1.2 says.
  case har
}

extension AppLog {
  /// Adds rows of a file.
  ///
  /// - Throws: When all rows take more memory than `LogOptions.memoryLimit`. Names that rows share count in each.
  mutating func add(_ rows: [LogEntry], of file: String, _ options: LogOptions) throws(LogError) {
    for row in rows { octets += row.memory }
    guard octets <= options.memoryLimit else {
      throw LogError(file: file, "has rows that take more than \(options.memoryLimit) bytes of memory; split it")
    }
    entries += rows
  }

  /// Adds a notice about rows without a time: they can be matched by order only.
  mutating func noteTimes() {
    let count = entries.count { $0.time == nil }
    if count > 0 { notices.append("rows without a time: \(count)") }
  }
}
