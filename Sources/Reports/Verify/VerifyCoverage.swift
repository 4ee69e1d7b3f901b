import Estimates

/// How much of the wire an app's log knows, and how it seems to count, in sentences: for the terminal and for the page.
///
/// There may be names of fields in them, which are from the wire and not escaped.
struct VerifyCoverage {
  let verification: Verification
  let summary: VerificationSummary

  /// What was compared, and what was not.
  var lines: [String] {
    let known = summary.matched.count + summary.rowsWithoutFigures
    var lines = [
      "the log knows \(Summary.grouped(known)) of \(Summary.grouped(summary.wireMessages)) messages of its hosts ("
        + Summary.percent(known, of: summary.wireMessages) + "), \(Summary.grouped(summary.matched.wire)) of "
        + "\(Summary.grouped(summary.wireOctets)) bytes ("
        + Summary.percent(summary.matched.wire, of: summary.wireOctets)
        + ")"
    ]
    func note(_ balance: VerificationSummary.Balance, _ words: String, _ octets: Int) {
      if balance.count > 0 {
        lines.append("\(words): \(Summary.grouped(balance.count)), \(Summary.grouped(octets)) bytes")
      }
    }
    note(summary.appOnly, "rows of the log without message on the wire", summary.appOnly.app)
    note(summary.wireOnly, "messages on the wire without row in the log", summary.wireOnly.wire)
    note(summary.otherHosts, "messages of hosts that the log does not name", summary.otherHosts.wire)
    lines.append(
      "never visible to an app: \(Summary.grouped(summary.invisible)) bytes of TCP/IP headers and retransmissions")
    if let offset = verification.clockOffset {
      lines.append("clocks: the log is \(Self.duration(offset)) the capture")
      if let zone = Self.timeZone(offset) {
        lines.append("that is about \(zone): the log's times look like local times that were read as UTC")
      }
    }
    return lines
  }

  /// That the comparison is not one of the whole capture; nil when it is.
  var warning: String? {
    verification.leftOut.map {
      "incomplete: messages of the capture that were too many to be compared: \(Summary.grouped($0.count)), "
        + "\(Summary.grouped($0.octets)) bytes. They are in no figure here; compare a part of the capture, or --filter it"
    }
  }

  /// How the app seems to count; empty when nothing could be compared.
  var readings: [String] {
    func lines(_ kind: String, _ readings: [BestReading]) -> [String] {
      readings.map {
        "\(kind) \($0.figure): \($0.description) (\(Summary.grouped($0.rows)) rows)"
      }
    }
    return lines("request", verification.requestReadings) + lines("response", verification.responseReadings)
  }

  /// "1.250 s ahead of" or "behind".
  private static func duration(_ nanoseconds: Int64) -> String {
    let milliseconds = Int(nanoseconds.magnitude / 1_000_000)
    let seconds = milliseconds / 1000
    let rest = String(1000 + milliseconds % 1000).dropFirst()
    let text =
      seconds < 3600 ? "\(seconds).\(rest) s" : "\(seconds / 3600) h \(seconds / 60 % 60) min \(seconds % 60).\(rest) s"
    return milliseconds == 0 ? "in step with" : text + (nanoseconds > 0 ? " ahead of" : " behind")
  }

  /// A whole number of quarters of an hour up to 14 h, as zones are: read as UTC, local times are off by that much.
  private static func timeZone(_ nanoseconds: Int64) -> String? {
    let seconds = Double(nanoseconds) / 1e9
    let quarters = (seconds / 900).rounded()
    guard quarters != 0, abs(quarters) <= 56, abs(seconds - quarters * 900) < 120 else { return nil }
    let minutes = Int(abs(quarters)) * 15
    return "UTC\(quarters > 0 ? "+" : "-")\(minutes / 60)" + (minutes % 60 == 0 ? "" : ":\(minutes % 60)")
  }
}
