import HTTPReassembly
import Tabular

/// The largest possible savings of a run and the account of its octets, for the summary.
///
/// It needs `Configuration.tables` of hosts, fields and contents. The figures are those of the page.
public struct LargestSavings {
  private var figures: SavingFigures
  private let name: PageName

  /// No rows yet.
  public init(redaction: Redaction? = nil) {
    name = PageName(redaction: redaction)
    figures = SavingFigures(name)
  }

  /// Adds a final message.
  public mutating func message(_ message: Message, texts: borrowing TextPool) { figures.add(message, texts: texts) }
  /// Adds a final exchange.
  public mutating func exchange(_ exchange: Exchange, texts: borrowing TextPool) { figures.add(exchange, texts: texts) }
  /// Adds a final connection.
  public mutating func connection(_ connection: Connection, texts: borrowing TextPool) {
    _ = figures.add(connection, texts: texts)
  }

  /// The number of shown savings.
  private static let shown = 3

  /// The largest savings, a line each.
  func lines(_ totals: Totals, width: Int, colour: Bool) -> [String] {
    let savings = PageSavings(figures, PageWaste(totals, name), totals, name).savings.prefix(Self.shown)
    guard !savings.isEmpty else { return [] }
    var table = TextTable(columns: [
      .init(title: "largest savings", isRight: false), .init(title: "bytes"), .init(title: "share", importance: 1),
      .init(title: "largest part", isRight: false, minimum: 16, importance: 0),
    ])
    for saving in savings {
      let part = saving.rows.first.map { $0.host + $0.path } ?? ""
      table.rows.append(
        (
          [
            saving.title, (saving.isEstimate ? "~" : "") + Numerals.grouped(saving.octets),
            Numerals.percent(saving.octets, of: totals.ledger.original), part,
          ], .plain
        ))
    }
    return table.lines(width: width, colour: colour)
  }

  /// The octets of the capture in one line whose parts add up to them.
  func account(_ totals: Totals) -> String {
    let original = totals.ledger.original
    guard original > 0 else { return "0 bytes" }
    var rest = original
    var parts: [String] = []
    func add(_ octets: Int, _ words: String) {
      // A part is never larger than the rest, so that the parts add up for any input.
      let octets = min(octets, rest)
      guard octets > 0 else { return }
      rest -= octets
      parts.append("\(Numerals.grouped(octets)) \(words)")
    }
    let apis = totals.apis.reduce(0) { $0 + $1.ipLength }
    let opened = totals.apis.reduce(0) { $0 + $1.request.tunnel + $1.response.tunnel }
    add(apis - opened, "in APIs")
    add(opened, "in WebSockets and other tunnels of APIs")
    // Octets of a tunnel that are charged to no message are unattributed.
    let tunnels = min(max(totals.ledger[.tunnel] - opened, 0), figures.unattributed)
    add(tunnels, "in tunnels of no API")
    let closed = figures.closed
    let octets = closed.rows.values.reduce(closed.others.octets) { $0 + $1.octets }
    let count = closed.rows.count
    let hosts = closed.hasOthers ? "more than \(Numerals.grouped(count))" : Numerals.grouped(count)
    let kind =
      totals.ledger[.quic] == 0 ? "TLS" : totals.ledger[.tls] == 0 ? "QUIC" : "TLS and QUIC"
    add(octets, "of closed \(kind) to \(hosts) host\(count == 1 && !closed.hasOthers ? "" : "s")")
    add(totals.ledger[.link] + totals.ledger[.encapsulation], "of link headers")
    add(figures.openings, "to open and close connections")
    add(figures.open - apis - tunnels - figures.openings, "of connections, in no message")
    add(rest, totals.ledger[.udp] > 0 ? "of DNS and others" : "of others")
    return "\(Numerals.grouped(original)) bytes = " + parts.joined(separator: " + ")
  }
}
