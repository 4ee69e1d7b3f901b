import HTTPReassembly
import Tabular

/// The output at the end of a run: the APIs by bytes, the ledger, the anomalies, and whether the ledger balances.
///
/// All figures are octets. Text from the wire is escaped; the same totals and width give the same text.
public struct Summary {
  /// The number of shown APIs when no terminal tells its number of lines.
  public static let defaultAPILimit = 30
  /// On a narrower terminal the columns of numbers would not fit, even when all that can be are left out.
  private static let leastWidth = 32
  /// The number of closed hosts below a table of APIs.
  private static let closedHosts = 5
  /// Longer lines are hard to read.
  private static let proseWidth = 120

  private let totals: Totals
  private let redaction: Redaction?
  private let leftOut: LeftOutRows
  private let notes: [String]
  private let choices: SummaryChoices
  private let facts: RunFacts
  private let selection: Selection?
  private let savings: LargestSavings?
  /// The closed traffic of the whole run.
  private let secure: SecureTraffic?
  /// The number of APIs where the table shows templates of them; nil where it shows them.
  private let groupedCount: Int?

  private var grouping: SummaryGrouping? { choices.grouping }

  /// Summarizes totals.
  ///
  /// - Parameters:
  ///   - totals: The totals.
  ///   - redaction: Leaves out personal facts.
  ///   - leftOut: Rows that are in the totals and not in the reports.
  ///   - notes: Further notes about the run, a line each.
  ///   - choices: The rows of the tables and their order.
  ///   - facts: The input, and the command.
  ///   - selected: The exchanges of the tables; nil for all.
  ///   - savings: The largest savings; nil to show none.
  public init(
    _ totals: Totals, redaction: Redaction? = nil, leftOut: LeftOutRows = LeftOutRows(), notes: [String] = [],
    choices: SummaryChoices = SummaryChoices(), facts: RunFacts = RunFacts(), selected: SelectedExchanges? = nil,
    savings: LargestSavings? = nil
  ) {
    let whole = totals.noting(leftOut).noting(totalsLeftOut: leftOut.totals)
    let (shown, selection) = selected.map { $0.select(in: whole, redaction) } ?? (whole, nil)
    let grouped = choices.groupsLookAlikes ? shown.groupedByTemplate : nil
    self.totals = grouped ?? shown
    self.selection = selection
    groupedCount = grouped.map { _ in shown.apis.count }
    secure = SecureTraffic(whole, redaction: redaction)
    self.savings = savings
    self.redaction = redaction
    self.leftOut = leftOut
    self.notes = notes + (totals.sightings.note.map { [$0] } ?? [])
    self.choices = choices
    self.facts = facts
  }

  /// The summary as a JSON document (`SummaryDocument`).
  ///
  /// - Parameter written: The folder that reports were written to, and their names; nil without reports.
  /// - Returns: The document with a line break at its end.
  public func document(written: (folder: String, files: [String])? = nil) -> String {
    SummaryDocument(
      totals: totals, redaction: redaction, leftOut: leftOut,
      notes: apiRemarks + (secure.map { [$0.finding, $0.advice] } ?? []) + runRemarks, choices: choices, facts: facts,
      selection: selection, written: written
    ).text
  }

  /// The summary, fitted to the terminal if the stream is one. Ends with a line break.
  public func text(for terminal: Terminal) -> String {
    // This leaves room for the command, the headings and the last line; the ledger below scrolls.
    let limit = terminal.height.map { min(max($0 - 10, 5), Self.defaultAPILimit) }
    return text(
      width: terminal.textWidth, colour: terminal.takesColour, apiLimit: limit ?? Self.defaultAPILimit)
  }

  /// The summary in lines of at most `width` columns, except the last one, which is never shortened.
  public func text(
    width: Int = Terminal.defaultWidth, colour: Bool = false, apiLimit: Int = Self.defaultAPILimit
  ) -> String {
    let width = max(width, Self.leastWidth)
    let limit = choices.limit(standard: max(apiLimit, 0))
    var sections = [
      grouping.map { groupLines($0, width: width, colour: colour, limit: limit) }
        ?? apiLines(width: width, colour: colour, limit: limit)
    ]
    if let savings {
      sections.append(savings.lines(totals, width: width, colour: colour))
      sections.append(Style.plain.lines(savings.account(totals), width: min(width, Self.proseWidth), colour: colour))
    }
    sections.append(StepLines(totals.steps).lines(width: width, colour: colour))
    sections.append(ledgerLines(width: width, colour: colour))
    sections.append(factLines(width: width, colour: colour))
    sections.append(anomalyLines(width: width, colour: colour))
    let style: Style = totals.ledger.difference == 0 ? .good : .bad
    sections.append([style.apply(Self.lastLine(totals.ledger), colour: colour)])
    return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
  }

  /// The last line of the summary. Scripts read its numbers, so they have no separators.
  public static func lastLine(_ ledger: Ledger) -> String {
    guard ledger.difference != 0 else { return "ledger balanced: \(ledger.original) bytes" }
    return "ledger does not balance: \(ledger.total) of \(ledger.original) bytes in a class, "
      + "difference \(ledger.difference)"
  }

  // MARK: Groups

  private func groupLines(_ grouping: SummaryGrouping, width: Int, colour: Bool, limit: Int) -> [String] {
    // Octets of connections alone belong to no selected exchange.
    let isOfConnections = grouping.isOfConnections && selection == nil
    let groups = choices.arranged(grouping.groups(totals, redaction, isSelected: selection != nil))
    guard !groups.isEmpty else {
      if selection != nil { return ["No exchanges."] + selectionLines(width: width, colour: colour) }
      return [isOfConnections ? "No connections." : "No HTTP messages."]
    }
    let nameWidth = min(max(width * 2 / 5, 12), 32)
    var table = TextTable(columns: [
      .init(title: grouping.title, isRight: false, minimum: nameWidth), .init(title: "requests", importance: 2),
      .init(title: "up", importance: 3), .init(title: "down", importance: 4), .init(title: "total"),
      .init(title: "share", importance: 1),
    ])
    if isOfConnections { table.columns.insert(.init(title: "connections", importance: 0), at: 1) }
    // Media types and status codes mostly come from responses.
    let showsResponses = grouping == .contentType || grouping == .status
    if showsResponses { table.columns.insert(.init(title: "responses", importance: 2), at: 2) }
    let sum = groups.reduce(0) { $0 + $1.totals.ipLength }
    func add(_ name: String, _ group: GroupTotals, _ style: Style) {
      var cells = [
        name, Numerals.grouped(group.requests), Numerals.grouped(group.up), Numerals.grouped(group.down),
        Numerals.grouped(group.ipLength), Numerals.percent(group.ipLength, of: sum),
      ]
      if isOfConnections { cells.insert(Numerals.grouped(group.connections), at: 1) }
      if showsResponses { cells.insert(Numerals.grouped(group.responses), at: 2) }
      table.rows.append((cells, style))
    }
    for group in groups.prefix(limit) { add(group.name, group.totals, .plain) }
    let rest = groups.dropFirst(limit)
    if !rest.isEmpty { add("… and \(Numerals.grouped(rest.count)) more", .sum(of: rest.map(\.totals)), .faint) }
    add("total", .sum(of: groups.map(\.totals)), .heading)
    return table.lines(width: width, colour: colour) + selectionLines(width: width, colour: colour)
  }

  // MARK: APIs

  private func apiLines(width: Int, colour: Bool, limit: Int) -> [String] {
    guard !totals.apis.isEmpty else {
      let closed = secureLines(width: width, colour: colour, limit: limit)
      guard selection != nil else { return closed ?? ["No HTTP messages."] }
      return ["No exchanges."] + selectionLines(width: width, colour: colour) + (closed ?? [])
    }
    var all = APIFigures()
    for api in totals.apis { all.add(api) }
    let order = choices.arranged(totals, redaction)
    // A shorter name tells little. The columns that only add to the others are left out first.
    let nameWidth = min(max(width * 2 / 5, 12), 32)
    var table = TextTable(columns: [
      .init(title: "API", isRight: false, minimum: nameWidth), .init(title: "requests", importance: 3),
      .init(title: "up", importance: 4), .init(title: "down", importance: 5), .init(title: "total"),
      .init(title: "share", importance: 2), .init(title: "header", importance: 1),
    ])
    // HTTP/1 does not compress fields.
    if all.saved != 0 { table.columns.append(.init(title: "fields saved", importance: 0)) }
    // The column that rows are sorted by is always shown.
    let sort = choices.column.flatMap { Self.shownColumns.contains($0) ? nil : $0 }
    if let sort { table.columns.append(.init(title: sort, importance: 6)) }
    func add(_ name: String, _ figures: APIFigures, _ style: Style, _ cell: Cell? = nil) {
      table.rows.append(
        (
          [
            name, Numerals.grouped(figures.requests), Numerals.grouped(figures.up), Numerals.grouped(figures.down),
            Numerals.grouped(figures.total), Numerals.percent(figures.total, of: all.total),
            Numerals.percent(figures.header, of: figures.total),
          ] + (all.saved != 0 ? [Numerals.grouped(figures.saved)] : [])
            + (sort != nil ? [cell?.shown ?? ""] : []), style
        ))
    }
    for (index, cell) in order.prefix(limit) {
      var figures = APIFigures()
      figures.add(totals.apis[index])
      add(APIKey(totals.apis[index], totals.texts).redacted(redaction).text, figures, .plain, cell)
    }
    let rest = order.dropFirst(limit)
    if !rest.isEmpty {
      var figures = APIFigures()
      for (index, _) in rest { figures.add(totals.apis[index]) }
      add("… and \(Numerals.grouped(rest.count)) more", figures, .faint)
    }
    add("total", all, .heading)
    var lines = table.lines(width: width, colour: colour) + selectionLines(width: width, colour: colour)
    for line in apiRemarks { lines += Style.warning.lines(line, width: width, colour: colour) }
    return lines + (secureLines(width: width, colour: colour, limit: min(limit, Self.closedHosts)) ?? [])
  }

  /// The notes below the table of APIs.
  private var apiRemarks: [String] {
    var remarks = UnsureOctets(totals).lines
    if let line = totals.foldedSegmentText(redaction) { remarks.append(line) }
    if let groupedCount {
      remarks.append(
        "\(Numerals.grouped(groupedCount)) APIs that look alike are \(Numerals.grouped(totals.apis.count)) by template; "
          + "--no-template shows each")
    }
    return remarks
  }

  /// Columns that rows can be sorted by and that the table of APIs always has.
  private static let shownColumns = [
    SummaryChoices.standard, "requests", "request_ip_bytes", "response_ip_bytes", "host", "path", "method", "process",
  ]

  /// The exchanges that a condition left out of the table.
  private func selectionLines(width: Int, colour: Bool) -> [String] {
    (selection?.lines() ?? []).flatMap { Style.warning.lines($0, width: width, colour: colour) }
  }

  /// The closed traffic, and the way to open it; nil if there is little.
  private func secureLines(width: Int, colour: Bool, limit: Int) -> [String]? {
    guard let traffic = secure else { return nil }
    return traffic.lines(width: width, colour: colour, limit: limit)
      + Style.plain.lines(traffic.finding, width: width, colour: colour)
      + Style.warning.lines(traffic.advice, width: width, colour: colour)
  }

  // MARK: Ledger

  private func ledgerLines(width: Int, colour: Bool) -> [String] {
    let ledger = totals.ledger
    var table = TextTable(columns: [
      .init(title: "class", isRight: false), .init(title: "bytes"), .init(title: "share", importance: 1),
    ])
    for octetClass in OctetClass.allCases where ledger[octetClass] != 0 {
      let octets = ledger[octetClass]
      table.rows.append(
        ([octetClass.name, Numerals.grouped(octets), Numerals.percent(octets, of: ledger.total)], .plain))
    }
    table.rows.append(
      (["total", Numerals.grouped(ledger.total), Numerals.percent(ledger.total, of: ledger.total)], .heading))
    return table.lines(width: width, colour: colour)
  }

  /// The subject of the figures, and their missing parts.
  private func factLines(width: Int, colour: Bool) -> [String] {
    let ledger = totals.ledger
    var lines: [String] = []
    func note(_ text: String, _ style: Style) {
      lines += style.lines(text, width: min(width, Self.proseWidth), colour: colour)
    }
    for text in facts.lines(totals.span) { note(text, .plain) }
    note("packets: \(Numerals.grouped(ledger.packets))", .plain)
    for text in runRemarks { note(text, .warning) }
    return lines
  }

  /// The notes on the whole run.
  private var runRemarks: [String] {
    let ledger = totals.ledger
    var remarks: [String] = []
    if ledger.truncatedPackets > 0 {
      remarks.append("packets cut by the snap length: \(Numerals.grouped(ledger.truncatedPackets))")
    }
    if ledger.missing > 0 {
      remarks.append("bytes of streams that were not captured: \(Numerals.grouped(ledger.missing))")
    }
    if let copies = ledger.copies {
      let (packets, octets) = (Numerals.grouped(copies.packets), Numerals.grouped(copies.octets))
      remarks.append("copies of packets, left out: \(packets) (\(octets) bytes)")
    }
    if ledger.droppedPackets > 0 {
      remarks.append("incomplete: packets dropped by the capture: \(Numerals.grouped(ledger.droppedPackets))")
    }
    return remarks + [HTTP3Choice(totals, redaction: redaction).line, leftOut.text].compactMap(\.self) + notes
  }

  // MARK: Anomalies

  private func anomalyLines(width: Int, colour: Bool) -> [String] {
    let anomalies = totals.anomalies.all
    guard !anomalies.isEmpty else { return [] }
    var columns: [TextTable.Column] = [
      .init(title: "anomaly", isRight: false, minimum: 20), .init(title: "count"),
      .init(title: "connection", importance: 1),
    ]
    let showsExamples = redaction == nil && anomalies.contains { !$0.count.example.isEmpty }
    if showsExamples {
      columns.append(.init(title: "first example", isRight: false, minimum: 13, importance: 0))
    }
    var table = TextTable(columns: columns)
    for (anomaly, count) in anomalies {
      var cells = [
        anomaly.rawValue, Numerals.grouped(count.count), count.firstConnection == 0 ? "" : "\(count.firstConnection)",
      ]
      if showsExamples { cells.append(TextEscaping.string(count.example)) }
      table.rows.append((cells, .plain))
    }
    var lines = table.lines(width: width, colour: colour)
    for (anomaly, _) in anomalies {
      let width = min(width, Self.proseWidth)
      let text = "\(anomaly.rawValue.shortened(to: width - 1)): \(AnomalyExplanation(anomaly).text)"
      lines += Style.faint.lines(text, width: width, colour: colour)
    }
    return lines
  }
}

extension Totals {
  /// APIs that a person does not look through one by one.
  private static let lookAlikes = 100

  /// The totals with APIs by template, where there are hundreds of APIs and their templates are at most half as many; else nil.
  fileprivate var groupedByTemplate: Totals? {
    guard apis.count > Self.lookAlikes else { return nil }
    var grouped = self
    grouped.apis = []
    var positions: [APIKey: Int] = [:]
    for api in apis {
      var key = APIKey(api, texts)
      key.path = PathTemplate.template(of: key.path)
      if let position = positions[key] {
        grouped.apis[position].add(api)
        continue
      }
      guard grouped.apis.count * 2 < apis.count else { return nil }
      positions[key] = grouped.apis.count
      var api = api
      api.path = grouped.texts.intern(key.path)
      grouped.apis.append(api)
    }
    return grouped
  }
}

extension PacketSightings {
  /// The notice when most packets are in the capture twice; nil otherwise, and when copies are left out.
  fileprivate var note: String? {
    guard areMostDoubled else { return nil }
    let share =
      "\(Numerals.grouped(again)) of \(Numerals.grouped(packets)) packets looked at are there twice within a millisecond"
    return elsewhere > again / 2
      ? "\(share), on different interfaces: --deduplicate counts each once"
      : "\(share), on one interface: a mirror port or a bridge may show each twice; capture on one side of it"
  }
}

extension GroupTotals {
  /// The sum of some groups.
  static func sum(of groups: [GroupTotals]) -> GroupTotals {
    groups.reduce(into: GroupTotals()) { $0.add($1) }
  }
}

/// The figures of a row of APIs, in octets.
private struct APIFigures {
  var requests = 0
  /// `ip_bytes` of the requests.
  var up = 0
  /// `ip_bytes` of the responses.
  var down = 0
  /// Header sections without start-lines, both ways: `header` in every report.
  var header = 0
  /// Octets that field compression saves, for messages with all fields known; below 0 where it costs some.
  var saved = 0

  var total: Int { up + down }

  mutating func add(_ api: APITotals) {
    requests += api.requests
    up += api.request.ipLength
    down += api.response.ipLength
    header += api.request.octets.header + api.response.octets.header
    saved += api.savedByCompression
  }
}
