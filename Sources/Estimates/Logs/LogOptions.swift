import Foundation

/// Facts for the reader of a log that its content does not tell.
public struct LogOptions: Sendable {
  /// The format; nil detects it from the content.
  public var format: LogFormat?
  /// The names of columns in a CSV file or a table.
  public var columns = LogColumns()
  /// The table of an SQLite file; nil takes the only table that has the columns.
  public var table: String?
  /// The unit of times that are plain numbers.
  public var timeUnit = LogTimeUnit.automatic
  /// The zone of times that name none.
  public var timeZone = TimeZone.gmt
  /// The largest number of rows, entries or transactions; more is an error.
  public var rowLimit = 2_000_000
  /// Octets of memory that all rows may take; more is an error. They are all that is kept of a log.
  public var memoryLimit = 1 << 30

  /// Detects everything from the content, and takes times without zone as UTC.
  public init() {}

  /// Throws if a log has more rows than it may have.
  func admit(_ count: Int, _ rows: @autoclosure () -> String = "rows", of file: String) throws(LogError) {
    guard count <= rowLimit else { throw LogError(file: file, "has more than \(rowLimit) \(rows()); split it") }
  }
}

/// The formats of logs.
public enum LogFormat: String, Sendable, CaseIterable {
  /// Text of RFC 4180 with a header row.
  case csv
  /// An SQLite 3 database.
  case sqlite
  /// JSON objects, a row each: in an array, or one a line.
  case json
  /// HAR 1.1 or 1.2.
  case har
  /// Task metrics of URLSession, as JSON.
  case urlSessionMetrics = "urlsession_metrics"
  /// The output of curl for `-w '%{json}\n'`: a JSON object on each line.
  case curl
  /// The file that Chrome writes for `--log-net-log`.
  case netlog
}

/// The unit of a time that is a plain number.
public enum LogTimeUnit: String, Sendable, CaseIterable {
  /// Detected from the magnitude of each number: the units' ranges do not overlap for the years 2009 to 2199. Below 1.23e9 a
  /// number counts seconds since 2001 (until 2039). Larger numbers count seconds, milliseconds, microseconds and nanoseconds
  /// since 1970.
  case automatic
  /// Seconds since 1970.
  case seconds
  /// Milliseconds since 1970.
  case milliseconds
  /// Microseconds since 1970.
  case microseconds
  /// Nanoseconds since 1970.
  case nanoseconds
  /// Seconds since 2001-01-01T00:00:00Z, Apple's reference date.
  case referenceSeconds = "reference_seconds"
}
