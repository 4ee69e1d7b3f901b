import Estimates

/// What `verify` prints: how much of the wire the app's log knows, how far off it is, and why.
///
/// All figures are octets, differences app minus wire. Text from the wire and from the log is escaped.
public struct VerifyText {
  private let summary: VerificationSummary
  private let verification: Verification
  private let redaction: Redaction?

  /// Rows of each table.
  private static let limit = 20

  /// Describes a verification.
  public init(_ verification: Verification, _ summary: VerificationSummary, redaction: Redaction? = nil) {
    self.verification = verification
    self.summary = summary
    self.redaction = redaction
  }

  /// The text, fitted to a terminal if the stream that it goes to is one. Ends with a line break.
  public func text(for terminal: Terminal) -> String {
    text(width: terminal.width ?? Summary.defaultWidth, colour: terminal.takesColour)
  }

  /// The text in lines of about `width` columns.
  public func text(width: Int = Summary.defaultWidth, colour: Bool = false) -> String {
    let sections = [
      figures.lines(width: width, colour: colour), coverage, readings,
      causes.map { $0.lines(width: width, colour: colour) } ?? [],
      apis.map { $0.lines(width: width, colour: colour) } ?? [], [lastLine(colour: colour)],
    ]
    return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
  }

  // MARK: Sections

  private var figures: TextTable {
    var table = TextTable(columns: [
      .init(title: "matched", isRight: false), .init(title: "rows", importance: 1), .init(title: "app"),
      .init(title: "wire"), .init(title: "difference"), .init(title: "share", importance: 2),
      .init(title: "unexplained"),
    ])
    func add(_ name: String, _ balance: VerificationSummary.Balance, _ style: Style = .plain) {
      guard balance.count > 0 else { return }
      table.rows.append(
        (
          [
            name, Summary.grouped(balance.count), Summary.grouped(balance.app), Summary.grouped(balance.wire),
            Self.signed(balance.difference), Self.share(balance), Summary.grouped(balance.unexplained),
          ], style
        ))
    }
    add("start-lines", summary.lines)
    add("header sections", summary.headers)
    add("bodies", summary.bodies)
    add("requests", summary.requests)
    add("responses", summary.responses)
    add("all", summary.matched, .heading)
    return table
  }

  private var coverage: [String] {
    let known = summary.matched.count + summary.rowsWithoutFigures
    var lines = [
      "the log knows \(Summary.grouped(known)) of \(Summary.grouped(summary.wireMessages)) messages of its hosts ("
        + Summary.percent(known, of: summary.wireMessages) + "), \(Summary.grouped(summary.matched.wire)) of "
        + "\(Summary.grouped(summary.wireOctets)) bytes ("
        + Summary.percent(summary.matched.wire, of: summary.wireOctets)
        + ")"
    ]
    func note(_ balance: VerificationSummary.Balance, _ words: String, _ octets: Int) {
      if balance.count > 0 {
        lines.append("\(words): \(Summary.grouped(balance.count)), \(Summary.grouped(octets)) bytes")
      }
    }
    note(summary.appOnly, "rows of the log without message on the wire", summary.appOnly.app)
    note(summary.wireOnly, "messages on the wire without row in the log", summary.wireOnly.wire)
    note(summary.otherHosts, "messages of hosts that the log does not name", summary.otherHosts.wire)
    lines.append(
      "never visible to an app: \(Summary.grouped(summary.invisible)) bytes of TCP/IP headers and retransmissions")
    if let offset = verification.clockOffset {
      lines.append("clocks: the log is \(Self.duration(offset)) the capture")
      if let zone = Self.timeZone(offset) {
        lines.append("that is about \(zone): the log's times look like local times that were read as UTC")
      }
    }
    return lines
  }

  private var readings: [String] {
    func lines(_ kind: String, _ readings: [BestReading]) -> [String] {
      readings.map {
        "\(kind) \($0.figure): \(TextEscaping.string(Array($0.description.utf8))) (\(Summary.grouped($0.rows)) rows)"
      }
    }
    let found = lines("request", verification.requestReadings) + lines("response", verification.responseReadings)
    return found.isEmpty ? [] : ["how the app seems to count (of at most 500 rows each):"] + found.map { "  " + $0 }
  }

  private var causes: TextTable? {
    guard !summary.causes.isEmpty else { return nil }
    var table = TextTable(columns: [
      .init(title: "cause", isRight: false, minimum: 24), .init(title: "rows"), .init(title: "bytes"),
    ])
    for total in summary.causes.prefix(Self.limit) {
      table.rows.append(
        (
          [
            TextEscaping.string(Array(total.cause.name.utf8)), Summary.grouped(total.rows),
            Self.signed(total.cause.octets),
          ], .plain
        ))
    }
    addRest(summary.causes.dropFirst(Self.limit).map(\.cause.octets), to: &table)
    return table
  }

  private var apis: TextTable? {
    let wrong = summary.apis.filter { $0.balance.difference != 0 || $0.balance.unexplained != 0 }
    guard !wrong.isEmpty else { return nil }
    var table = TextTable(columns: [
      .init(title: "worst APIs", isRight: false, minimum: 24), .init(title: "rows", importance: 1), .init(title: "app"),
      .init(title: "wire"), .init(title: "difference"), .init(title: "share", importance: 2),
    ])
    for api in wrong.prefix(Self.limit) {
      let host = Array(api.host.utf8)
      let path = Array(api.path.utf8)
      let name = TextEscaping.string((redaction?.host(host) ?? host) + (redaction?.path(path) ?? path))
      table.rows.append(
        (
          [
            name, Summary.grouped(api.balance.count), Summary.grouped(api.balance.app),
            Summary.grouped(api.balance.wire), Self.signed(api.balance.difference), Self.share(api.balance),
          ], .plain
        ))
    }
    let rest = wrong.dropFirst(Self.limit)
    if !rest.isEmpty {
      let sum = rest.reduce(0) { $0 + $1.balance.difference }
      table.rows.append((["… and \(Summary.grouped(rest.count)) more", "", "", "", Self.signed(sum), ""], .faint))
    }
    return table
  }

  private func addRest(_ octets: [Int], to table: inout TextTable) {
    guard !octets.isEmpty else { return }
    table.rows.append(
      (["… and \(Summary.grouped(octets.count)) more", "", Self.signed(octets.reduce(0, +))], .faint))
  }

  /// What a script looks for.
  private func lastLine(colour: Bool) -> String {
    let style: Style = summary.unexplained == 0 ? .good : .warning
    let bias = summary.bias.map { Self.percentage($0) } ?? "unknown"
    return style.apply("bias \(bias), unexplained \(summary.unexplained) bytes", colour: colour)
  }

  // MARK: Numbers

  private static func signed(_ value: Int) -> String { (value > 0 ? "+" : "") + Summary.grouped(value) }

  private static func share(_ balance: VerificationSummary.Balance) -> String {
    balance.wire == 0 ? "" : percentage(Double(balance.difference) / Double(balance.wire))
  }

  /// A signed share with two decimals.
  static func percentage(_ share: Double) -> String {
    let hundredths = Int((share * 10_000).rounded())
    let sign = hundredths > 0 ? "+" : hundredths < 0 ? "-" : ""
    let digits = hundredths.magnitude
    return "\(sign)\(digits / 100).\(digits % 100 < 10 ? "0" : "")\(digits % 100)%"
  }

  /// "1.250 s ahead of" or "behind".
  private static func duration(_ nanoseconds: Int64) -> String {
    let milliseconds = Int(nanoseconds.magnitude / 1_000_000)
    let seconds = milliseconds / 1000
    let rest = String(1000 + milliseconds % 1000).dropFirst()
    let text =
      seconds < 3600 ? "\(seconds).\(rest) s" : "\(seconds / 3600) h \(seconds / 60 % 60) min \(seconds % 60).\(rest) s"
    return milliseconds == 0 ? "in step with" : text + (nanoseconds > 0 ? " ahead of" : " behind")
  }

  /// A whole number of quarters of an hour up to 14 h, as zones are: read as UTC, local times are off by that much.
  private static func timeZone(_ nanoseconds: Int64) -> String? {
    let seconds = Double(nanoseconds) / 1e9
    let quarters = (seconds / 900).rounded()
    guard quarters != 0, abs(quarters) <= 56, abs(seconds - quarters * 900) < 120 else { return nil }
    let minutes = Int(abs(quarters)) * 15
    return "UTC\(quarters > 0 ? "+" : "-")\(minutes / 60)" + (minutes % 60 == 0 ? "" : ":\(minutes % 60)")
  }
}
