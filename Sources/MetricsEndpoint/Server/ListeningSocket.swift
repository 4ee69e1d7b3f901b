// The one file of this target that hands memory to the system: an address, lent for the time of the calls.

import NIOCore
import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A TCP port that is open: clients that come wait until somebody serves them. Made without a thread and before there is one,
/// so that a process that gives up making and binding sockets can serve all the same.
struct ListeningSocket {
  /// The open descriptor, which whoever serves closes.
  let descriptor: CInt
  /// The port, which is the system's choice where 0 was asked for.
  let port: Int

  /// Clients that may wait to be accepted: what NIO asks for.
  private static let backlog: CInt = 128

  /// Opens a port of an address.
  ///
  /// - Throws: the system's error.
  init(_ address: SocketAddress) throws(Errno) {
    let family = address.protocol == .inet6 ? AF_INET6 : AF_INET
    #if canImport(Glibc)
      let kind = CInt(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    let descriptor = socket(family, kind, 0)
    guard descriptor >= 0 else { throw Errno(rawValue: errno) }
    do throws(Errno) {
      port = try Self.listen(descriptor, at: address)
    } catch {
      close(descriptor)
      throw error
    }
    self.descriptor = descriptor
  }

  private static func listen(_ descriptor: CInt, at address: SocketAddress) throws(Errno) -> Int {
    var on: CInt = 1
    let length = socklen_t(MemoryLayout<CInt>.size)
    guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0,
      unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, length) == 0,
      unsafe address.withSockAddr({ unsafe bind(descriptor, $0, socklen_t($1)) }) == 0
    else { throw Errno(rawValue: errno) }
    #if canImport(Darwin)
      guard Darwin.listen(descriptor, backlog) == 0 else { throw Errno(rawValue: errno) }
    #elseif canImport(Glibc)
      guard Glibc.listen(descriptor, backlog) == 0 else { throw Errno(rawValue: errno) }
    #else
      guard Musl.listen(descriptor, backlog) == 0 else { throw Errno(rawValue: errno) }
    #endif
    // Large enough for either family; both have the port in the same place, in network byte order.
    var bound = sockaddr_in6()
    var boundLength = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let status = unsafe withUnsafeMutablePointer(to: &bound) { place in
      unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe getsockname(descriptor, $0, &boundLength)
      }
    }
    guard status == 0 else { throw Errno(rawValue: errno) }
    return Int(UInt16(bigEndian: bound.sin6_port))
  }
}
