// Unsafe sites: numbers and addresses that are lent to the system for the time of a call.

import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An open TCP port: clients wait until they are served. It needs no thread, so a process can open it before it gives up
/// the right to make and bind sockets.
struct ListeningSocket: Sendable {
  /// The result of looking for a client.
  enum Arrival {
    case client(Socket)
    case nobody
    /// The process has no more descriptors, or the system no more memory. The client waits on.
    case noRoom
  }

  /// The most octets that the system keeps for a slow client. It may keep them for a while after the connection is closed.
  static let sendBufferLength = 128 << 10

  /// The socket; the server closes it.
  let socket: Socket
  /// The port; the system chooses one for 0.
  let port: UInt16

  /// Opens a port of an address.
  ///
  /// - Throws: the system's error.
  init(_ address: InternetAddress, port: UInt16) throws(Errno) {
    #if canImport(Glibc)
      let kind = CInt(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    socket = try Socket(checking: Self.make(address.family, kind))
    do throws(Errno) {
      self.port = try Self.listen(socket, at: address, port)
    } catch {
      socket.close()
      throw error
    }
  }

  /// Accepts the client that has waited for longest.
  func accept() -> Arrival {
    #if canImport(Darwin)
      let client = Darwin.accept(socket.descriptor, nil, nil)
    #elseif canImport(Glibc)
      let client = Glibc.accept(socket.descriptor, nil, nil)
    #else
      let client = Musl.accept(socket.descriptor, nil, nil)
    #endif
    guard client >= 0 else {
      return [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) ? .noRoom : .nobody
    }
    let accepted = Socket(descriptor: client)
    do throws(Errno) {
      try accepted.setFlags()
      #if canImport(Darwin)
        // On Darwin, SIGPIPE goes to the whole process, not to the thread that writes.
        var on: CInt = 1
        _ = unsafe setsockopt(client, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<CInt>.size))
      #endif
      return .client(accepted)
    } catch {
      accepted.close()
      return .nobody
    }
  }

  // `socket` is a property here.
  private static func make(_ family: CInt, _ kind: CInt) -> CInt {
    #if canImport(Darwin)
      Darwin.socket(family, kind, 0)
    #elseif canImport(Glibc)
      Glibc.socket(family, kind, 0)
    #else
      Musl.socket(family, kind, 0)
    #endif
  }

  private static func listen(_ socket: Socket, at address: InternetAddress, _ port: UInt16) throws(Errno) -> UInt16 {
    try socket.setFlags()
    let descriptor = socket.descriptor
    var (on, sendBufferLength) = (CInt(1), CInt(sendBufferLength))
    let length = socklen_t(MemoryLayout<CInt>.size)
    // Sockets of clients inherit the last two options; a confined process may not set them. With TCP_NODELAY, the end of an answer does not
    // wait for earlier octets to be acknowledged.
    guard unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, length) == 0,
      unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &sendBufferLength, length) == 0,
      unsafe setsockopt(descriptor, CInt(IPPROTO_TCP), TCP_NODELAY, &on, length) == 0,
      unsafe address.withSocketAddress(port: port, { unsafe bind(descriptor, $0, $1) }) == 0
    else { throw Errno(rawValue: errno) }
    #if canImport(Darwin)
      guard Darwin.listen(descriptor, SOMAXCONN) == 0 else { throw Errno(rawValue: errno) }
    #elseif canImport(Glibc)
      guard Glibc.listen(descriptor, SOMAXCONN) == 0 else { throw Errno(rawValue: errno) }
    #else
      guard Musl.listen(descriptor, SOMAXCONN) == 0 else { throw Errno(rawValue: errno) }
    #endif
    // This is large enough for either family. Both have the port in the same place, in network byte order.
    var bound = sockaddr_in6()
    var boundLength = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let status = unsafe withUnsafeMutablePointer(to: &bound) { place in
      unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe getsockname(descriptor, $0, &boundLength)
      }
    }
    guard status == 0 else { throw Errno(rawValue: errno) }
    return UInt16(bigEndian: bound.sin6_port)
  }
}
