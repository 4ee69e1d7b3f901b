/// The protocol of a proxy whose octets stand before the first ones of the application.
public enum PrefixProtocol: UInt8, Sendable, CaseIterable {
  /// The PROXY protocol's text (version 1).
  case proxy1
  /// The PROXY protocol's binary form (version 2).
  case proxy2
  /// SOCKS 4 or 4a.
  case socks4
  /// SOCKS 5 (RFC 1928).
  case socks5

  /// The name in reports.
  public var name: String { "\(literal)" }

  /// The name, as it stands in the program.
  package var literal: StaticString {
    switch self {
    case .proxy1: "proxy1"
    case .proxy2: "proxy2"
    case .socks4: "socks4"
    case .socks5: "socks5"
    }
  }
}

/// The facts that a prefix says about its connection. Texts are octets, hostile as all input.
public struct ConnectionPrefix: Sendable, Equatable {
  /// The protocol of the prefix.
  public var kind: PrefixProtocol
  /// The client that the proxy had, `address:port` or the path of a socket; empty if unknown.
  public var client: [UInt8] = []
  /// The server that the client asked for, `address:port` or `name:port`; empty if unknown.
  public var server: [UInt8] = []

  /// Creates a prefix.
  public init(_ kind: PrefixProtocol) { self.kind = kind }
}

/// A prefix as one text of a pool: the protocol (1), the length of the client (1), the client, the server.
package struct PrefixText {
  private static let clientStart = 2

  /// The text of a prefix. No client is longer than a path of a socket, which has 108 octets.
  static func octets(_ prefix: ConnectionPrefix) -> [UInt8] {
    let client = prefix.client.prefix(Int(UInt8.max))
    return [prefix.kind.rawValue, UInt8(client.count)] + client + prefix.server
  }

  /// The protocol of the prefix.
  package let kind: PrefixProtocol
  /// Where the client is in the text.
  package let client: Range<Int>
  /// Where the server is in the text.
  package let server: Range<Int>

  /// Reads a text; nil if it is not such a text.
  package init?(_ text: RawSpan) {
    guard text.byteCount >= Self.clientStart, let kind = PrefixProtocol(rawValue: text.octet(0)) else { return nil }
    self.kind = kind
    let end = Self.clientStart + Int(text.octet(1))
    guard end <= text.byteCount else { return nil }
    client = Self.clientStart..<end
    server = end..<text.byteCount
  }
}

extension TextPool {
  /// The prefix of a handle; nil if the handle is none.
  public func prefix(_ id: TextID) -> ConnectionPrefix? {
    let text = octets(id)
    guard let read = text.withOctets({ PrefixText($0) }) else { return nil }
    var prefix = ConnectionPrefix(read.kind)
    prefix.client = Array(text[read.client])
    prefix.server = Array(text[read.server])
    return prefix
  }

  /// The handle of a prefix, with one reference more.
  mutating func intern(_ prefix: ConnectionPrefix) -> TextID { intern(PrefixText.octets(prefix)) }
}
