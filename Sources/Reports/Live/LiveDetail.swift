import HTTPReassembly
import Tabular

/// The live view of one API, or one host: its figures, and its last exchanges.
struct LiveDetail {
  private let api: LiveAPI
  private let exchanges: [RecentExchanges.Entry]
  private let redaction: Redaction?

  /// The largest number of exchanges: more than a screen has lines.
  private static let limit = 200

  /// Gathers the facts.
  init(_ api: LiveAPI, _ recent: RecentExchanges?, _ joining: LiveJoining, redaction: Redaction?) {
    self.api = api
    exchanges = recent?.last(Self.limit, of: api.key, joining) ?? []
    self.redaction = redaction
  }

  /// At most `height` lines of at most `width` columns.
  func lines(width: Int, height: Int, colour: Bool) -> [String] {
    var lines = [Style.heading.apply(api.name.shortened(to: width), colour: colour)]
    let pieces: [[LiveLine.Piece]] = [
      [
        .init(text: "requests: \(Numerals.grouped(api.requests))", importance: 3),
        .init(
          text: "errors: \(Numerals.grouped(api.errors))", style: api.errors > 0 ? .warning : .plain, importance: 2),
        .init(
          text: api.wait.count > 0 ? "wait: p50 \(Self.wait(api.wait.percentile(50))), p95 \(Self.wait(api.p95))" : "",
          importance: 1),
      ],
      [
        .init(text: "total: \(Numerals.grouped(api.total)) bytes", importance: 3),
        .init(text: "up: \(Numerals.grouped(api.up))", importance: 2),
        .init(text: "down: \(Numerals.grouped(api.down))", importance: 1),
      ],
      [
        .init(text: "up/s: \(ByteCount.text(api.upRate))", importance: 1),
        .init(text: "down/s: \(ByteCount.text(api.downRate))", importance: 2),
        .init(
          text: api.requests > 0 ? "bytes per request: \(Numerals.grouped(api.total / api.requests))" : "",
          importance: 0),
      ],
    ]
    lines += pieces.map { LiveLine(pieces: $0).text(width: width, colour: colour) }
    lines.append("")
    lines += exchangeLines(width: width, count: max(height - lines.count - 1, 0), colour: colour)
    return Array(lines.prefix(height))
  }

  private func exchangeLines(width: Int, count: Int, colour: Bool) -> [String] {
    guard !exchanges.isEmpty else {
      let words =
        RecentExchanges.keeps(api.key)
        ? "None of its exchanges is among the last ones."
        : "The exchanges of names longer than \(RecentExchanges.nameLimit) bytes are not kept."
      return [Style.faint.apply(words.shortened(to: width), colour: colour)]
    }
    var table = TextTable(columns: [
      .init(title: "time (UTC)", isRight: false, importance: 1), .init(title: "status"),
      .init(title: "bytes", importance: 3), .init(title: "wait", importance: 2),
      .init(title: "exchange", isRight: false, minimum: 8),
    ])
    for entry in exchanges.prefix(count) {
      let path = TextEscaping.string(redaction?.path(entry.path) ?? entry.path)
      let method = entry.method.isEmpty ? "" : TextEscaping.string(entry.method) + " "
      table.rows.append(
        (
          [
            Self.time(entry.started), entry.status == 0 ? (entry.isOpen ? "open" : "none") : "\(entry.status)",
            Numerals.grouped(entry.octets),
            Self.wait(entry.wait), method + path,
          ], entry.status == 0 && !entry.isOpen || entry.status >= 400 ? .warning : .plain
        ))
    }
    return table.lines(width: width, colour: colour)
  }

  /// A wait phase, rounded for display.
  static func wait(_ nanoseconds: Int64?) -> String {
    guard let nanoseconds else { return "" }
    let microseconds = nanoseconds / 1000
    if microseconds < 1000 { return "\(microseconds) µs" }
    let milliseconds = microseconds / 1000
    if milliseconds < 10 { return "\(milliseconds).\(microseconds / 100 % 10) ms" }
    if milliseconds < 10_000 { return "\(Numerals.grouped(Int(milliseconds))) ms" }
    return "\(Numerals.grouped(Int(milliseconds / 1000))) s"
  }

  /// The time of day of a capture time, to the millisecond.
  private static func time(_ time: Int64) -> String {
    var text = RowBuffer()
    text.appendDateTime(time)
    return String(decoding: text.octets.drop { $0 != UInt8(ascii: "T") }.dropFirst().prefix(12), as: UTF8.self)
  }
}

/// The screen for `?`.
enum LiveHelp {
  private static let keys = [
    ("q", "ends the capture, and prints the summary"), ("up, down, j, k", "choose an API"),
    ("Page Up, Page Down, Home, End", "go further"),
    ("Enter", "opens it: its figures and its last exchanges"), ("h", "one line a host, or one an API"),
    ("t", "groups paths by template: /users/{id}"),
    ("click, wheel", "choose an API, open it, go further; Shift selects text"),
    ("/", "shows only APIs with this in their name"), ("p, space", "stops the figures, or lets them go on"),
    ("b r u d n", "sort by bytes, rate, up, down, requests"), ("e w a", "sort by errors, wait, name"),
    ("Escape", "goes back"), ("?", "these keys"),
  ]

  /// At most `height` lines of at most `width` columns.
  static func lines(width: Int, height: Int, colour: Bool) -> [String] {
    let room = keys.reduce(0) { max($0, $1.0.count) }
    let isWide = width >= room + 30
    var lines = [Style.heading.apply("Keys".shortened(to: width), colour: colour)]
    for (key, meaning) in keys {
      lines.append(
        (isWide ? key.padded(to: room + 2, right: false) + meaning : "\(key): \(meaning)").shortened(to: width))
    }
    lines.append("")
    lines.append(
      Style.faint.apply(
        "errors: status 4xx and 5xx. p95: wait that 95 % did not exceed.".shortened(to: width), colour: colour))
    return Array(lines.prefix(height))
  }
}
