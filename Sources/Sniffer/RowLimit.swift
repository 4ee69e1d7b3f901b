import SystemPackage
import Tabular

/// The default limit of the octets of rows in a run's reports (`--max-report`).
///
/// Usual reports are shorter than their capture. Captures made on purpose could give reports that fill the disk.
enum RowLimit {
  /// A multiple of the captures' length: a report of nothing but the shortest messages, in every format, is about that large.
  static let factor = 20
  /// An additional constant, so that short captures have every row.
  static let base = 1 << 30
  /// For captures of unknown length: pipes, and files that still grow.
  static let unknown = 16 << 30
  /// For a live run, in each hour.
  static let hourly = 4 << 30

  /// The limit for capture files on disk.
  static func standard(for captures: [String]) -> Int {
    var total = 0
    for path in captures {
      guard path != "-", let status = OpenFile.status(at: path), status.type == .regular else { return unknown }
      total = total.addingReportingOverflow(Int(status.size)).partialValue
    }
    return standard(for: total)
  }

  /// The limit for captures with `total` octets.
  static func standard(for total: Int) -> Int {
    let (product, overflows) = total.multipliedReportingOverflow(by: factor)
    return overflows || product > Int.max - base ? .max : product + base
  }
}
