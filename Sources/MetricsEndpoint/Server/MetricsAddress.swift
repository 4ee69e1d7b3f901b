/// The address that metrics are served at: an IP address and a port.
public struct MetricsAddress: Sendable, Equatable, CustomStringConvertible {
  /// The IP address, without brackets.
  public let host: String
  /// The IP address that a socket is bound to.
  let address: InternetAddress
  /// The port; 0 lets the system choose one.
  public private(set) var port: UInt16

  /// Reads `127.0.0.1:9090`, `[::1]:9090`, `localhost:9090` or `:9090`. The default address is the loopback one, since
  /// hosts and paths are private.
  ///
  /// Names are not looked up: a wrong answer would show the metrics to a network.
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
    guard let address = InternetAddress(host) else { throw MetricsError("'\(text)': '\(host)' is not an IP address") }
    self.host = host
    self.address = address
    self.port = port
  }

  /// Whether only this machine can reach it.
  public var isLoopback: Bool { address.isLoopback }

  /// The address as in a URL.
  public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// The same address with the port that the system chose.
  func with(port: UInt16) -> MetricsAddress {
    var address = self
    address.port = port
    return address
  }

  /// Reads digits only: `UInt16` alone would read `+80`.
  private static func port(_ text: Substring) -> UInt16? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt16(text) : nil
  }
}
