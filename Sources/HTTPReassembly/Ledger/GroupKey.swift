/// The keys that traffic can be grouped by, beside hosts and APIs (`--by`). A new key is one more case.
public enum GroupKey: Sendable {
  /// The client's address.
  case client
  /// The server's address and port.
  case server
  /// The media type of a message, lower-case and without parameters (RFC 9110 §8.3.1).
  case contentType
  /// The status code of a response.
  case status
  /// The request's method.
  case method
  /// The name of the process, as captures or the system give it. A message has its own. Other octets of a connection go to the connection's
  /// process: a socket can be handed on.
  case process
  /// The host that a message names. The cost of connections is in `Totals.hosts`.
  case host

  /// Whether all octets of connections are grouped, or those of messages alone.
  public var isOfConnections: Bool { self == .client || self == .server || self == .process }

  /// The media type in the value of a Content-Type field, without parameters and in lower case.
  package static func mediaType(_ value: [UInt8]) -> [UInt8] {
    var type = value.prefix { $0 != UInt8(ascii: ";") }
    while let last = type.last, last == UInt8(ascii: " ") || last == 0x09 { type.removeLast() }
    return type.map { 0x41...0x5a ~= $0 ? $0 | 0x20 : $0 }
  }
}
