import HTTPReassembly
import Tabular

/// What a run prints at its end: the APIs by bytes, the ledger, the anomalies, and whether the ledger balances.
///
/// All figures are octets. Text from the wire is escaped; the same totals and width give the same text.
public struct Summary {
  /// APIs shown when there is no terminal that says how many lines it has.
  public static let defaultAPILimit = 30
  /// Below this the columns of numbers would not fit whatever is left out.
  private static let leastWidth = 32

  private let totals: Totals
  private let redaction: Redaction?
  private let leftOut: LeftOutRows
  private let notes: [String]

  /// Summarizes totals.
  ///
  /// - Parameters:
  ///   - totals: What was counted.
  ///   - redaction: Leaves out what may be personal.
  ///   - leftOut: Rows that are in the totals and not in the reports.
  ///   - notes: What else is to be said of the run, a line each.
  public init(
    _ totals: Totals, redaction: Redaction? = nil, leftOut: LeftOutRows = LeftOutRows(), notes: [String] = []
  ) {
    self.totals = totals.noting(leftOut)
    self.redaction = redaction
    self.leftOut = leftOut
    self.notes = notes
  }

  /// The summary, fitted to a terminal if the stream that it goes to is one. Ends with a line break.
  public func text(for terminal: Terminal) -> String {
    // Room for the command, the headings and the last line; the ledger below scrolls.
    let limit = terminal.height.map { min(max($0 - 10, 5), Self.defaultAPILimit) }
    return text(
      width: terminal.width ?? Terminal.defaultWidth, colour: terminal.takesColour,
      apiLimit: limit ?? Self.defaultAPILimit)
  }

  /// The summary in lines of at most `width` columns, the last one excepted, which is never shortened.
  public func text(
    width: Int = Terminal.defaultWidth, colour: Bool = false, apiLimit: Int = Self.defaultAPILimit
  ) -> String {
    let width = max(width, Self.leastWidth)
    var sections = [apiLines(width: width, colour: colour, limit: max(apiLimit, 0))]
    sections.append(ledgerLines(width: width, colour: colour))
    sections.append(anomalyLines(width: width, colour: colour))
    let style: Style = totals.ledger.difference == 0 ? .good : .bad
    sections.append([style.apply(Self.lastLine(totals.ledger), colour: colour)])
    return sections.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
  }

  /// The last line of the summary.
  public static func lastLine(_ ledger: Ledger) -> String {
    guard ledger.difference != 0 else { return "ledger balanced: \(ledger.original) bytes" }
    return "ledger does not balance: \(ledger.total) of \(ledger.original) bytes in a class, "
      + "difference \(ledger.difference)"
  }

  // MARK: APIs

  private func apiLines(width: Int, colour: Bool, limit: Int) -> [String] {
    guard !totals.apis.isEmpty else { return secureLines(width: width, colour: colour) ?? ["No HTTP messages."] }
    var all = APIFigures()
    for api in totals.apis { all.add(api) }
    let order = totals.apis.indices.sorted { a, b in
      let (mine, other) = (totals.apis[a].ipLength, totals.apis[b].ipLength)
      return mine == other ? a < b : mine > other
    }
    // A name cut to less tells little; the columns that only add to the others go first.
    let nameWidth = min(max(width * 2 / 5, 12), 32)
    var table = TextTable(columns: [
      .init(title: "API", isRight: false, minimum: nameWidth), .init(title: "requests", importance: 3),
      .init(title: "up", importance: 4), .init(title: "down", importance: 5), .init(title: "total"),
      .init(title: "share", importance: 2), .init(title: "header", importance: 1),
    ])
    // Only HTTP/2 compresses fields.
    if all.saved != 0 { table.columns.append(.init(title: "saved", importance: 0)) }
    func add(_ name: String, _ figures: APIFigures, _ style: Style) {
      table.rows.append(
        (
          [
            name, Numerals.grouped(figures.requests), Numerals.grouped(figures.up), Numerals.grouped(figures.down),
            Numerals.grouped(figures.total), Numerals.percent(figures.total, of: all.total),
            Numerals.percent(figures.header, of: figures.total),
          ] + (all.saved != 0 ? [Numerals.grouped(figures.saved)] : []), style
        ))
    }
    for index in order.prefix(limit) {
      var figures = APIFigures()
      figures.add(totals.apis[index])
      add(APIKey(totals.apis[index], totals.texts).redacted(redaction).text, figures, .plain)
    }
    let rest = order.dropFirst(limit)
    if !rest.isEmpty {
      var figures = APIFigures()
      for index in rest { figures.add(totals.apis[index]) }
      add("… and \(Numerals.grouped(rest.count)) more", figures, .faint)
    }
    add("total", all, .heading)
    var lines = table.lines(width: width, colour: colour)
    for line in UnsureOctets(totals).lines { lines += Style.warning.lines(line, width: width, colour: colour) }
    return lines
  }

  /// What a capture is in which no message could be read, but TLS or QUIC, and what to do about it; nil without them.
  private func secureLines(width: Int, colour: Bool) -> [String]? {
    let hosts = totals.secureHosts
    guard !hosts.isEmpty else { return nil }
    let (up, down) = hosts.reduce((0, 0)) { ($0.0 + $1.up, $0.1 + $1.down) }
    let count = hosts.reduce(0) { $0 + $1.connections }
    let named = hosts.filter { !$0.serverName.isEmpty }
    var names = named.prefix(3).map { TextEscaping.string(redaction?.host($0.serverName) ?? $0.serverName) }
    if named.count > 3 { names.append("\(Numerals.grouped(named.count - 3)) more") }
    let quic = hosts.reduce(0) { $0 + $1.quicConnections }
    let kinds = [(count - quic, "TLS"), (quic, "QUIC")].filter { $0.0 > 0 }.map { "\(Numerals.grouped($0.0)) \($0.1)" }
    let connections = kinds.joined(separator: " and ") + (count == 1 ? " connection" : " connections")
    let to = names.isEmpty ? "" : " to " + names.joined(separator: ", ")
    let first =
      "No HTTP messages: \(connections)\(to), \(Numerals.grouped(up)) bytes up and \(Numerals.grouped(down)) bytes down."
    let second =
      count == quic
      ? "QUIC is counted and not opened. To count what is in it, capture with HTTP/3 switched off in the app or the server."
      : "To count what is in it, give the key log of the program that opened it: --keys FILE (sniffer keys says what fits)."
    return Style.plain.lines(first, width: width, colour: colour)
      + Style.warning.lines(second, width: width, colour: colour)
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
    var lines = table.lines(width: width, colour: colour)
    func note(_ text: String, _ style: Style) {
      lines += style.lines(text, width: width, colour: colour)
    }
    note("packets: \(Numerals.grouped(ledger.packets))", .plain)
    if ledger.truncatedPackets > 0 {
      note("packets cut by the snap length: \(Numerals.grouped(ledger.truncatedPackets))", .warning)
    }
    if ledger.missing > 0 {
      note("bytes of streams that were not captured: \(Numerals.grouped(ledger.missing))", .warning)
    }
    if ledger.droppedPackets > 0 {
      note("incomplete: packets dropped by the capture: \(Numerals.grouped(ledger.droppedPackets))", .warning)
    }
    if let text = leftOut.text { note(text, .warning) }
    for text in notes { note(text, .warning) }
    return lines
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
    return table.lines(width: width, colour: colour)
  }
}

/// The figures of a row of APIs, in octets.
private struct APIFigures {
  var requests = 0
  /// `ip_bytes` of the requests.
  var up = 0
  /// `ip_bytes` of the responses.
  var down = 0
  /// Start lines and header sections, both ways.
  var header = 0
  /// Octets that field compression keeps off the wire, of the messages whose fields are all known; below 0 where it costs some.
  var saved = 0

  var total: Int { up + down }

  mutating func add(_ api: APITotals) {
    requests += api.requests
    up += api.request.ipLength
    down += api.response.ipLength
    header +=
      api.request.octets.startLine + api.request.octets.header + api.response.octets.startLine
      + api.response.octets.header
    saved += api.request.savedByCompression + api.response.savedByCompression
  }
}

extension APITotals {
  /// `ip_bytes` of requests and responses.
  fileprivate var ipLength: Int { request.ipLength + response.ipLength }
}
