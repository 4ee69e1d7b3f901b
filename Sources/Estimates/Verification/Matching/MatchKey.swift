import HTTPReassembly

/// What a row of a log and a message on the wire must share to be the same message: host and path, and, where the log has
/// them, the text of the query and the method.
///
/// Apps log paths as sent or with percent-encoding removed, with or without a slash at the end, and hosts without port. The
/// key is what is left when these are equal.
struct MatchKey: Hashable {
  /// The host, lower-case, without port.
  var host: String
  /// The path, percent-encoding removed, without a slash at its end.
  var path: String
  /// The query, percent-encoding removed; empty also where it is not compared.
  var query = ""
  /// The method; empty where it is not compared.
  var method = ""

  init(host: String, path: String) {
    self.host = Self.withoutPort(host.lowercased())
    let decoded = Self.decoded(path)
    self.path =
      decoded.count > 1 && decoded.hasSuffix("/") ? String(decoded.dropLast()) : decoded.isEmpty ? "/" : decoded
  }

  init(_ entry: LogEntry) { self.init(host: entry.host, path: entry.path) }

  init(_ message: WireMessage) { self.init(host: message.host, path: message.path) }

  private static func withoutPort(_ host: String) -> String {
    portColon(host).map { String(host[..<$0]) } ?? host
  }

  /// The port that a host names, if it names one.
  static func port(_ host: String) -> Int? { portColon(host).flatMap { Int(host[host.index(after: $0)...]) } }

  /// Where the port's colon is. An IPv6 address in brackets has colons of its own; one without brackets has no port.
  private static func portColon(_ host: String) -> String.Index? {
    let start = host.hasPrefix("[") ? host.firstIndex(of: "]") ?? host.startIndex : host.startIndex
    guard let colon = host[start...].lastIndex(of: ":"), host[start..<colon].firstIndex(of: ":") == nil,
      host[host.index(after: colon)...].utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return colon
  }

  /// Percent-encoding removed; octets that are not UTF-8 become U+FFFD, on both sides alike.
  static func decoded(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    return String(decoding: PercentEncoding.decoded(text.utf8), as: UTF8.self)
  }
}
