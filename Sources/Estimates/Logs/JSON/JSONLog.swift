import Foundation

/// Reads a log that is one JSON text.
struct JSONLog {
  let file: LogFile
  let options: LogOptions

  /// Reads it as the given format, or as the one that its outermost value shows.
  func read(_ format: LogFormat?) throws(LogError) -> AppLog {
    let data = try file.content(limit: options.jsonLimit)
    let document: JSONDocument
    let decoder = JSONDecoder()
    if let key = attemptLimitKey { decoder.userInfo[key] = options.rowLimit }
    do { document = try decoder.decode(JSONDocument.self, from: data) } catch {
      throw LogError(file: file.path, JSONFault(data)?.description ?? Self.words(error))
    }
    let times = LogTime(unit: options.timeUnit, zone: options.timeZone)
    switch (document, format) {
    case (.har(let archive), nil), (.har(let archive), .har):
      return try HARLog(archive: archive, file: file.path, times: times).read(limit: options.rowLimit)
    case (.tasks(let tasks), nil), (.tasks(let tasks), .urlSessionMetrics):
      return try TaskMetricsLog(tasks: tasks, file: file.path, times: times).read(limit: options.rowLimit)
    case (.har, _): throw LogError(file: file.path, "is a HAR, not \(format?.rawValue ?? "a log")")
    case (.tasks, _): throw LogError(file: file.path, "is an array of JSON, not \(format?.rawValue ?? "a log")")
    }
  }

  /// What is wrong, and the keys that lead to it.
  static func words(_ error: any Error) -> String {
    // Foundation throws an error without a place only for numbers.
    guard let error = error as? DecodingError else { return "holds a number that does not fit" }
    switch error {
    case .dataCorrupted(let context) where context.codingPath.isEmpty:
      return "is not JSON: \(context.debugDescription.shortened(to: 120))"
    case .dataCorrupted(let context): return "\(place(context)): \(context.debugDescription.shortened(to: 120))"
    case .keyNotFound(let key, let context): return "\(place(context)): no \(key.stringValue)"
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      return "\(place(context)): \(context.debugDescription.shortened(to: 120))"
    @unknown default: return "cannot be read as JSON: \(error)"
    }
  }

  private static func place(_ context: DecodingError.Context) -> String {
    let keys = context.codingPath.map { key in key.intValue.map { "\($0 + 1)" } ?? key.stringValue.shortened() }
    return keys.isEmpty ? "the outermost value" : keys.joined(separator: ".")
  }
}

/// What the outermost value of the JSON is.
enum JSONDocument: Decodable {
  case har(HARArchive)
  case tasks([Result<TaskMetrics, RowProblem>])

  private enum Key: String, CodingKey {
    case log
    case transactionMetrics
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
    } else {
      throw Self.unknown(decoder)
    }
  }

  private static func unknown(_ decoder: any Decoder) -> DecodingError {
    let words =
      "neither a HAR (an object with \"log\") nor task metrics (an array of objects with \"transactionMetrics\")"
    return DecodingError.typeMismatch(
      JSONDocument.self, DecodingError.Context(codingPath: decoder.codingPath, debugDescription: words))
  }
}
