// Unsafe sites: an address that is lent to the system for the time of a call.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An IP address: 4 octets, or 16, in network order.
struct InternetAddress: Equatable, Sendable {
  private let octets: [UInt8]

  /// Reads dotted decimal with four numbers, or the text of an IPv6 address (RFC 4291 §2.2) without a zone; nil for anything else.
  init?(_ text: String) {
    // C would read up to a zero octet only.
    guard !text.utf8.contains(0) else { return nil }
    for (family, length) in [(AF_INET, 4), (AF_INET6, 16)] {
      var octets = [UInt8](repeating: 0, count: length)
      if unsafe inet_pton(family, text, &octets) == 1 {
        self.octets = octets
        return
      }
    }
    return nil
  }

  /// The address family for `socket`.
  var family: CInt { octets.count == 4 ? AF_INET : AF_INET6 }

  /// Whether it is a loopback address: 127.0.0.0/8 (RFC 1122 §3.2.1.3), or ::1 (RFC 4291 §2.5.3).
  var isLoopback: Bool {
    octets.count == 4 ? octets[0] == 127 : octets.last == 1 && octets.dropLast().allSatisfy { $0 == 0 }
  }

  /// Lends the address, with a port, in the form of the system.
  func withSocketAddress<Result>(port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    if family == AF_INET {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      unsafe withUnsafeMutableBytes(of: &address.sin_addr) { unsafe $0.copyBytes(from: octets) }
      return unsafe Self.lend(&address, body)
    }
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    unsafe withUnsafeMutableBytes(of: &address.sin6_addr) { unsafe $0.copyBytes(from: octets) }
    return unsafe Self.lend(&address, body)
  }

  private static func lend<Address, Result>(
    _ address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    unsafe withUnsafePointer(to: &address) { place in
      unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<Address>.size))
      }
    }
  }
}
