import Foundation

extension Seeds {
  /// Entries of a HAR, or tasks, that a seed has.
  private static let entryLimit = 2
  /// Events of a netlog that a seed has: one request and its response.
  private static let eventLimit = 20

  /// The logs of a folder, as short as they can be and still be whole.
  mutating func addLogs(_ folder: URL) throws {
    // The unit is told from the numbers; not moved.
    let choices: [UInt8] = [0, 0, 0]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
      let content = try Data(contentsOf: folder.appendingPathComponent(name))
      if name.hasSuffix(".csv") {
        add(choices + content, to: .csvLog)
      } else if name.hasSuffix(".jsonl") || name.hasSuffix("-rows.json") {
        add(choices + content, to: .jsonLog)
      } else if name.hasSuffix(".har") {
        add(choices + (try Self.shortened(content, keys: ["log", "entries"])), to: .harLog)
      } else if name.hasSuffix(".ndjson") {
        let lines = content.split(separator: 0x0a).prefix(Self.entryLimit)
        add(choices + Array(lines.joined(separator: [0x0a])), to: .curlLog)
      } else if name.hasSuffix("netlog.json") {
        add(choices + (try Self.shortened(content, keys: ["events"], limit: Self.eventLimit)), to: .netlogLog)
      } else if name.hasSuffix(".json") {
        add(choices + (try Self.shortened(content, keys: [])), to: .metricsLog)
      }
    }
  }

  /// JSON without its spaces, and with few elements in the array that the keys lead to.
  private static func shortened(_ content: Data, keys: [String], limit: Int = entryLimit) throws -> Data {
    let short = shortened(try JSONSerialization.jsonObject(with: content), keys[...], limit)
    return try JSONSerialization.data(withJSONObject: short, options: [.sortedKeys, .withoutEscapingSlashes])
  }

  private static func shortened(_ value: Any, _ keys: ArraySlice<String>, _ limit: Int) -> Any {
    guard let key = keys.first else { return (value as? [Any]).map { Array($0.prefix(limit)) } ?? value }
    guard var object = value as? [String: Any], let inner = object[key] else { return value }
    object[key] = shortened(inner, keys.dropFirst(), limit)
    return object
  }
}
