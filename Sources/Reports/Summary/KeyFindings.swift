import HTTPReassembly
import Tabular

/// The TLS connections that were opened, their secrets, and why the rest cannot be opened.
///
/// Each opened connection has a line. The others of one host that lack the same have one line together.
/// It contains no secret. Text from the wire is escaped.
public struct KeyFindings: ReportSink {
  /// The largest number of lines of either kind: more than people read.
  static let limit = 65_536

  private struct Line {
    var number: Int
    /// Connections that the line stands for.
    var connections = 1
    var host: String
    var version: String
    var suite: String
    var opening: TLSOpening
    var finding: Finding

    /// The other connections of the line in words; empty without any.
    var more: String { connections > 1 ? " and \(Numerals.grouped(connections - 1)) more" : "" }
  }

  /// The facts that closed connections of one line share.
  private struct Group: Hashable {
    var host: String
    var opening: TLSOpening
    var finding: Finding
  }

  /// The finding in words. The first octets of a random may stand between them.
  private struct Finding: Hashable {
    var text: String
    var random: UInt32?
    var rest = ""
  }

  private let redaction: Redaction?
  private var lines: [Line] = []
  private var closed: [Group: Line] = [:]
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
    let name = texts.octets(security.serverName)
    let host = redaction?.host(name) ?? name
    let line = Line(
      number: connection.number, host: TextEscaping.string(host), version: security.versionName,
      suite: security.suiteName ?? "", opening: security.opening, finding: Self.finding(security))
    if security.opening == .no || security.opening == .partly {
      add(closed: line)
    } else if lines.count < Self.limit {
      lines.append(line)
    } else {
      leftOut += 1
    }
  }

  private mutating func add(closed line: Line) {
    var group = Group(host: line.host, opening: line.opening, finding: line.finding)
    group.finding.random = nil
    guard var known = closed[group] else {
      if closed.count < Self.limit { closed[group] = line } else { leftOut += 1 }
      return
    }
    known.connections += 1
    if line.number < known.number {
      known.number = line.number
      known.finding = line.finding
    }
    if known.version != line.version { known.version = "" }
    if known.suite != line.suite { known.suite = "" }
    closed[group] = known
  }

  private static func finding(_ security: ConnectionSecurity) -> Finding {
    let labels = security.secrets.labels.joined(separator: " ")
    switch security.opening {
    case .yes: return Finding(text: "opened with \(labels)")
    case .none where labels.isEmpty: return Finding(text: "nothing to open")
    case .none: return Finding(text: "nothing to open; there is \(labels)")
    case .no, .partly: break
    }
    if !labels.isEmpty, security.suite == nil { return Finding(text: "no ServerHello; there is \(labels)") }
    if !labels.isEmpty, !security.isSuiteOpened { return Finding(text: "suite is not opened; there is \(labels)") }
    if !labels.isEmpty {
      // Each direction has a secret of its own for its data.
      let needed = security.version >= 0x0304 ? ["CLIENT_TRAFFIC_SECRET_0", "SERVER_TRAFFIC_SECRET_0"] : []
      let lacking = needed.filter { !security.secrets.labels.contains($0) }
      return Finding(
        text: "opened in part, or not: there is \(labels)"
          + (lacking.isEmpty ? "" : ", and no \(lacking.joined(separator: " and no "))"))
    }
    guard let random = security.clientRandomStart else { return Finding(text: "no ClientHello") }
    var finding = Finding(text: "no secret in the key log", random: random)
    if security.hasEncryptedHello {
      finding.rest = ", nor one that fits for its encrypted hello (ECH)"
    } else if security.isResumed == true {
      finding.rest =
        security.version >= 0x0304
        ? "; its session is resumed, which the first one's lines do not open" : ", nor for the session that is resumed"
    }
    return finding
  }

  private static func text(_ line: Line) -> String {
    guard let random = line.finding.random else { return line.finding.text }
    let digits = String(random, radix: 16)
    let zeros = String(repeating: "0", count: 8 - digits.count)
    return "\(line.finding.text) (client random \(zeros)\(digits)…\(line.more))\(line.finding.rest)"
  }

  /// The table, fitted to the terminal if the stream is one. Ends with a line break.
  public func text(for terminal: Terminal) -> String {
    guard !lines.isEmpty || !closed.isEmpty else { return "No TLS connections.\n" }
    var table = TextTable(columns: [
      .init(title: "connection"), .init(title: "server name", isRight: false, minimum: 12),
      .init(title: "version", isRight: false, importance: 1),
      .init(title: "suite", isRight: false, minimum: 8, importance: 0),
      .init(title: "opened", isRight: false), .init(title: "secrets", isRight: false, minimum: 24),
    ])
    func add(_ line: Line, _ style: Style) {
      table.rows.append(
        (
          ["\(line.number)\(line.more)", line.host, line.version, line.suite, line.opening.name, Self.text(line)], style
        ))
    }
    for line in lines.sorted(by: { $0.number < $1.number }) { add(line, .plain) }
    for line in closed.values.sorted(by: { ($0.host, $0.number) < ($1.host, $1.number) }) { add(line, .warning) }
    var text = table.lines(width: terminal.textWidth, colour: terminal.takesColour)
    if leftOut > 0 { text.append("… and \(Numerals.grouped(leftOut)) more connections") }
    return text.joined(separator: "\n") + "\n\n"
  }
}
