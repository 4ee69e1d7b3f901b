import Estimates
import Reports

/// Sentences about the part of the wire that an app's log covers, and about its ways to count, for the terminal and the page.
///
/// They may contain names of fields, which come from the wire and are not escaped.
struct VerifyCoverage {
  let verification: Verification
  let summary: VerificationSummary

  /// The compared messages and rows, and the others.
  var lines: [String] {
    let known = summary.matched.count + summary.rowsWithoutFigures
    var lines = [
      "the log knows \(Numerals.grouped(known)) of \(Numerals.grouped(summary.wireMessages)) messages of its hosts ("
        + Numerals.percent(known, of: summary.wireMessages) + "), \(Numerals.grouped(summary.matched.wire)) of "
        + "\(Numerals.grouped(summary.wireOctets)) bytes ("
        + Numerals.percent(summary.matched.wire, of: summary.wireOctets)
        + ")"
    ]
    func note(_ balance: VerificationSummary.Balance, _ words: String, _ octets: Int) {
      if balance.count > 0 {
        lines.append("\(words): \(Numerals.grouped(balance.count)), \(Numerals.grouped(octets)) bytes")
      }
    }
    note(summary.appOnly, "rows of the log without message on the wire", summary.appOnly.app)
    note(summary.wireOnly, "messages on the wire without row in the log", summary.wireOnly.wire)
    note(summary.otherHosts, "messages of hosts that the log does not name", summary.otherHosts.wire)
    note(
      summary.ambiguous, "rows that may be another message just as well, whose difference is not explained",
      abs(summary.ambiguous.difference))
    if summary.rowsWithoutFigures > 0 {
      lines.append(
        "rows with a message and without a figure of the whole: \(Numerals.grouped(summary.rowsWithoutFigures))")
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

  /// The warning that the comparison does not cover the whole capture; nil when it does.
  var warning: String? {
    verification.leftOut.map {
      "incomplete: messages of the capture that were too many to be compared: \(Numerals.grouped($0.count)), "
        + "\(Numerals.grouped($0.octets)) bytes. They are in no figure here; compare a part of the capture, or --filter it"
    }
  }

  /// The result of the comparison in one sentence; nil where one sentence is not enough.
  var verdict: String? {
    guard summary.matched.count > 0, summary.appOnly.count == 0, summary.unexplained == 0,
      summary.exactRows == summary.matched.count
    else { return nil }
    return "the log is exact: each figure of its \(Numerals.grouped(summary.matched.count)) rows is the wire's"
  }

  /// The durations of phases in words; empty when the log has none.
  var phases: [String] {
    summary.phases.map { phase in
      "\(phase.name): \(Self.milliseconds(phase.app)) ms in the log, \(Self.milliseconds(phase.wire)) ms on the wire, "
        + "difference \(Self.milliseconds(phase.difference)) ms, 95% within \(Self.milliseconds(phase.spread)) ms "
        + "(\(Numerals.grouped(phase.rows)) rows)"
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
          + "(fits exactly for \(Numerals.grouped(reading.rows)) rows\(misses)\(rivals))"
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
