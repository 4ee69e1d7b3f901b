import Estimates
import Foundation

// Logs of apps, as `verify` reads them: a log is read or refused in one line, it is not changed, and its rows do not depend on
// where its octets lie in the file.
//
// Input: the unit of times, how far the content is moved, the content.
extension FuzzTarget {
  /// A monitor's table as CSV.
  package static let csvLog = log("csv", .csv, longestInput: 2048)
  /// A monitor's table in an SQLite database. SQLite's own code is not instrumented.
  package static let sqliteLog = log("sqlite", .sqlite, longestInput: 6144)
  /// A monitor's table as JSON.
  package static let jsonLog = log("json", .json, longestInput: 2048)
  /// HAR in the dialects of its producers.
  package static let harLog = log("har", .har, longestInput: 4096)
  /// Task metrics of URLSession.
  package static let metricsLog = log("metrics", .urlSessionMetrics, longestInput: 4096)

  /// What curl writes, a line a transfer.
  package static let curlLog = log("curl", .curl, longestInput: 4096)
  /// Chrome's log of its network stack.
  package static let netlogLog = log("netlog", .netlog, longestInput: 8192)

  private static func log(_ name: String, _ format: LogFormat, longestInput: Int) -> FuzzTarget {
    FuzzTarget(name, longestInput: longestInput) { input in
      var input = InputOctets(input)
      var options = LogOptions()
      let units = LogTimeUnit.allCases
      options.timeUnit = units[Int(input.next()) % units.count]
      let distance = input.next16() % 8192
      let content = input.rest()
      var guessing = options
      options.format = format
      let asked = LogReading(content, options)
      if let fault = asked.fault { return fault }
      guessing.format = nil
      let guessed = LogReading(content, guessing)
      if let fault = guessed.fault { return "with its format told from its content: \(fault)" }
      if let log = guessed.log, guessed.log?.dialect == asked.log?.dialect, log != asked.log {
        return "told from its content, it is \(log), not \(asked.text)"
      }
      guard let log = asked.log, let moved = content.moved(by: distance, format) else { return nil }
      let reading = LogReading(moved.content, options)
      let expected = log.moved(by: moved.lines)
      return reading.log == expected ? nil : "moved by \(distance), it is \(reading.text), not \(expected)"
    }
  }
}

/// What was read of one log.
private struct LogReading {
  var log: ReadLog?
  var text: String
  var fault: String?

  init(_ content: [UInt8], _ options: LogOptions) {
    (log, text, fault) = InputFile.withFile(content) { path in
      defer {
        for suffix in ["-journal", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
      }
      do throws(LogError) {
        let read = try LogReader(options: options).read(path)
        return (ReadLog(read), "\(read)", Self.fault(read, content) ?? Self.fault(path, content))
      } catch {
        return (nil, error.description, Self.fault(error, path) ?? Self.fault(path, content))
      }
    }
  }

  private static func fault(_ log: AppLog, _ content: [UInt8]) -> String? {
    if log.entries.isEmpty { return "no row, and no error" }
    // An SQLite index of a few octets can name a row; each other format needs octets for each.
    if log.entries.count > content.count { return "\(log.entries.count) rows of \(content.count) octets" }
    for entry in log.entries {
      let lengths = [entry.length, entry.lineLength, entry.headerLength, entry.bodyLength, entry.decodedLength]
      if lengths.contains(where: { ($0 ?? 0).magnitude > 1 << 42 }) { return "a length beyond all: \(entry)" }
      if entry.host.isEmpty { return "a row without a host: \(entry)" }
      if let query = entry.queryLength, query < 0 || query > content.count { return "a query of \(query) octets" }
    }
    return nil
  }

  private static func fault(_ error: LogError, _ path: String) -> String? {
    guard error.description.hasPrefix("\(path): ") else { return "an error that does not name the file: \(error)" }
    return error.description.utf8.count > 4000 ? "an error of \(error.description.utf8.count) octets" : nil
  }

  /// A log is somebody else's: neither it nor its folder may be changed.
  private static func fault(_ path: String, _ content: [UInt8]) -> String? {
    guard let now = try? Data(contentsOf: URL(fileURLWithPath: path)), now.elementsEqual(content) else {
      return "the log was changed"
    }
    let added = ["-journal", "-wal", "-shm"].filter { FileManager.default.fileExists(atPath: path + $0) }
    return added.isEmpty ? nil : "the log has got \(added)"
  }
}

/// A log, to be compared.
private struct ReadLog: Equatable {
  var dialect: LogDialect
  var entries: [LogEntry]
  var notices: [String]

  init(_ log: AppLog) {
    dialect = log.dialect
    entries = log.entries
    notices = log.notices
  }

  /// The same log with so many lines before its first row.
  func moved(by lines: Int) -> ReadLog {
    var log = self
    for index in log.entries.indices { log.entries[index].row += lines }
    return log
  }
}

extension [UInt8] {
  /// The same log further behind in its file, so that what is read at once ends elsewhere; nil where a format has no place for
  /// octets that mean nothing.
  fileprivate func moved(by distance: Int, _ format: LogFormat) -> (content: [UInt8], lines: Int)? {
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    switch format {
    case .har, .urlSessionMetrics, .netlog, .json:
      guard !starts(with: mark) else { return nil }
      return (mark + Array(repeating: 0x20, count: distance) + self, 0)
    case .csv:
      // Empty lines behind the header are passed over; the header is its first line, if nothing is quoted.
      guard let end = firstIndex(of: 0x0a), !self[..<end].contains(UInt8(ascii: "\"")), end > 3 else { return nil }
      return (self[...end] + Array(repeating: 0x0a, count: distance) + self[(end + 1)...], distance)
    case .curl: return (Array(repeating: 0x0a, count: distance) + self, distance)
    case .sqlite: return nil
    }
  }
}
