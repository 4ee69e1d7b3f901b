import HTTPReassembly
import Tabular

/// The TLS connections that were opened, their secrets, and why the rest cannot be opened: a line for each.
///
/// It contains no secret. Text from the wire is escaped.
public struct KeyFindings: ReportSink {
  /// The largest number of listed connections: more than people read.
  static let limit = 65_536

  private struct Line {
    var number: Int
    var cells: [String]
    var style: Style
  }

  private let redaction: Redaction?
  private var lines: [Line] = []
  private var leftOut = 0

  /// No findings yet.
  public init(redaction: Redaction? = nil) { self.redaction = redaction }

  /// Messages have no facts about keys.
  public mutating func message(_ message: Message, texts: borrowing TextPool) throws(Never) {}
  /// Exchanges have no facts about keys.
  public mutating func exchange(_ exchange: Exchange, texts: borrowing TextPool) throws(Never) {}

  /// Keeps the facts about a connection's keys.
  public mutating func connection(_ connection: Connection, texts: borrowing TextPool) throws(Never) {
    guard let security = connection.security else { return }
    guard lines.count < Self.limit else {
      leftOut += 1
      return
    }
    let name = texts.octets(security.serverName)
    let host = redaction?.host(name) ?? name
    lines.append(
      Line(
        number: connection.number,
        cells: [
          "\(connection.number)", TextEscaping.string(host), security.versionName, security.suiteName ?? "",
          security.opening.name, Self.finding(security),
        ], style: security.opening == .no || security.opening == .partly ? .warning : .plain))
  }

  /// The finding in words.
  private static func finding(_ security: ConnectionSecurity) -> String {
    let labels = security.secrets.labels.joined(separator: " ")
    switch security.opening {
    case .yes: return "opened with \(labels)"
    case .none where labels.isEmpty: return "nothing to open"
    case .none: return "nothing to open; there is \(labels)"
    case .no, .partly: break
    }
    if !labels.isEmpty, !security.isSuiteOpened { return "suite is not opened; there is \(labels)" }
    if !labels.isEmpty {
      // Each direction has a secret of its own for its data.
      let needed = security.version >= 0x0304 ? ["CLIENT_TRAFFIC_SECRET_0", "SERVER_TRAFFIC_SECRET_0"] : []
      let lacking = needed.filter { !security.secrets.labels.contains($0) }
      return "opened in part, or not: there is \(labels)"
        + (lacking.isEmpty ? "" : ", and no \(lacking.joined(separator: " and no "))")
    }
    guard let random = security.clientRandomStart else { return "no ClientHello" }
    let digits = String(random, radix: 16)
    let text = "no secret in the key log (client random \(String(repeating: "0", count: 8 - digits.count))\(digits)…)"
    if security.hasEncryptedHello { return text + ", nor one that fits for its encrypted hello (ECH)" }
    guard security.isResumed == true else { return text }
    return text
      + (security.version >= 0x0304
        ? "; its session is resumed, which the first one's lines do not open"
        : ", nor for the session that is resumed")
  }

  /// The table, fitted to the terminal if the stream is one. Ends with a line break.
  public func text(for terminal: Terminal) -> String {
    guard !lines.isEmpty else { return "No TLS connections.\n" }
    var table = TextTable(columns: [
      .init(title: "connection"), .init(title: "server name", isRight: false, minimum: 12),
      .init(title: "version", isRight: false, importance: 1),
      .init(title: "suite", isRight: false, minimum: 8, importance: 0),
      .init(title: "opened", isRight: false), .init(title: "secrets", isRight: false, minimum: 24),
    ])
    for line in lines.sorted(by: { $0.number < $1.number }) { table.rows.append((line.cells, line.style)) }
    var text = table.lines(width: terminal.textWidth, colour: terminal.takesColour)
    if leftOut > 0 { text.append("… and \(Numerals.grouped(leftOut)) more connections") }
    return text.joined(separator: "\n") + "\n\n"
  }
}
