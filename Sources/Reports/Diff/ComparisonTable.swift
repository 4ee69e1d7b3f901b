/// A comparison for a terminal. Names are escaped; the same comparison and width give the same text.
struct ComparisonTable {
  private let comparison: ReportComparison
  private let cells: ComparisonCells
  /// On a narrower terminal the columns of numbers would not fit, even when all that can be are left out.
  private static let leastWidth = 40

  init(_ comparison: ReportComparison, limit: Int) {
    self.comparison = comparison
    cells = ComparisonCells(comparison, limit: limit)
  }

  /// The differing APIs, and the total.
  func text(width: Int, colour: Bool) -> String {
    let width = max(width, Self.leastWidth)
    var lines: [String] = []
    if cells.shown.isEmpty {
      lines.append("No API is different.")
    } else {
      lines += table(width).lines(width: width, colour: colour)
      if cells.hidden > 0 { lines.append("… and \(Numerals.grouped(cells.hidden)) more that differ (--top)") }
    }
    lines.append("")
    lines += ("APIs: " + ComparisonCells.census(comparison)).wrapped(to: width)
    if let handshakes = ComparisonCells.handshakes(comparison) { lines += handshakes.wrapped(to: width) }
    for line in ComparisonCells.unsure(comparison) + comparison.gaps {
      lines += Style.warning.lines(line, width: width, colour: colour)
    }
    for verdict in ComparisonCells.verdicts(comparison) {
      let style: Style = verdict.isKept ? .good : .bad
      lines += style.lines(verdict.text, width: width, colour: colour)
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func table(_ width: Int) -> TextTable {
    // The change, and the column that rows are sorted by, are the subject of the table, and stay.
    let sorted = cells.order.column
    // A second column that stays leaves less room for names.
    let isWide = sorted != nil && sorted != .change
    let nameWidth = min(max(width * (isWide ? 3 : 4) / 10, 12), 32)
    var table = TextTable(
      columns: [.init(title: "API", isRight: false, minimum: nameWidth)]
        + cells.columns.map { .init(title: $0.title, importance: $0 == sorted ? nil : $0.importance) })
    for api in cells.shown {
      let mark = api.isBeyond ? "! " : ""
      table.rows.append(([mark + api.key.text] + cells.cells(api), api.isBeyond ? .bad : .plain))
    }
    table.rows.append((["total"] + cells.cells(comparison.total), .heading))
    return table
  }
}

/// The columns for people: `ip_bytes` before and after, and differences.
enum ComparisonColumn: CaseIterable {
  case base, new, change, share, requests, perRequest, message, header, body, tls, errors, waitP95

  /// The title of the column.
  var title: String {
    switch self {
    case .base: "base"
    case .new: "new"
    case .change: "change"
    case .share: "%"
    case .requests: "requests"
    case .perRequest: "per request"
    case .message: "message"
    case .header: "header"
    case .body: "body"
    case .tls: "tls"
    case .errors: "errors"
    case .waitP95: "p95 ms"
    }
  }

  /// Columns with lower numbers are left out first if there is not enough room: those that other columns imply.
  var importance: Int? {
    switch self {
    case .change: nil
    case .share: 12
    case .perRequest: 11
    case .new: 10
    case .base: 9
    case .requests: 8
    case .body: 7
    case .header: 6
    case .message: 5
    case .tls: 4
    case .errors: 2
    case .waitP95: 1
    }
  }

  /// The cell of an API.
  func cell(_ api: APIComparison) -> String {
    switch self {
    case .base: Numerals.grouped(api.base.figures[.ip])
    case .new: Numerals.grouped(api.new.figures[.ip])
    case .change: Numerals.signed(api.difference(APISum.ip))
    case .share: ComparisonCells.share(api)
    case .requests: Numerals.signed(api.difference(APIColumn.requests))
    case .perRequest: api.perRequestDifference.map { Numerals.mean($0, of: 1000) } ?? ""
    case .message: Numerals.signed(api.difference(APISum.message))
    case .header: Numerals.signed(api.difference(APISum.header))
    case .body: Numerals.signed(api.difference(APISum.body))
    case .tls: Numerals.signed(api.difference(APISum.tls))
    case .errors: Numerals.signed(api.difference(APISum.errors))
    case .waitP95: api.difference(\.waitP95).map { Numerals.mean(Int($0), of: 1_000_000) } ?? ""
    }
  }
}

/// The shown APIs of a comparison, and each one's cells besides its name.
struct ComparisonCells {
  /// All APIs beyond the threshold are shown, up to this number: GitHub takes comments of 65,536 characters.
  private static let beyondLimit = 200

  /// The shown APIs, in the order of the comparison.
  let shown: [APIComparison]
  /// The number of differing APIs that are not shown.
  let hidden: Int
  /// The order of the APIs.
  let order: ComparisonOrder
  /// The columns besides the name. They include the octets of whole messages if rows are sorted by them, and of TLS if there are
  /// any.
  let columns: [ComparisonColumn]

  init(_ comparison: ReportComparison, limit: Int) {
    order = comparison.order
    let sorted = order.column
    let hasTLS = comparison.total.base.figures[.tls] + comparison.total.new.figures[.tls] > 0
    columns = ComparisonColumn.allCases.filter { column in
      switch column {
      case .message: column == sorted
      case .tls: hasTLS || column == sorted
      default: true
      }
    }
    let different = comparison.apis.filter { $0.change != .same }
    var shown: [APIComparison] = []
    var beyond = 0
    for (index, api) in different.enumerated() {
      if api.isBeyond { beyond += 1 }
      if index < limit || api.isBeyond && beyond <= Self.beyondLimit { shown.append(api) }
    }
    self.shown = shown
    hidden = different.count - shown.count
  }

  /// The uncertain octets of both reports, in lines.
  static func unsure(_ comparison: ReportComparison) -> [String] {
    let base = UnsureOctets(comparison.apis.lazy.map { (key: $0.key, figures: $0.base.figures) })
    let new = UnsureOctets(comparison.apis.lazy.map { (key: $0.key, figures: $0.new.figures) })
    return base.lines.map { "base: \($0)" } + new.lines.map { "new: \($0)" }
  }

  /// The cells under `columns`.
  func cells(_ api: APIComparison) -> [String] { columns.map { $0.cell(api) } }

  /// The cost of TLS and QUIC handshakes, which belong to no API; nil when a report lacks it, or there are none.
  static func handshakes(_ comparison: ReportComparison) -> String? {
    guard let base = comparison.baseHosts?.handshake, let new = comparison.newHosts?.handshake, base + new > 0 else {
      return nil
    }
    return "handshakes: \(Numerals.grouped(base)) → \(Numerals.grouped(new)) bytes (\(Numerals.signed(new - base)))"
  }

  /// The change in percent, or a word when there is nothing to compare with.
  static func share(_ api: APIComparison) -> String {
    switch api.change {
    case .new: "new"
    case .vanished: "gone"
    default: Numerals.signedPercent(api.difference(APISum.ip), of: api.base.figures[.ip])
    }
  }

  /// The results of the thresholds, a line each.
  static func verdicts(_ comparison: ReportComparison) -> [(text: String, isKept: Bool)] {
    let thresholds = comparison.thresholds
    var verdicts: [(text: String, isKept: Bool)] = []
    func add(_ count: Int, _ one: String, _ many: String, _ rest: String) {
      let subject = count == 0 ? "nothing" : count == 1 ? "1 \(one)" : "\(Numerals.grouped(count)) \(many)"
      verdicts.append((subject + rest, count == 0))
    }
    if let threshold = thresholds.apis {
      add(comparison.apis.count(where: \.isLarger), "API", "APIs", " grew beyond \(threshold.text)")
    }
    if let share = thresholds.p95 {
      add(comparison.apis.count(where: \.isSlower), "API", "APIs", " became slower beyond \(share.text) (wait p95)")
    }
    let floor = thresholds.octets > 0 ? " and \(Numerals.grouped(thresholds.octets)) bytes" : ""
    if let share = thresholds.hosts, comparison.baseHosts != nil, comparison.newHosts != nil {
      let hosts = comparison.beyondHosts
      let names = hosts.prefix(3).map(\.text) + (hosts.count > 3 ? ["…"] : [])
      add(
        hosts.count, "host", "hosts",
        " grew beyond \(share.text)\(floor) (bytes of connections)"
          + (names.isEmpty ? "" : ": " + names.joined(separator: "; ")))
    }
    if let share = thresholds.total, let base = comparison.baseHosts?.ip, let new = comparison.newHosts?.ip {
      let change = [Numerals.signed(new - base), Numerals.signedPercent(new - base, of: base)].filter { !$0.isEmpty }
      let word = comparison.isTotalBeyond ? "beyond" : "within"
      verdicts.append(
        (
          "all connections: \(Numerals.grouped(base)) → \(Numerals.grouped(new)) bytes (\(change.joined(separator: ", "))), "
            + "\(word) \(share.text)\(floor)", !comparison.isTotalBeyond
        ))
    }
    return verdicts
  }

  /// The numbers of new and vanished APIs.
  static func census(_ comparison: ReportComparison) -> String {
    func count(_ change: APIComparison.Change) -> String {
      Numerals.grouped(comparison.apis.count { $0.change == change })
    }
    return "\(count(.new)) new, \(count(.vanished)) gone, \(count(.grew)) grew, \(count(.shrank)) shrank"
  }
}
