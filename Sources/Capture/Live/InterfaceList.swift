import CPcap
import Packets

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The interfaces that libpcap finds. Unsafe sites: its linked lists, which end with null and live until they are freed
/// here, and the socket addresses in them, which are as long as their family says.
enum InterfaceList {
  /// Reads the list; nobody has tried yet whether they allow a capture.
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
