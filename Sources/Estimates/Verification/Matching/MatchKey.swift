import HTTPReassembly

/// What a row of a log and a message on the wire must share to be the same message.
///
/// Apps log paths as sent or with percent-encoding removed, with or without a slash at the end, and hosts without port: the
/// key is what is left when these are equal. Interim responses are a kind of their own.
struct MatchKey: Hashable {
  var kind: MessageKind
  var host: String
  var path: String

  init(kind: MessageKind, host: String, path: String) {
    self.kind = kind
    self.host = Self.withoutPort(host.lowercased())
    let decoded = Self.decoded(path)
    self.path =
      decoded.count > 1 && decoded.hasSuffix("/") ? String(decoded.dropLast()) : decoded.isEmpty ? "/" : decoded
  }

  init(_ entry: LogEntry) { self.init(kind: entry.kind, host: entry.host, path: entry.path) }

  init(_ message: WireMessage) { self.init(kind: message.row.kind, host: message.host, path: message.path) }

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
  private static func decoded(_ path: String) -> String {
    guard path.utf8.contains(UInt8(ascii: "%")) else { return path }
    return String(decoding: PercentEncoding.decoded(path.utf8), as: UTF8.self)
  }
}
