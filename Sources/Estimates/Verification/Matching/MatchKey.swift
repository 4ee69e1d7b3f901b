import HTTPReassembly

/// The facts that a row of a log and a message on the wire must share to be the same message. They are host and path, and where
/// the log has them, the text of the query and the method.
///
/// Apps log paths as sent or percent-decoded, with or without the final slash, and hosts without port. The key makes these equal.
struct MatchKey: Hashable {
  /// The host, lower-case, without port, as `HostForm` writes it.
  var host: String
  /// The path, percent-decoded, without a slash at its end.
  var path: String
  /// The query, percent-decoded; empty also where it is not compared.
  var query = ""
  /// The method; empty where it is not compared.
  var method = ""

  init(host: String, path: String) {
    self.host = HostForm.compared(Self.withoutPort(host.lowercased()))
    let decoded = Self.decoded(path)
    self.path =
      decoded.count > 1 && decoded.hasSuffix("/") ? String(decoded.dropLast()) : decoded.isEmpty ? "/" : decoded
  }

  init(_ entry: LogEntry) { self.init(host: entry.host, path: entry.path) }

  init(_ message: WireMessage) { self.init(host: message.host, path: message.path) }

  private static func withoutPort(_ host: String) -> String {
    portColon(host).map { String(host[..<$0]) } ?? host
  }

  /// The port in a host; nil without one.
  static func port(_ host: String) -> Int? { portColon(host).flatMap { Int(host[host.index(after: $0)...]) } }

  /// The position of the port's colon. An IPv6 address in brackets has colons of its own; one without brackets has no port.
  private static func portColon(_ host: String) -> String.Index? {
    let start = host.hasPrefix("[") ? host.firstIndex(of: "]") ?? host.startIndex : host.startIndex
    guard let colon = host[start...].lastIndex(of: ":"), host[start..<colon].firstIndex(of: ":") == nil,
      host[host.index(after: colon)...].utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return colon
  }

  /// A query percent-decoded. A plus sign is a space, which forms write so.
  static func decodedQuery(_ text: String) -> String {
    text.utf8.contains(UInt8(ascii: "+")) || text.utf8.contains(UInt8(ascii: "%"))
      ? decoded(text).replacing("+", with: " ") : text
  }

  /// The text percent-decoded; octets that are not UTF-8 become U+FFFD, on both sides alike.
  static func decoded(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
    return String(decoding: PercentEncoding.decoded(text.utf8), as: UTF8.self)
  }
}
