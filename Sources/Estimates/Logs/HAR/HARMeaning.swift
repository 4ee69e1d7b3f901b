/// The meaning of figures in the HAR of one producer. Each producer's type has its differences from HAR 1.2.
protocol HARMeaning: Sendable {
  /// The dialect of the log.
  var dialect: LogDialect { get }
  /// The figures of a request.
  func request(_ message: HARMessage) -> ArchivedFigures
  /// The figures of a response.
  func response(_ message: HARMessage) -> ArchivedFigures
  /// Whether nothing of the exchange is on the wire.
  func isFromCache(_ entry: ArchivedEntry) -> Bool
  /// Whether the transfer failed or was cancelled.
  func isAborted(_ entry: ArchivedEntry) -> Bool
  /// Corrects the rows of the whole log, where they show that its producer means something else.
  func settle(_ rows: inout [LogEntry])
  /// Milliseconds from `startedDateTime` to the request's first octet; `total` is the entry's `time`.
  func requestDelay(_ timings: HARTimings, total: Double?) -> Double
}

/// Octets of one message, as its producer means them; nil is unknown.
struct ArchivedFigures: Equatable {
  var headers: Int?
  var body: Int?
  var decoded: Int?
  var whole: Int?
}

/// HAR 1.2 to the letter. `headersSize` goes from the start-line through the empty line, `bodySize` is the content as
/// transferred, `content.size` is its decoded length.
extension HARMeaning {
  func request(_ message: HARMessage) -> ArchivedFigures { Self.standard(message) }

  func response(_ message: HARMessage) -> ArchivedFigures {
    var figures = Self.standard(message)
    figures.decoded = message.content?.size
    // No standard says what it counts: the comparison finds out. 0 means that the octets were not counted.
    if figures.whole == nil, let size = message.transferSize, size > 0 { figures.whole = size }
    return figures
  }

  func isFromCache(_ entry: ArchivedEntry) -> Bool { entry.cacheKind != nil }

  func isAborted(_ entry: ArchivedEntry) -> Bool {
    entry.response?.error != nil || (entry.response?.status ?? 0) == 0
  }

  func settle(_ rows: inout [LogEntry]) {}

  func requestDelay(_ timings: HARTimings, total: Double?) -> Double { timings.untilConnected(total: total) }

  /// Both sizes, and their sum as the whole message.
  static func standard(_ message: HARMessage) -> ArchivedFigures {
    let whole: Int? = if let headers = message.headersSize, let body = message.bodySize { headers + body } else { nil }
    return ArchivedFigures(headers: message.headersSize, body: message.bodySize, decoded: nil, whole: whole)
  }
}

/// HAR of any other producer, read as HAR 1.2 says.
struct StandardHAR: HARMeaning {
  let dialect: LogDialect
}

extension HARArchive {
  /// The meaning of this archive's figures, by the name of its creator.
  var meaning: any HARMeaning {
    let name = creator?.name?.lowercased() ?? ""
    // Safari comes first: its name contains the name of Chrome's tools.
    if name.contains("webkit web inspector") || name.contains("safari") { return SafariHAR() }
    if name == "webinspector" || name.contains("chrome") || name.contains("chromium") || name.contains("edge") {
      return ChromeHAR()
    }
    if name == "playwright" { return PlaywrightHAR() }
    if name.contains("firefox") { return FirefoxHAR() }
    if name.contains("charles") { return CharlesHAR() }
    // Proxyman has no known differences from HAR 1.2.
    if name.contains("proxyman") { return StandardHAR(dialect: .harProxyman) }
    if name.contains("mitmproxy") { return MitmproxyHAR() }
    return StandardHAR(dialect: .har)
  }
}
