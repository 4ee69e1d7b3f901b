import FlyingSocks

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Where metrics are served: an IP address and a port.
public struct MetricsAddress: Sendable, Equatable, CustomStringConvertible {
  /// The IP address, without brackets.
  public let host: String
  /// The port; 0 lets the system choose one.
  public let port: UInt16

  /// Reads `127.0.0.1:9090`, `[::1]:9090`, `localhost:9090` or `:9090`; without an address it is the loopback one, since
  /// hosts and paths are nobody else's business.
  ///
  /// Names are not looked up: the wrong answer would show the metrics to a network.
  public init(_ text: String) throws(MetricsError) {
    guard let colon = text.lastIndex(of: ":"), let port = Self.port(text[text.index(after: colon)...]) else {
      throw MetricsError("'\(text)' is not ADDRESS:PORT, for instance 127.0.0.1:9090")
    }
    var host = String(text[..<colon])
    if host.first == "[", host.last == "]" {
      host = String(host.dropFirst().dropLast())
      guard host.contains(":") else { throw MetricsError("'\(text)': only IPv6 addresses stand in brackets") }
    } else if host.contains(":") {
      throw MetricsError("'\(text)': an IPv6 address stands in brackets, for instance [::1]:9090")
    }
    if host.isEmpty || host == "localhost" { host = "127.0.0.1" }
    self.host = host
    self.port = port
    do {
      _ = try socketAddress(port: port)
    } catch {
      throw MetricsError("'\(text)': '\(host)' is not an IP address")
    }
  }

  private init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  /// Whether only this machine can reach it.
  public var isLoopback: Bool { host == "::1" || host.hasPrefix("127.") }

  /// As it is written in a URL.
  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// The same address with the port that the system chose.
  func with(port: UInt16) -> MetricsAddress { MetricsAddress(host: host, port: port) }

  func socketAddress(port: UInt16) throws -> any SocketAddress {
    if host.contains(":") { return try sockaddr_in6.inet6(ip6: host, port: port) }
    return try sockaddr_in.inet(ip4: host, port: port)
  }

  /// Digits only: `UInt16` alone would read `+80`.
  private static func port(_ text: Substring) -> UInt16? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt16(text) : nil
  }
}
