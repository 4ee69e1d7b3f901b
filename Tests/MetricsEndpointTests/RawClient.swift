// Unsafe sites: octets and addresses that are lent to the system for the time of a call.

import Testing

@testable import MetricsEndpoint

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A client that sends just what it is told to, and takes what comes only when it is told to.
final class RawClient {
  /// The system's error.
  struct Failure: Error { let number = errno }

  private let descriptor: CInt
  /// What has been taken.
  private(set) var received: [UInt8] = []
  /// Whether the server has closed, or reset, the connection, and all that came before was taken.
  private(set) var isOver = false

  /// Connects, which needs nobody who accepts.
  init(_ address: MetricsAddress) throws {
    #if canImport(Glibc)
      let kind = CInt(SOCK_STREAM.rawValue)
    #else
      let kind = SOCK_STREAM
    #endif
    descriptor = socket(address.address.family, kind, 0)
    guard descriptor >= 0 else { throw Failure() }
    let status = unsafe address.address.withSocketAddress(port: address.port) { unsafe connect(descriptor, $0, $1) }
    guard status == 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else { throw Failure() }
    #if canImport(Darwin)
      var on: CInt = 1
      _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<CInt>.size))
    #endif
  }

  deinit { close(descriptor) }

  var text: String { String(decoding: received, as: UTF8.self) }

  /// Its port.
  var port: UInt16 { unsafe Self.port { unsafe getsockname(descriptor, $0, $1) } }

  /// The port of the client at the other end of a server's descriptor.
  static func port(ofPeerOf descriptor: CInt) -> UInt16 { unsafe port { unsafe getpeername(descriptor, $0, $1) } }

  private static func port(_ ask: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> CInt) -> UInt16 {
    var address = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let status = unsafe withUnsafeMutablePointer(to: &address) { place in
      unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe ask($0, &length) }
    }
    return status == 0 ? UInt16(bigEndian: address.sin6_port) : 0
  }

  /// Sends a few octets.
  func send(_ text: String) { send(Array(text.utf8)[...]) }

  /// Sends octets. Returns how many the system has taken, which may not be all of them.
  @discardableResult
  func send(_ octets: ArraySlice<UInt8>) -> Int {
    let sent = unsafe octets.withUnsafeBytes { octets in
      #if canImport(Darwin)
        unsafe Darwin.send(descriptor, octets.baseAddress, octets.count, 0)
      #elseif canImport(Glibc)
        unsafe Glibc.send(descriptor, octets.baseAddress, octets.count, CInt(MSG_NOSIGNAL))
      #else
        unsafe Musl.send(descriptor, octets.baseAddress, octets.count, CInt(MSG_NOSIGNAL))
      #endif
    }
    return max(sent, 0)
  }

  /// Says that nothing more will be sent.
  func endSending() { _ = shutdown(descriptor, CInt(SHUT_WR)) }

  /// Takes what is there, `limit` octets at most. Returns how many they were.
  @discardableResult
  func take(_ limit: Int = 64 << 10) -> Int {
    var buffer = [UInt8](repeating: 0, count: limit)
    let count = unsafe buffer.withUnsafeMutableBytes { unsafe recv(descriptor, $0.baseAddress, $0.count, 0) }
    if count > 0 {
      received += buffer.prefix(count)
      return count
    }
    if count == 0 || ![EAGAIN, EWOULDBLOCK, EINTR].contains(errno) { isOver = true }
    return 0
  }

  /// Takes what comes until something holds. Another thread serves.
  func take(until holds: (RawClient) -> Bool) {
    let deadline = ContinuousClock.now + .seconds(180)
    while !holds(self) {
      guard ContinuousClock.now < deadline, !isOver else {
        Issue.record("it never came to be: \(isOver ? "closed" : "open") after \(text.prefix(500))")
        return
      }
      var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      _ = unsafe poll(&wait, 1, 1000)
      take()
    }
  }

  /// Sends octets to a server that another thread runs, and returns what comes until it closes.
  static func ask(_ address: MetricsAddress, _ octets: String) throws -> String {
    let client = try RawClient(address)
    client.send(octets)
    client.take { $0.isOver }
    return client.text
  }
}
