// Unsafe sites: octets that are lent to the system for the time of a call.

import SystemPackage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A socket or an end of a pipe whose calls never wait. It sends by `write`, since a process that captures may not use the calls that only
/// send.
struct Socket: Sendable {
  /// The result of a transfer.
  enum Transfer: Equatable {
    /// The number of octets that were transferred, at least 1.
    case octets(Int)
    /// At the moment there are no octets, or no room.
    case notNow
    /// The other end has closed, or the connection is broken.
    case over
  }

  /// The system's number.
  let descriptor: CInt

  init(descriptor: CInt) { self.descriptor = descriptor }

  /// Takes the result of a call. Throws the call's error if the result is no descriptor.
  init(checking descriptor: CInt) throws(Errno) {
    guard descriptor >= 0 else { throw Errno(rawValue: errno) }
    self.descriptor = descriptor
  }

  /// Makes a pipe. Throws the system's error.
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

  /// Makes the descriptor non-blocking, and keeps it from other programs. Throws the system's error.
  func setFlags() throws(Errno) {
    guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else {
      throw Errno(rawValue: errno)
    }
  }

  /// Receives at most `limit` octets.
  func receive(into buffer: inout [UInt8], limit: Int) -> Transfer {
    let length = min(limit, buffer.count)
    return Self.transfer(unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, length) })
  }

  /// Sends the first octets of a buffer, as many as the system takes.
  func send(_ buffer: [UInt8], _ length: Int) -> Transfer {
    Self.transfer(unsafe buffer.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, length) })
  }

  /// Ends the sending direction.
  func endSending() { _ = shutdown(descriptor, CInt(SHUT_WR)) }

  /// Closes the descriptor.
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
