import Estimates
import HTTPReassembly
import Reports
import Tabular

/// The output of `verify`: the part of the wire that the app's log covers, its differences, and their causes.
///
/// All figures are octets, differences app minus wire. Text from the wire and from the log is escaped.
public struct VerifyText {
  private let summary: VerificationSummary
  private let verification: Verification
  private let redaction: Redaction?
  /// Facts about the verified files, a line each.
  private let facts: [String]
  private var known: VerifyCoverage { VerifyCoverage(verification: verification, summary: summary) }

  /// The largest number of rows in each table.
  private static let limit = 20

  /// Describes a verification.
  public init(
    _ verification: Verification, _ summary: VerificationSummary, redaction: Redaction? = nil, facts: [String] = []
  ) {
    self.verification = verification
    self.summary = summary
    self.redaction = redaction
    self.facts = facts
  }

  /// The warnings that the comparison does not cover the whole capture; the text has them too.
  public var warnings: [String] { known.warnings.map { TextEscaping.string(Array($0.utf8)) } }

  /// The summary as a JSON document (`VerifyDocument`).
  ///
  /// - Parameters:
  ///   - totals: The sums over the capture.
  ///   - run: The facts about the run.
  ///   - written: The folder that reports were written to, and their names; nil without reports.
  /// - Returns: The document with a line break at its end.
  public func document(_ totals: Totals, _ run: RunFacts, written: (folder: String, files: [String])? = nil) -> String {
    VerifyDocument(known: known, totals: totals, facts: run, redaction: redaction, written: written).text
  }

  /// The text, fitted to the terminal if the stream is one. Ends with a line break.
  public func text(for terminal: Terminal) -> String {
    text(width: terminal.textWidth, colour: terminal.takesColour)
  }

  /// The text in lines of about `width` columns.
  public func text(width: Int = Terminal.defaultWidth, colour: Bool = false) -> String {
    let sections = [
      warnings(width: width, colour: colour), verdict(width: width, colour: colour),
      unexplained.map { $0.lines(width: width, colour: colour) } ?? [],
      known.balances.isEmpty ? [] : figures.lines(width: width, colour: colour),
      known.lines, readings, phases, causes.map { $0.lines(width: width, colour: colour) } ?? [],
      remedies(width: width),
      apis.map { $0.lines(width: width, colour: colour) } ?? [], facts.flatMap { $0.wrapped(to: width) },
      [lastLine(colour: colour)],
    ]
    return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
  }

  // MARK: Sections

  private var figures: TextTable {
    var table = TextTable(columns: [
      .init(title: "matched", isRight: false), .init(title: "messages", importance: 1), .init(title: "app"),
      .init(title: "wire"), .init(title: "difference"), .init(title: "share", importance: 2),
      .init(title: "unexplained"),
    ])
    func add(_ name: String, _ balance: VerificationSummary.Balance, _ style: Style = .plain) {
      table.rows.append(
        (
          [
            name, Numerals.grouped(balance.count), Numerals.grouped(balance.app), Numerals.grouped(balance.wire),
            Numerals.signed(balance.difference), Self.share(balance), Numerals.grouped(balance.unexplained),
          ], style
        ))
    }
    for (name, balance) in known.balances { add(name, balance, name == "all" ? .heading : .plain) }
    return table
  }

  private var readings: [String] {
    let lines = known.readings
    return lines.isEmpty
      ? []
      : ["how the app seems to count (of at most 500 messages each):"]
        + lines.map { "  " + TextEscaping.string(Array($0.utf8)) }
  }

  private var phases: [String] {
    let lines = known.phases
    return lines.isEmpty ? [] : ["times, in the middle of all exchanges that have them:"] + lines.map { "  " + $0 }
  }

  private func warnings(width: Int, colour: Bool) -> [String] {
    warnings.flatMap { $0.wrapped(to: width).map { Style.warning.apply($0, colour: colour) } }
  }

  private func verdict(width: Int, colour: Bool) -> [String] {
    known.verdict.wrapped(to: width).map { (known.isExact ? Style.good : .heading).apply($0, colour: colour) }
  }

  private func remedies(width: Int) -> [String] {
    let lines = known.remedies
    return lines.isEmpty
      ? []
      : ["what to do:"] + lines.flatMap { TextEscaping.string(Array("- \($0)".utf8)).wrapped(to: width) }
  }

  /// The first figures without a cause, with both sides.
  private var unexplained: TextTable? {
    let figures = known.unexplainedFigures(redaction)
    guard !figures.isEmpty else { return nil }
    var table = TextTable(columns: [
      .init(title: verification.rowNoun.one), .init(title: "unexplained message", isRight: false, minimum: 24),
      .init(title: "figure", isRight: false), .init(title: "app"), .init(title: "wire"), .init(title: "unexplained"),
    ])
    for figure in figures {
      let place = figure.row.map { "\($0)" } ?? ""
      let name = "\(figure.type) \(TextEscaping.string(figure.host + figure.path))"
      let app = figure.app.map(Numerals.grouped) ?? ""
      let wire = figure.wire.map(Numerals.grouped) ?? ""
      table.rows.append(([place, name, figure.figure, app, wire, Numerals.signed(figure.unexplained)], .plain))
    }
    return table
  }

  private var causes: TextTable? {
    guard !summary.causes.isEmpty else { return nil }
    var table = TextTable(columns: [
      .init(title: "cause", isRight: false, minimum: 24), .init(title: "messages"), .init(title: "bytes"),
    ])
    for total in summary.causes.prefix(Self.limit) {
      table.rows.append(
        (
          [
            TextEscaping.string(Array(total.cause.name.utf8)), Numerals.grouped(total.rows),
            Numerals.signed(total.cause.octets),
          ], .plain
        ))
    }
    addRest(summary.causes.dropFirst(Self.limit).map(\.cause.octets), to: &table)
    return table
  }

  private var apis: TextTable? {
    let wrong = summary.wrongAPIs
    guard !wrong.isEmpty else { return nil }
    let hasUnexplained = summary.unexplained > 0
    var table = TextTable(
      columns: [
        .init(title: "worst APIs", isRight: false, minimum: 24), .init(title: "messages", importance: 1),
        .init(title: "app"), .init(title: "wire"), .init(title: "difference"), .init(title: "share", importance: 2),
      ] + (hasUnexplained ? [.init(title: "unexplained", importance: 3)] : []))
    func add(_ cells: [String], unexplained: Int, _ style: Style) {
      table.rows.append((cells + (hasUnexplained ? [Numerals.grouped(unexplained)] : []), style))
    }
    for api in wrong.prefix(Self.limit) {
      let host = Array(api.host.utf8)
      let path = Array(api.path.utf8)
      let name = TextEscaping.string((redaction?.host(host) ?? host) + (redaction?.path(path) ?? path))
      add(
        [
          name, Numerals.grouped(api.balance.count), Numerals.grouped(api.balance.app),
          Numerals.grouped(api.balance.wire), Numerals.signed(api.balance.difference), Self.share(api.balance),
        ], unexplained: api.balance.unexplained, .plain)
    }
    let rest = wrong.dropFirst(Self.limit).map(\.balance)
    if !rest.isEmpty {
      add(
        [
          "… and \(Numerals.grouped(rest.count)) more", "", "", "",
          Numerals.signed(rest.reduce(0) { $0 + $1.difference }), "",
        ], unexplained: rest.reduce(0) { $0 + $1.unexplained }, .faint)
    }
    return table
  }

  private func addRest(_ octets: [Int], to table: inout TextTable) {
    guard !octets.isEmpty else { return }
    table.rows.append(
      (["… and \(Numerals.grouped(octets.count)) more", "", Numerals.signed(octets.reduce(0, +))], .faint))
  }

  /// The line that scripts look for.
  private func lastLine(colour: Bool) -> String {
    let style: Style = summary.unexplained == 0 ? .good : .warning
    let bias =
      summary.bias.map { Self.percentage($0) }
      ?? summary.partsBias.map { "unknown (of known parts \(Self.percentage($0)))" } ?? "unknown"
    return style.apply("bias \(bias), unexplained \(summary.unexplained) bytes", colour: colour)
  }

  // MARK: Numbers

  private static func signed(_ value: Int) -> String { (value > 0 ? "+" : "") + Numerals.grouped(value) }

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
}
