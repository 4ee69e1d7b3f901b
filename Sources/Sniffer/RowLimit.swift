import Foundation

/// How many octets the rows of a run's reports may take where `--max-report` does not say it.
///
/// Usual reports are shorter than their capture. Those of captures that are made to give long ones would fill the disk.
enum RowLimit {
  /// Times the length of the captures: a report of nothing but the shortest messages, in every format, is of that order.
  static let factor = 20
  /// What is beside that, so that short captures have every row.
  static let base = 1 << 30
  /// Where a capture's length is not known: of pipes, and of files that still grow.
  static let unknown = 16 << 30
  /// Of a live run, in each hour.
  static let hourly = 4 << 30

  /// The limit for capture files, as long as they are on disk.
  static func standard(for captures: [String]) -> Int {
    var total = 0
    for path in captures {
      guard path != "-", let values = try? FileManager.default.attributesOfItem(atPath: path),
        values[.type] as? FileAttributeType == .typeRegular, let length = values[.size] as? Int
      else { return unknown }
      total = total.addingReportingOverflow(length).partialValue
    }
    return standard(for: total)
  }

  /// The limit for captures of so many octets.
  static func standard(for total: Int) -> Int {
    let (product, overflows) = total.multipliedReportingOverflow(by: factor)
    return overflows || product > Int.max - base ? .max : product + base
  }
}
