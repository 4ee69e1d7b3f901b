#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A UDP socket on the loopback interface, with a port of its own. Unsafe sites: socket addresses, which the system reads and fills in.
final class LoopbackDatagrams {
  /// The interface's name.
  static var interface: String {
    #if os(macOS)
      "lo0"
    #else
      "lo"
    #endif
  }

  /// Its port.
  let port: UInt16
  private let descriptor: Int32

  /// Opens it. Throws what the system says.
  init() throws(CaptureError) {
    #if canImport(Glibc)
      descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    #else
      descriptor = socket(AF_INET, SOCK_DGRAM, 0)
    #endif
    var address = Self.address(port: 0)
    let descriptor = descriptor
    let isBound = unsafe withUnsafeMutablePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return unsafe bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    if !isBound { throw Self.failure }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Sends a datagram to a port. Throws what the system says.
  func send(_ octets: [UInt8], to port: UInt16) throws(CaptureError) {
    var address = Self.address(port: port)
    let descriptor = descriptor
    let count = unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe sendto(descriptor, octets, octets.count, 0, address, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if count != octets.count { throw Self.failure }
  }

  private static var failure: CaptureError {
    CaptureError(file: interface, problem: .libpcap(unsafe String(cString: strerror(errno))))
  }

  private static func address(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr = in_addr(s_addr: UInt32(0x7f00_0001).bigEndian)
    return address
  }
}
