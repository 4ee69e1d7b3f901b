import Foundation
import TableReading

/// Reads a log that is one JSON text, or one JSON text a line.
struct JSONLog {
  let file: TableFile
  let options: LogOptions

  /// Reads the given format, or the format that the outermost value shows.
  func read(_ format: LogFormat?) throws(LogError) -> AppLog {
    let data = try file.content(limit: options.jsonLimit)
    if format == .curl || format == nil && CurlLog.begins(data) {
      return try CurlLog(data: data, file: file.path).read(limit: options.rowLimit)
    }
    let document: JSONDocument
    var isCut = false
    let decoder = JSONDecoder()
    if let key = attemptLimitKey { decoder.userInfo[key] = options.rowLimit }
    do { document = try decoder.decode(JSONDocument.self, from: data) } catch {
      guard let ended = Netlog.ended(data), let repaired = try? decoder.decode(JSONDocument.self, from: ended) else {
        throw LogError(file: file.path, JSONFault(data)?.description ?? Self.words(error))
      }
      (document, isCut) = (repaired, true)
    }
    let times = LogTime(unit: options.timeUnit, zone: options.timeZone)
    switch (document, format) {
    case (.har(let archive), nil), (.har(let archive), .har):
      return try HARLog(archive: archive, file: file.path, times: times).read(limit: options.rowLimit)
    case (.tasks(let tasks), nil), (.tasks(let tasks), .urlSessionMetrics):
      return try TaskMetricsLog(tasks: tasks, file: file.path, times: times).read(limit: options.rowLimit)
    case (.netlog(let netlog), nil), (.netlog(let netlog), .netlog):
      var log = try NetlogLog(netlog: netlog, file: file.path).read(limit: options.rowLimit)
      if isCut { log.notices.append("the netlog has no end: Chrome was killed, or still runs") }
      return log
    case (.netlog, _): throw LogError(file: file.path, "is a netlog of Chrome, not \(format?.rawValue ?? "a log")")
    case (.har, _): throw LogError(file: file.path, "is a HAR, not \(format?.rawValue ?? "a log")")
    case (.tasks, _): throw LogError(file: file.path, "is an array of JSON, not \(format?.rawValue ?? "a log")")
    }
  }

  /// The error in words, with the keys that lead to its place.
  static func words(_ error: any Error) -> String {
    // Foundation throws an error without a position only for numbers.
    guard let error = error as? DecodingError else { return "holds a number that does not fit" }
    switch error {
    case .dataCorrupted(let context) where context.codingPath.isEmpty:
      return "is not JSON: \(context.debugDescription.shortened(to: 120))"
    case .dataCorrupted(let context): return "\(position(context)): \(context.debugDescription.shortened(to: 120))"
    case .keyNotFound(let key, let context): return "\(position(context)): no \(key.stringValue)"
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      return "\(position(context)): \(context.debugDescription.shortened(to: 120))"
    @unknown default: return "cannot be read as JSON: \(error)"
    }
  }

  private static func position(_ context: DecodingError.Context) -> String {
    let keys = context.codingPath.map { key in key.intValue.map { "\($0 + 1)" } ?? key.stringValue.shortened() }
    return keys.isEmpty ? "the outermost value" : keys.joined(separator: ".")
  }
}

/// The format of the outermost value.
enum JSONDocument: Decodable {
  case har(HARArchive)
  case tasks([Result<TaskMetrics, RowProblem>])
  case netlog(Netlog)

  private enum Key: String, CodingKey {
    case log
    case transactionMetrics
    case constants
  }

  init(from decoder: any Decoder) throws {
    guard let container = try? decoder.container(keyedBy: Key.self) else {
      guard (try? decoder.unkeyedContainer()) != nil else {
        throw Self.unknown(decoder)
      }
      self = .tasks(try Attempts<TaskMetrics>(from: decoder).results)
      return
    }
    if container.contains(.log) {
      self = .har(try container.decode(HARArchive.self, forKey: .log))
    } else if container.contains(.transactionMetrics) {
      self = .tasks([.success(try TaskMetrics(from: decoder))])
    } else if container.contains(.constants) {
      self = .netlog(try Netlog(from: decoder))
    } else {
      throw Self.unknown(decoder)
    }
  }

  private static func unknown(_ decoder: any Decoder) -> DecodingError {
    let words =
      "neither a HAR (an object with \"log\"), nor task metrics (an array of objects with \"transactionMetrics\"), nor a netlog "
      + "(an object with \"constants\"), nor lines of curl (objects with \"size_request\")"
    return DecodingError.typeMismatch(
      JSONDocument.self, DecodingError.Context(codingPath: decoder.codingPath, debugDescription: words))
  }
}
