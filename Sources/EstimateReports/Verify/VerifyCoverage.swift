import Estimates
import Reports
import Tabular

/// Sentences about the part of the wire that an app's log covers, and about its ways to count, for the terminal and the page.
///
/// They may contain names of fields, which come from the wire and are not escaped.
struct VerifyCoverage {
  let verification: Verification
  let summary: VerificationSummary

  /// The compared messages and rows, and the others.
  var lines: [String] {
    let known = summary.matched.count + summary.rowsWithoutFigures
    var lines =
      summary.wireMessages == 0
      ? ["the wire has no message of the log's hosts"]
      : [
        "the log knows \(Numerals.grouped(known)) of \(Numerals.grouped(summary.wireMessages)) messages of its hosts ("
          + Numerals.percent(known, of: summary.wireMessages) + "), \(Numerals.grouped(summary.matched.wire)) of "
          + "\(Numerals.grouped(summary.wireOctets)) bytes ("
          + Numerals.percent(summary.matched.wire, of: summary.wireOctets)
          + ")"
      ]
    if let leg = verification.leg {
      let (other, side) = leg.leg == .client ? ("server", "client's") : ("client", "server's")
      lines.insert(
        "the capture has both sides of a proxy: the log is compared with the \(side)\(leg.isChosen ? "" : ", which fits"). "
          + "\(Numerals.grouped(leg.leftOut)) messages of the other are left out (--leg \(other) takes them)", at: 0)
    }
    func note(_ balance: VerificationSummary.Balance, _ words: String, _ octets: Int) {
      if balance.count > 0 {
        lines.append("\(words): \(Numerals.grouped(balance.count)), \(Numerals.grouped(octets)) bytes")
      }
    }
    note(
      summary.appOnly, "messages of the log's \(verification.rowNoun.more) that are not on the wire",
      summary.appOnly.app)
    note(summary.wireOnly, "messages on the wire that the log lacks", summary.wireOnly.wire)
    note(summary.otherHosts, "messages of hosts that the log does not name", summary.otherHosts.wire)
    note(
      summary.ambiguous, "messages that may be another one just as well, whose difference is not explained",
      abs(summary.ambiguous.difference))
    if summary.rowsWithoutFigures > 0 {
      lines.append(
        "messages without a figure of the whole, which are in no sum of whole messages: "
          + Numerals.grouped(summary.rowsWithoutFigures))
    }
    if summary.compressed != 0 || summary.frames != 0 {
      let versions = Set(verification.rows.lazy.compactMap(\.message).filter(\.isEncoded).map(\.version)).sorted()
      let fields =
        summary.compressed == 0
        ? "fields as encoded"
        : "text; field compression saved \(Numerals.grouped(summary.compressed)) bytes"
      lines.append(
        "\(versions.joined(separator: ", ")): the wire's figures are those of the \(fields), and frame headers took "
          + Numerals.grouped(summary.frames))
    }
    lines.append(
      "never visible to an app: \(Numerals.grouped(summary.invisible)) bytes of TCP/IP headers and retransmissions")
    if let clock = verification.clock {
      let offset = clock.offset
      let drift = clock.drift == 0 ? "" : ", and gains \(Self.drift(clock.drift)) ms an hour on it"
      lines.append("clocks: the log is \(Self.duration(offset)) the capture\(drift)")
      if let zone = Self.timeZone(offset) {
        lines.append("that is about \(zone): the log's times look like local times that were read as UTC")
      }
    }
    return lines
  }

  /// The warnings that the comparison does not cover the whole capture.
  var warnings: [String] {
    var warnings: [String] = []
    if let closed { warnings.append(closed) }
    if let leftOut = verification.leftOut {
      warnings.append(
        "incomplete: messages of the capture that were too many to be compared: \(Numerals.grouped(leftOut.count)), "
          + "\(Numerals.grouped(leftOut.octets)) bytes. They are in no figure here; compare a part of the capture, or "
          + "--filter it")
    }
    return warnings
  }

  /// The sentence about connections of TLS that were not opened; nil without any.
  private var closed: String? {
    guard !verification.closed.isEmpty else { return nil }
    // The log's own hosts come first: other apps' connections matter less.
    let named = verification.closedHosts
    let hosts = verification.closed.sorted { a, b in
      let (mine, other) = (named.contains(a.key), named.contains(b.key))
      if mine != other { return mine }
      return a.value == b.value ? a.key < b.key : a.value > b.value
    }
    let count = hosts.reduce(0) { $0 + $1.value }
    let names = hosts.prefix(Self.closedLimit).map {
      "\($0.key.isEmpty ? "a server without a name" : $0.key) (\(Numerals.grouped($0.value)))"
    }
    return
      "closed: \(Numerals.grouped(count)) connection\(count == 1 ? "" : "s") of TLS to \(names.joined(separator: ", "))"
      + "\(hosts.count > Self.closedLimit ? " and others" : ""). Their messages are in no figure here. Give the key log: "
      + "--keys FILE"
  }

  /// The largest number of closed hosts that a warning names.
  private static let closedLimit = 5

  /// The matched messages by part and kind.
  var balances: [(name: String, balance: VerificationSummary.Balance)] {
    [
      ("start-lines", summary.lines), ("header sections", summary.headers), ("bodies", summary.bodies),
      ("requests", summary.requests), ("responses", summary.responses), ("all", summary.matched),
    ].filter { $0.1.count > 0 }
  }

  /// The result of the comparison in a few sentences.
  var verdict: String {
    if isExact {
      let others = summary.rowsWithoutFigures
      return "The log is exact: each figure of its \(Numerals.grouped(summary.matched.count)) messages is the wire's."
        + (others == 0 ? "" : " Of \(Numerals.grouped(others)) more it has no figure.")
    }
    guard summary.matched.count + summary.rowsWithoutFigures > 0 else { return found }
    if areRowsExact {
      let missed = Numerals.grouped(summary.missed.count) + " other message" + (summary.missed.count == 1 ? "" : "s")
      let matched = Numerals.grouped(summary.matched.count)
      return "\(difference) Each figure of its \(matched) messages is the wire's, but it lacks \(missed) of its hosts."
    }
    return [difference, found, explained, unexplained].compactMap { $0 }.joined(separator: " ")
  }

  /// Whether each figure of the log is the wire's, and it lacks at most a hundredth of the messages and bytes of its hosts that an app
  /// could see: a transfer that failed may have no row.
  var isExact: Bool {
    areRowsExact && summary.missed.count <= summary.wireMessages / 100
      && summary.missed.wire <= summary.wireOctets / 100
  }

  private var areRowsExact: Bool {
    summary.matched.count > 0 && summary.appOnly.count == 0 && summary.unexplained == 0
      && summary.exactRows == summary.matched.count
  }

  private var difference: String {
    func words(_ share: Double) -> String {
      let text = VerifyText.percentage(abs(share)).drop { $0 == "+" }
      return text == "0.00%" ? "equal to" : "\(text) \(share > 0 ? "above" : "below")"
    }
    if let bias = summary.bias { return "The app's log is \(words(bias)) the wire." }
    guard let bias = summary.partsBias else { return "The log has no figure to compare." }
    return "The log has no figure of whole messages. Its figures of parts are \(words(bias)) the wire's."
  }

  private var found: String {
    var rows: Set<Int> = []
    var paired: Set<Int> = []
    for row in verification.rows {
      guard let entry = row.entry else { continue }
      rows.insert(entry.row)
      if row.message != nil { paired.insert(entry.row) }
    }
    return "\(Numerals.percent(paired.count, of: rows.count)) of the log's \(Numerals.grouped(rows.count)) "
      + "\(verification.rowNoun.more) \(rows.count == 1 ? "was" : "were") found on the wire."
  }

  /// The share that the largest causes have in all differences, signs removed; nil without causes.
  private var explained: String? {
    let octets = summary.causes.map { Int(clamping: $0.cause.octets.magnitude) }.filter { $0 > 0 }
    let all = octets.reduce(summary.unexplained, Self.sum)
    guard let first = octets.first else { return nil }
    var count = 1
    var part = first
    while count < min(octets.count, Self.numbers.count), Double(part) < Double(all) * 0.95 {
      part = Self.sum(part, octets[count])
      count += 1
    }
    return "\(Self.numbers[count - 1]) \(Numerals.percent(part, of: all)) of the difference."
  }

  private static let numbers = [
    "One cause gives", "Two causes give", "Three causes give", "Four causes give", "Five causes give",
  ]

  private static func sum(_ a: Int, _ b: Int) -> Int {
    let (sum, overflow) = a.addingReportingOverflow(b)
    return overflow ? .max : sum
  }

  /// The rows without an explanation; nil where nothing was compared.
  private var unexplained: String? {
    let rows = summary.unexplainedRows
    guard summary.hasFigures else { return nil }
    guard !rows.isEmpty else { return "Every difference is explained." }
    var numbers: [Int] = []
    for number in rows.compactMap({ $0.entry?.row }) where numbers.last != number { numbers.append(number) }
    let noun = numbers.count == 1 ? verification.rowNoun.one : verification.rowNoun.more
    let shown = numbers.prefix(10).map { "\($0)" }.joined(separator: ", ")
    return "\(Numerals.grouped(rows.count)) \(rows.count == 1 ? "message is" : "messages are") unexplained: "
      + "\(noun) \(shown)\(numbers.count > 10 ? ", …" : "")."
  }

  /// The remedies of the causes in words, a line for each remedy.
  var remedies: [String] {
    var names: [(remedy: String, causes: [String])] = []
    for total in summary.causes.prefix(Self.remedyLimit) {
      guard let remedy = total.cause.kind.remedy else { continue }
      if let known = names.firstIndex(where: { $0.remedy == remedy }) {
        names[known].causes.append(total.cause.name)
      } else {
        names.append((remedy, [total.cause.name]))
      }
    }
    return names.map { "\($0.causes.joined(separator: ", ")): \($0.remedy)" }
  }

  /// The largest number of causes whose remedies are shown.
  private static let remedyLimit = 20

  /// The figures without a cause of the first messages that have any.
  func unexplainedFigures(_ redaction: Redaction?) -> [UnexplainedFigure] {
    summary.unexplainedRows.prefix(Self.unexplainedLimit).flatMap { UnexplainedFigure.all($0, redaction) }
  }

  /// The largest number of messages without a cause that are shown one by one.
  private static let unexplainedLimit = 10

  /// The durations of phases in words; empty when the log has none.
  var phases: [String] {
    summary.phases.map { phase in
      "\(phase.name): \(Self.milliseconds(phase.app)) ms in the log, \(Self.milliseconds(phase.wire)) ms on the wire, "
        + "difference \(Self.milliseconds(phase.difference)) ms, 95% within \(Self.milliseconds(phase.spread)) ms "
        + "(\(Numerals.grouped(phase.rows)) exchanges)"
    }
  }

  /// Milliseconds with three decimals.
  private static func milliseconds(_ nanoseconds: Int64) -> String {
    let micros = Int((Double(nanoseconds) / 1000).rounded()).magnitude
    let sign = nanoseconds < 0 && micros > 0 ? "-" : ""
    return "\(sign)\(micros / 1000).\(String(1000 + micros % 1000).dropFirst())"
  }

  /// Converts nanoseconds a second to milliseconds an hour.
  private static func drift(_ drift: Double) -> String {
    let tenths = Int((drift * 3600 / 1e5).rounded())
    return "\(tenths < 0 ? "-" : "")\(tenths.magnitude / 10).\(tenths.magnitude % 10)"
  }

  /// The ways in which the app seems to count; empty when too few rows bear any out.
  var readings: [String] {
    func lines(_ kind: String, _ readings: [BestReading]) -> [String] {
      readings.map { reading in
        let misses = reading.misses == 0 ? "" : ", not for \(Numerals.grouped(reading.misses))"
        let rivals = reading.rivals == 0 ? "" : "; \(reading.rivals) other ways to count fit as many"
        return "\(kind) \(reading.figure)\(reading.isFurther ? ", of the others" : ""): \(reading.description) "
          + "(fits exactly for \(Numerals.grouped(reading.rows)) messages\(misses)\(rivals))"
      }
    }
    return lines("request", verification.requestReadings) + lines("response", verification.responseReadings)
  }

  /// A duration with its direction, as in "1.250 s ahead of" or "behind".
  private static func duration(_ nanoseconds: Int64) -> String {
    let milliseconds = Int(nanoseconds.magnitude / 1_000_000)
    let seconds = milliseconds / 1000
    let rest = String(1000 + milliseconds % 1000).dropFirst()
    let text =
      seconds < 3600 ? "\(seconds).\(rest) s" : "\(seconds / 3600) h \(seconds / 60 % 60) min \(seconds % 60).\(rest) s"
    return milliseconds == 0 ? "in step with" : text + (nanoseconds > 0 ? " ahead of" : " behind")
  }

  /// The zone for a whole number of quarters of an hour up to 14 h. Local times that are read as UTC are off by that much.
  private static func timeZone(_ nanoseconds: Int64) -> String? {
    let seconds = Double(nanoseconds) / 1e9
    let quarters = (seconds / 900).rounded()
    guard quarters != 0, abs(quarters) <= 56, abs(seconds - quarters * 900) < 120 else { return nil }
    let minutes = Int(abs(quarters)) * 15
    return "UTC\(quarters > 0 ? "+" : "-")\(minutes / 60)" + (minutes % 60 == 0 ? "" : ":\(minutes % 60)")
  }
}
