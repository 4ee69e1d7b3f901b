/// What traffic can be grouped by beside hosts and APIs (`--by`). A further way, by what a connection or a message has, is one more case.
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
  /// The name of the process, as captures or the system say it. A message has its own, and what a connection has beside its messages that of
  /// the connection: a socket can be handed on.
  case process
  /// The host that a message names. What connections cost is with hosts in `Totals.hosts`.
  case host

  /// Whether everything that connections cost is grouped; else messages alone are.
  public var isOfConnections: Bool { self == .client || self == .server || self == .process }

  /// A media type without its parameters, in lower case, of the value of a Content-Type field.
  package static func mediaType(_ value: [UInt8]) -> [UInt8] {
    var type = value.prefix { $0 != UInt8(ascii: ";") }
    while let last = type.last, last == UInt8(ascii: " ") || last == 0x09 { type.removeLast() }
    return type.map { 0x41...0x5a ~= $0 ? $0 | 0x20 : $0 }
  }
}
