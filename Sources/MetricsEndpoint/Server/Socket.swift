// Unsafe sites: octets that are lent to the system for the time of a call.

import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A descriptor on which no call waits: a socket, or an end of a pipe. It sends by `write`, since a process that captures may make no call that
/// only sends.
struct Socket: Sendable {
  /// What came of a transfer.
  enum Transfer: Equatable {
    /// So many octets were transferred, one at least.
    case octets(Int)
    /// There is nothing, or no room, at the moment.
    case notNow
    /// The other end has ended it, or it is broken.
    case over
  }

  /// The system's number.
  let descriptor: CInt

  init(descriptor: CInt) { self.descriptor = descriptor }

  /// A descriptor that a call has given. Throws its error where it has given none.
  init(checking descriptor: CInt) throws(Errno) {
    guard descriptor >= 0 else { throw Errno(rawValue: errno) }
    self.descriptor = descriptor
  }

  /// A pipe: what is written to the one is read from the other. Throws the system's error.
  static func pipe() throws(Errno) -> (reading: Socket, writing: Socket) {
    var ends: [CInt] = [-1, -1]
    #if canImport(Darwin)
      let status = unsafe Darwin.pipe(&ends)
    #elseif canImport(Glibc)
      let status = unsafe Glibc.pipe(&ends)
    #else
      let status = unsafe Musl.pipe(&ends)
    #endif
    guard status == 0 else { throw Errno(rawValue: errno) }
    let pipe = (reading: Socket(descriptor: ends[0]), writing: Socket(descriptor: ends[1]))
    do throws(Errno) {
      try pipe.reading.setFlags()
      try pipe.writing.setFlags()
      return pipe
    } catch {
      pipe.reading.close()
      pipe.writing.close()
      throw error
    }
  }

  /// Sees to it that no call waits, and that no other program gets it. Throws the system's error.
  func setFlags() throws(Errno) {
    guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else {
      throw Errno(rawValue: errno)
    }
  }

  /// Takes octets that have come, `limit` at most.
  func receive(into buffer: inout [UInt8], limit: Int) -> Transfer {
    let length = min(limit, buffer.count)
    return Self.transfer(unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, length) })
  }

  /// Hands over the first octets of a buffer, as many as the system takes.
  func send(_ buffer: [UInt8], _ length: Int) -> Transfer {
    Self.transfer(unsafe buffer.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, length) })
  }

  /// Says that nothing more will be sent.
  func endSending() { _ = shutdown(descriptor, CInt(SHUT_WR)) }

  /// Gives it up.
  func close() {
    #if canImport(Darwin)
      _ = Darwin.close(descriptor)
    #elseif canImport(Glibc)
      _ = Glibc.close(descriptor)
    #else
      _ = Musl.close(descriptor)
    #endif
  }

  /// Waits for so many milliseconds until one of them can be received from, or sent to where that is waited for, or is broken. Returns which are.
  static func wait(for sockets: [(socket: Socket, isToSend: Bool)], milliseconds: CInt) -> [Bool] {
    var waits = sockets.map { socket, isToSend in
      pollfd(fd: socket.descriptor, events: Int16(isToSend ? POLLOUT : POLLIN), revents: 0)
    }
    let count = unsafe poll(&waits, nfds_t(waits.count), milliseconds)
    // Nothing is known where a signal came.
    return waits.map { count > 0 && $0.revents != 0 }
  }

  private static func transfer(_ result: Int) -> Transfer {
    if result > 0 { return .octets(result) }
    return result < 0 && [EAGAIN, EWOULDBLOCK, EINTR].contains(errno) ? .notNow : .over
  }
}
