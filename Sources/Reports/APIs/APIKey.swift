import HTTPReassembly
import Tabular

/// The name of an API: octets from the wire; an empty text is unknown or does not apply.
package struct APIKey: Hashable, Sendable {
  /// Name and port, as in reports.
  package var host: [UInt8]
  /// The path; empty when totals are grouped by host only.
  package var path: [UInt8]
  /// The method; empty unless totals are grouped by it.
  package var method: [UInt8]
  /// The name of the process; empty unless totals are grouped by it.
  package var process: [UInt8]

  /// A key of these parts.
  package init(host: [UInt8], path: [UInt8], method: [UInt8] = [], process: [UInt8] = []) {
    self.host = host
    self.path = path
    self.method = method
    self.process = process
  }

  /// The key of an API of an analysis.
  package init(_ api: APITotals, _ texts: borrowing TextPool) {
    self.init(
      host: texts.octets(api.host), path: texts.octets(api.path), method: texts.octets(api.method),
      process: texts.octets(api.process))
  }

  /// The key of the exchange's API.
  init(_ exchange: Exchange, _ grouping: Configuration.Grouping, _ texts: borrowing TextPool) {
    self.init(exchange.host, exchange.apiPath, exchange.method, exchange.process, grouping, texts)
  }

  /// The key of the message's API.
  init(_ message: Message, _ grouping: Configuration.Grouping, _ texts: borrowing TextPool) {
    self.init(message.host, message.apiPath, message.method, message.process, grouping, texts)
  }

  private init(
    _ host: TextID, _ path: TextID, _ method: TextID, _ process: TextID, _ grouping: Configuration.Grouping,
    _ texts: borrowing TextPool
  ) {
    self.init(host: texts.octets(host), path: texts.octets(path))
    if grouping.method { self.method = texts.octets(method) }
    if grouping.process { self.process = texts.processName(process) }
  }

  /// The key for a report, without personal facts.
  package func redacted(_ redaction: Redaction?) -> APIKey {
    guard let redaction else { return self }
    return APIKey(host: redaction.host(host), path: redaction.path(path), method: method, process: process)
  }

  /// Whether it is the key of messages with unknown requests, which belong to no API.
  package var isUnknown: Bool { host.isEmpty && path.isEmpty }

  /// The text for people: process, method, host and path, escaped.
  package var text: String {
    let space = UInt8(ascii: " ")
    let owner = process.isEmpty ? "" : TextEscaping.string(process + [UInt8(ascii: ":"), space])
    if isUnknown { return owner + "(unknown)" }
    return owner + TextEscaping.string(method.isEmpty ? host + path : method + [space] + host + path)
  }
}

extension APIKey: Comparable {
  /// The order of rows in reports: host, path, method, process, each by its octets.
  package static func < (a: APIKey, b: APIKey) -> Bool {
    if a.host != b.host { return a.host.lexicographicallyPrecedes(b.host) }
    if a.path != b.path { return a.path.lexicographicallyPrecedes(b.path) }
    if a.method != b.method { return a.method.lexicographicallyPrecedes(b.method) }
    return a.process.lexicographicallyPrecedes(b.process)
  }
}

extension Sequence {
  /// APIs in the order of their rows. Redaction changes names, and so the order. The old order would still tell which hidden path
  /// comes first.
  package func sorted(redaction: Redaction, by key: (Element) -> APIKey) -> [Element] {
    map { (key: key($0).redacted(redaction), api: $0) }.sorted { $0.key < $1.key }.map(\.api)
  }
}
