#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Real traffic on the loopback interface, made by the test itself. Unsafe sites: socket calls, which take addresses.
final class LoopbackSocket {
  /// The loopback interface's name.
  static var interface: String {
    #if os(macOS)
      "lo0"
    #else
      "lo"
    #endif
  }

  private let descriptor: Int32
  /// The local port.
  let port: UInt16

  private init(descriptor: Int32) throws {
    self.descriptor = descriptor
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = unsafe withUnsafeMutablePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe getsockname(descriptor, $0, &length)
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    guard status == 0 else { throw SocketFailure(errno) }
  }

  deinit { close(descriptor) }

  struct SocketFailure: Error {
    let number: Int32
    init(_ number: Int32) { self.number = number }
  }

  /// A datagram socket bound to a port of its own.
  static func datagrams() throws -> LoopbackSocket {
    let descriptor = new(isStream: false)
    try unsafe call(descriptor, 0) { unsafe bind($0, $1, $2) }
    return try LoopbackSocket(descriptor: descriptor)
  }

  /// A stream socket that listens on a port of its own.
  static func listening() throws -> LoopbackSocket {
    let descriptor = new(isStream: true)
    try unsafe call(descriptor, 0) { unsafe bind($0, $1, $2) }
    guard listen(descriptor, 8) == 0 else { throw SocketFailure(errno) }
    return try LoopbackSocket(descriptor: descriptor)
  }

  /// A stream socket connected to a port.
  static func connected(to port: UInt16) throws -> LoopbackSocket {
    let descriptor = new(isStream: true)
    try unsafe call(descriptor, port) { unsafe connect($0, $1, $2) }
    return try LoopbackSocket(descriptor: descriptor)
  }

  func accepted() throws -> LoopbackSocket {
    try LoopbackSocket(descriptor: accept(descriptor, nil, nil))
  }

  /// Sends a datagram.
  func send(_ octets: [UInt8], to port: UInt16) throws {
    try unsafe Self.call(descriptor, port) {
      unsafe sendto($0, octets, octets.count, 0, $1, $2) == octets.count ? 0 : -1
    }
  }

  /// Writes all octets to a stream.
  func write(_ octets: [UInt8]) throws {
    var written = 0
    while written < octets.count {
      let count = unsafe octets.withUnsafeBytes {
        unsafe systemSend(descriptor, $0.baseAddress.map { unsafe $0 + written }, octets.count - written)
      }
      guard count > 0 else { throw SocketFailure(errno) }
      written += count
    }
  }

  /// Reads and forgets octets of a stream; how many.
  func skip(_ count: Int) -> Int {
    var skipped = 0
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while skipped < count {
      let received = unsafe recv(descriptor, &buffer, 1 << 16, 0)
      guard received > 0 else { break }
      skipped += received
    }
    return skipped
  }

  private static func new(isStream: Bool) -> Int32 {
    #if canImport(Glibc)
      socket(AF_INET, Int32((isStream ? SOCK_STREAM : SOCK_DGRAM).rawValue), 0)
    #else
      socket(AF_INET, isStream ? SOCK_STREAM : SOCK_DGRAM, 0)
    #endif
  }

  private static func call(
    _ descriptor: Int32, _ port: UInt16, _ body: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) throws {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr = in_addr(s_addr: UInt32(0x7f00_0001).bigEndian)
    let status = unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { throw SocketFailure(errno) }
  }
}

private func systemSend(_ descriptor: Int32, _ start: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe send(descriptor, start, count, 0)
}
