import Packets

/// A network interface, or a pseudo-interface of libpcap such as `any`, that packets may be captured on.
public struct NetworkInterface: Equatable, Sendable {
  /// Its name, as `LiveCapture` takes it.
  public var name: String
  /// What libpcap says it is; nil if nothing.
  public var details: String?
  /// Its IPv4 and IPv6 addresses.
  public var addresses: [IPAddress]
  /// Whether it has been brought up.
  public var isUp: Bool
  /// Whether it is running: up, and connected where that means something.
  public var isRunning: Bool
  /// Whether it is a loopback interface.
  public var isLoopback: Bool
  /// Whether it is a wireless interface.
  public var isWireless: Bool
  /// Why this process may not capture on it now, in one line; nil if it may.
  public var refusal: String?

  /// Whether this process may capture on it now.
  public var allowsCapture: Bool { refusal == nil }

  /// All interfaces, in libpcap's order: the ones most likely wanted first.
  ///
  /// Whether each allows a capture is found out by starting one, which is ended at once. Throws when the system does not
  /// tell its interfaces.
  public static func all() throws(CaptureError) -> [NetworkInterface] {
    try InterfaceList.read().map { interface in
      var interface = interface
      interface.refusal = PcapHandle.refusal(interface.name)
      return interface
    }
  }
}
