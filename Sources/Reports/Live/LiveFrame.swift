import Tabular

extension LiveView {
  /// The screen as text for a terminal of that size.
  ///
  /// Every line overwrites the old one, so that nothing flickers. Text from the wire is escaped. No line is wider than `width`,
  /// and there are no more than `height`.
  public func frame(width: Int, height: Int, colour: Bool) -> String {
    var result = ""
    for (index, line) in lines(width: width, height: height, colour: colour).enumerated() {
      // The line is cleared before it is written. Later a terminal would also clear its last column.
      result += "\u{1b}[\(index + 1);1H\u{1b}[K" + line
    }
    return result + "\u{1b}[J"
  }

  /// The lines of the screen, exactly `height` of them.
  func lines(width: Int, height: Int, colour: Bool) -> [String] {
    let (width, height) = (max(width, 1), max(height, 1))
    let layout = LiveLayout(height: height)
    var lines = statusLines(layout.status).map { $0.text(width: width, colour: colour) }
    let start = max(min(scrolled, arranged.count - layout.rows), 0)
    let shown = arranged[start..<min(start + layout.rows, arranged.count)].map { apis[$0] }
    if showsKeys {
      lines += LiveHelp.lines(width: width, height: layout.rows + 1, colour: colour)
    } else if let opened {
      lines += detailLines(opened, width: width, height: layout.rows + 1, colour: colour)
    } else {
      lines += tableLines(shown, width: width, colour: colour)
    }
    while lines.count < height - 1 { lines.append("") }
    // A screen of a line or two shows only the state.
    lines.removeLast(lines.count - max(height - 1, 1))
    if height > 1 { lines.append(footer(start, shown.count).text(width: width, colour: colour)) }
    return lines
  }

  private func tableLines(_ shown: [LiveAPI], width: Int, colour: Bool) -> [String] {
    let table = LiveTable(width: width, order: order, title: joining == .hosts ? "host" : "API", apis: shown)
    var lines = [Style.heading.apply(table.header, colour: colour)]
    for api in shown {
      let style = api.key == chosen ? Style.chosen : api.rate > 0 ? .plain : .faint
      lines.append(style.apply(table.row(api), colour: colour))
    }
    if shown.isEmpty {
      let kind = joining == .hosts ? "host" : "API"
      let text = apis.isEmpty ? "No HTTP messages yet." : "No \(kind) has this in its name."
      lines.append(Style.faint.apply(text.shortened(to: width), colour: colour))
    }
    return lines
  }

  private func detailLines(_ key: APIKey, width: Int, height: Int, colour: Bool) -> [String] {
    guard let api = apis.first(where: { $0.key == key }) else { return [] }
    return LiveDetail(api, recent, joining, redaction: readings.redaction)
      .lines(width: width, height: height, colour: colour)
  }

  // MARK: State

  private func statusLines(_ count: Int) -> [LiveLine] {
    var first = alerts
    first.append(.init(text: Self.time(readings.elapsed), importance: 7))
    first.append(.init(text: interfaces, style: .faint, importance: 3))
    first.append(balance)
    return count > 1 ? [LiveLine(pieces: first), LiveLine(pieces: figures)] : [LiveLine(pieces: first + figures)]
  }

  /// Columns of the notice. After the end of the view it is printed in full.
  private static let noticeWidth = 60

  private var alerts: [LiveLine.Piece] {
    var pieces: [LiveLine.Piece] = []
    if isPaused { pieces.append(.init(text: "PAUSED", style: .warning, importance: 9)) }
    let dropped = readings.ledger.droppedPackets
    if dropped > 0 {
      pieces.append(.init(text: "DROPPED \(Numerals.grouped(dropped))", style: .bad, importance: 10))
    }
    let behind = readings.behind / 1_000_000_000
    if behind > 0 { pieces.append(.init(text: "BEHIND \(behind) s", style: .warning, importance: 9)) }
    if !notice.isEmpty {
      let text = TextEscaping.string(Array(notice.utf8)).shortened(to: Self.noticeWidth)
      pieces.append(.init(text: text, style: .bad, importance: 8))
    }
    return pieces
  }

  private var interfaces: String {
    // Another party (a container, a VPN) may have chosen the name of an interface.
    TextEscaping.string(Array(interfaceNames.joined(separator: ", ").utf8)).shortened(to: 32)
  }

  private var balance: LiveLine.Piece {
    let off = readings.ledger.difference - readings.ledger.pending
    guard off == 0 else {
      return .init(text: "LEDGER OFF BY \(Numerals.grouped(off))", style: .bad, importance: 8)
    }
    let pending = readings.ledger.pending
    let text = pending > 0 ? ", \(ByteCount.text(Double(pending))) pending" : ""
    return .init(text: "ledger balanced" + text, style: .good, importance: 2)
  }

  private var figures: [LiveLine.Piece] {
    [
      .init(text: "\(Numerals.grouped(readings.ledger.packets)) packets", importance: 4),
      .init(text: "\(Numerals.grouped(Int(min(readings.packetRate.rounded(), 1e15)))) packets/s", importance: 5),
      .init(text: ByteCount.text(Double(readings.ledger.original)), importance: 1),
      .init(text: "\(ByteCount.text(readings.octetRate))/s", importance: 6),
      .init(text: "connections: \(Numerals.grouped(readings.connections))", importance: 1),
    ]
  }

  private static func time(_ nanoseconds: Int64) -> String {
    let seconds = Int(nanoseconds / 1_000_000_000)
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let clock = "\(two(seconds / 60 % 60)):\(two(seconds % 60))"
    guard seconds >= 86_400 else { return "\(seconds / 3600):\(clock)" }
    return "\(seconds / 86_400)d \(two(seconds / 3600 % 24)):\(clock)"
  }

  // MARK: Keys

  private func footer(_ start: Int, _ shown: Int) -> LiveLine {
    if isEnteringFilter {
      return LiveLine(pieces: [
        .init(text: "filter: \(shownFilter)_", style: .heading, importance: 3),
        .init(text: "Enter keeps", style: .faint, importance: 1),
        .init(text: "Esc clears", style: .faint, importance: 2),
      ])
    }
    var pieces: [LiveLine.Piece] = []
    if showsKeys || opened != nil {
      return LiveLine(pieces: [
        .init(text: "Esc back", importance: 3), .init(text: "q quit", style: .faint, importance: 2),
        .init(text: isPaused ? "p resume" : "p pause", style: .faint, importance: 1),
        .init(text: showsKeys ? "" : "? keys", style: .faint, importance: 0),
      ])
    }
    if !filter.isEmpty {
      pieces.append(.init(text: "filter: \(shownFilter)", style: .warning, importance: 9))
      pieces.append(.init(text: "Esc clears", style: .faint, importance: 4))
    }
    if shown < arranged.count {
      let rows = shown > 0 ? "\(start + 1)-\(start + shown) of " : ""
      pieces.append(.init(text: rows + Numerals.grouped(arranged.count), importance: 7))
    }
    pieces += [
      .init(text: "q quit", style: .faint, importance: 8),
      .init(text: isPaused ? "p resume" : "p pause", style: .faint, importance: 6),
      .init(text: "? keys", style: .faint, importance: 7),
      .init(text: "/ filter", style: .faint, importance: 4),
      .init(text: "Enter opens", style: .faint, importance: 5),
      .init(text: joining == .hosts ? "h APIs" : "h hosts", style: .faint, importance: 3),
      .init(text: joining == .templates ? "t paths" : "t templates", style: .faint, importance: 2),
      .init(text: "sort: " + LiveOrder.allCases.map(Self.hint).joined(separator: " "), style: .faint, importance: 2),
    ]
    return LiveLine(pieces: pieces)
  }

  /// The end of the filter, where typing happens; typed characters may be as odd as those from the wire.
  private var shownFilter: String { TextEscaping.string(Array(filter.utf8)).shortened(to: 24) }

  private static func hint(_ order: LiveOrder) -> String { "\(order.key) \(order.word)" }
}

/// The lines of the screen: the state at the top, the keys at the bottom, the APIs between them.
struct LiveLayout {
  /// Lines of the state of the capture.
  let status: Int
  /// Lines of APIs, without their header.
  let rows: Int

  /// Divides a screen of `height` lines.
  init(height: Int) {
    status = height >= 10 ? 2 : 1
    rows = max(height - status - 2, 0)
  }
}

/// Pieces of a line with a style each. The least important ones are left out if there is not enough room.
struct LiveLine {
  /// A part of the line.
  struct Piece {
    /// Its text: escaped, without line breaks.
    var text: String
    /// Its style.
    var style = Style.plain
    /// Pieces with a lower number are left out first.
    var importance: Int
  }

  private static let gap = "  "

  /// The pieces, from left to right.
  var pieces: [Piece]

  /// The line in at most `width` columns.
  func text(width: Int, colour: Bool) -> String {
    var shown = pieces.filter { !$0.text.isEmpty }
    func total() -> Int { shown.reduce(-Self.gap.count) { $0 + Self.gap.count + DisplayWidth.of($1.text) } }
    while shown.count > 1, total() > width,
      let least = shown.indices.min(by: { shown[$0].importance < shown[$1].importance })
    {
      shown.remove(at: least)
    }
    return shown.map { $0.style.apply($0.text.shortened(to: width), colour: colour) }.joined(separator: Self.gap)
  }
}
