import CPcap
import Packets

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A network interface, or a pseudo-interface of libpcap such as `any`, that packets may be captured on.
public struct NetworkInterface: Equatable, Sendable {
  /// Its name, as `LiveCapture` takes it.
  public var name: String
  /// libpcap's description of it; nil without one.
  public var details: String?
  /// Its IPv4 and IPv6 addresses.
  public var addresses: [IPAddress]
  /// Whether it has been brought up.
  public var isUp: Bool
  /// Whether it is running: up, and connected if that has a meaning.
  public var isRunning: Bool
  /// Whether it is a loopback interface.
  public var isLoopback: Bool
  /// Whether it is a wireless interface.
  public var isWireless: Bool
  /// The reason in one line why this process may not capture on it now; nil if it may.
  public var refusal: String?

  /// Whether this process may capture on it now.
  public var allowsCapture: Bool { refusal == nil }

  /// All interfaces, in libpcap's order: the most likely wanted ones first.
  ///
  /// To learn whether one allows a capture, a capture is started and ended at once. Throws when the system does not list its
  /// interfaces.
  public static func all() throws(CaptureError) -> [NetworkInterface] {
    try InterfaceList.read().map { interface in
      var interface = interface
      interface.refusal = PcapHandle.refusal(interface.name)
      return interface
    }
  }
}

/// The interfaces that libpcap finds. Unsafe sites: its linked lists, which end with null and live until they are freed here. The
/// socket addresses in them are as long as their family says.
enum InterfaceList {
  /// Reads the list, without trying whether the interfaces allow a capture.
  static func read() throws(CaptureError) -> [NetworkInterface] {
    var message = [CChar](repeating: 0, count: Int(PCAP_ERRBUF_SIZE))
    var first: UnsafeMutablePointer<pcap_if_t>?
    guard unsafe pcap_findalldevs(&first, &message) == 0 else {
      throw CaptureError(file: "", problem: .libpcap(InterfaceFault.words(message)))
    }
    defer { unsafe pcap_freealldevs(first) }
    var interfaces: [NetworkInterface] = []
    var next = unsafe first
    while let interface = unsafe next?.pointee {
      if let name = unsafe interface.name {
        unsafe interfaces.append(
          NetworkInterface(
            name: String(cString: name), details: interface.description.map { unsafe String(cString: $0) },
            addresses: addresses(interface.addresses),
            isUp: interface.flags & UInt32(PCAP_IF_UP) != 0,
            isRunning: interface.flags & UInt32(PCAP_IF_RUNNING) != 0,
            isLoopback: interface.flags & UInt32(PCAP_IF_LOOPBACK) != 0,
            isWireless: interface.flags & UInt32(PCAP_IF_WIRELESS) != 0))
      }
      unsafe next = interface.next
    }
    return interfaces
  }

  private static func addresses(_ first: UnsafeMutablePointer<pcap_addr>?) -> [IPAddress] {
    var addresses: [IPAddress] = []
    var next = unsafe first
    while let entry = unsafe next?.pointee {
      if let socketAddress = unsafe entry.addr, let address = unsafe address(socketAddress) {
        addresses.append(address)
      }
      unsafe next = entry.next
    }
    return addresses
  }

  /// The IP address in a socket address; nil if it is of another family, such as a hardware address.
  private static func address(_ socketAddress: UnsafeMutablePointer<sockaddr>) -> IPAddress? {
    let memory = UnsafeRawPointer(socketAddress)
    switch unsafe Int32(socketAddress.pointee.sa_family) {
    case AF_INET:
      let offset = MemoryLayout<sockaddr_in>.offset(of: \sockaddr_in.sin_addr) ?? 4
      return IPAddress(v4: UInt32(bigEndian: unsafe memory.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    case AF_INET6:
      let offset = MemoryLayout<sockaddr_in6>.offset(of: \sockaddr_in6.sin6_addr) ?? 8
      return IPAddress(
        high: UInt64(bigEndian: unsafe memory.loadUnaligned(fromByteOffset: offset, as: UInt64.self)),
        low: UInt64(bigEndian: unsafe memory.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)))
    default: return nil
    }
  }
}
