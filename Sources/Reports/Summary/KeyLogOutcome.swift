import HTTPReassembly
import Tabular

/// The outcome of the key logs of a run: how many secrets they have, and how many of those opened records.
public struct KeyLogOutcome {
  private let secrets: SecretTotals
  private let logs: [String]
  private let knowsUse: Bool

  /// The outcome of key logs.
  ///
  /// - Parameters:
  ///   - secrets: The secrets of the run.
  ///   - logs: The names of the logs, in their order.
  ///   - knowsUse: Whether the run itself opened the records. An analysis of partials did not.
  public init(_ secrets: SecretTotals, logs: [String], knowsUse: Bool = true) {
    self.secrets = secrets
    self.logs = logs
    self.knowsUse = knowsUse
  }

  /// A line for each log. The last one has the connections, too. There is a line for secrets in captures with `withCaptures`, and where they
  /// came too late.
  public func lines(withCaptures: Bool = false) -> [String] {
    var lines: [String] = []
    // The last counts stand for all further logs.
    let named = min(logs.count, secrets.logs.count)
    for index in 0..<named {
      let counts = secrets.logs[index]
      let rest = index == secrets.logs.count - 1 ? logs.count - named : 0
      let more = rest > 0 ? " and \(Numerals.grouped(rest)) more" : ""
      lines.append("\(TextEscaping.string(Array(logs[index].utf8)))\(more): \(finding(counts))")
    }
    let late = secrets.cameLate ? "; they came behind their packets" : ""
    if withCaptures || secrets.cameLate, secrets.captures.secrets + secrets.captures.repeated > 0 {
      lines.append("secrets in captures: \(finding(secrets.captures))\(late)")
    }
    guard !lines.isEmpty else { return [] }
    lines[lines.count - 1] += "; \(connections)"
    return lines
  }

  private func finding(_ counts: SecretCounts) -> String {
    if counts.secrets == 0 {
      if counts.octets == 0 { return "it is empty" }
      return counts.repeated > 0
        ? "no secret that is not known from elsewhere" : "no line with a secret can be read in it"
    }
    let number = "\(Numerals.grouped(counts.secrets)) \(counts.secrets == 1 ? "secret" : "secrets")"
    guard knowsUse else { return number }
    guard counts.used == 0 else { return "\(number), \(Numerals.grouped(counts.used)) used" }
    return "\(number), none \(secrets.cameLate ? "used" : "fits")"
  }

  private var connections: String {
    let openings = secrets.openings
    guard openings.connections > 0 else { return "no TLS connection with data" }
    let noun = openings.connections == 1 ? "connection" : "connections"
    let partly = openings.openedPartly > 0 ? ", \(Numerals.grouped(openings.openedPartly)) more in part" : ""
    return "\(Numerals.grouped(openings.opened)) of \(Numerals.grouped(openings.connections)) \(noun) opened\(partly)"
  }
}
