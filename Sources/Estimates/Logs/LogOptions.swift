import Foundation

/// How a log is to be read, where its content does not say it.
public struct LogOptions: Sendable {
  /// The format; nil tells it from the content.
  public var format: LogFormat?
  /// What the columns of a CSV file or a table are called.
  public var columns = LogColumns()
  /// The table of an SQLite file; nil takes the only one that has the columns.
  public var table: String?
  /// The unit of times that are plain numbers.
  public var timeUnit = LogTimeUnit.automatic
  /// The zone of times that name none.
  public var timeZone = TimeZone.gmt
  /// Rows, entries or transactions that are read at most; more is an error.
  public var rowLimit = 2_000_000
  /// Octets that a JSON file may have. JSON is read whole: the peak of memory is about 1.2 times a HAR with contents,
  /// but up to 25 times a file that is made of nothing but small numbers.
  public var jsonLimit = 1 << 29

  /// Everything told from the content, times without zone in UTC.
  public init() {}
}

/// The formats of logs.
public enum LogFormat: String, Sendable, CaseIterable {
  /// Text of RFC 4180 with a header row.
  case csv
  /// An SQLite 3 database.
  case sqlite
  /// HAR 1.1 or 1.2.
  case har
  /// Task metrics of URLSession, as JSON.
  case urlSessionMetrics = "urlsession_metrics"
  /// What curl writes with `-w '%{json}\n'`: a JSON object on each line.
  case curl
  /// What Chrome writes with `--log-net-log`.
  case netlog
}

/// What a time that is a plain number counts.
public enum LogTimeUnit: String, Sendable, CaseIterable {
  /// Told from the magnitude of each: the units' ranges do not overlap for the years 2009 to 2199. Below 1.23e9 it
  /// counts seconds since 2001 (until 2039), then seconds, milliseconds, microseconds and nanoseconds since 1970.
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
