import Foundation

/// The log as CSV (RFC 4180), lines ended by LF.
enum LogText {
  static let header = ProbeColumns.names.joined(separator: ",") + "\n"

  static func line(of record: TrafficRecord) -> String {
    let phases = record.phases
    let columns: [String] = [
      escaped(record.host), escaped(record.path), record.kind.rawValue, time(record.occurTime), "\(record.length)",
      "\(record.lineLength)", "\(record.headerLength)", "\(record.bodyLength)", escaped(record.method),
      record.status.map { "\($0)" } ?? "", record.queryLength.map { "\($0)" } ?? "",
      record.framingLength.map { "\($0)" } ?? "", "\(record.hop)", "\(record.exchange)", record.source.rawValue,
      record.unknown, escaped(record.error), escaped(record.contentType), record.endTime.map(time) ?? "",
      milliseconds(record.duration), milliseconds(phases.dns), milliseconds(phases.connect), milliseconds(phases.tls),
      milliseconds(phases.send), milliseconds(phases.wait), milliseconds(phases.receive), record.isPending ? "1" : "0",
      record.compressedLength.map { "\($0)" } ?? "",
    ]
    return columns.joined(separator: ",") + "\n"
  }

  /// Seconds with six digits after the point, independent of the locale.
  static func time(_ seconds: Double) -> String {
    guard seconds.isFinite, abs(seconds) < 1e12 else { return "0.000000" }
    let micros = Int64((seconds * 1e6).rounded())
    let fraction = String(abs(micros) % 1_000_000)
    return "\(micros / 1_000_000)." + String(repeating: "0", count: 6 - fraction.count) + fraction
  }

  /// Milliseconds with three digits after the point. Empty for nil, and for a negative number, which a clock that was set can
  /// cause.
  static func milliseconds(_ value: Double?) -> String {
    guard let value, value >= 0, value < 1e12 else { return "" }
    let micros = Int64((value * 1000).rounded())
    let fraction = String(micros % 1000)
    return "\(micros / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
  }

  /// Quotes a value where RFC 4180 demands it. Control characters become question marks, so that a row stays a line. No host,
  /// path or method of a sent request has them.
  static func escaped(_ text: String) -> String {
    let plain = String(text.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? "?" : Character($0) })
    guard plain.contains(where: { $0 == "," || $0 == "\"" }) else { return plain }
    return "\"" + plain.replacingOccurrences(of: "\"", with: "\"\"") + "\""
  }
}
