import Synchronization

#if os(Linux)
  import CConfinement
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Descriptors that a process has from its parent. A confined process may write to each that is open. Unsafe sites: system calls that fill
/// memory.
public enum InheritedDescriptors {
  /// The sockets that are left open, in ascending order. A confined process may not write to them.
  static var watched: [Int32] { kept.withLock { $0 } }

  private static let kept = Mutex<[Int32]>([])

  /// Closes all but standard input, output and error, and a few others: those that arguments name, as a shell hands over `<(command)` as
  /// `/dev/fd/63`, and the socket by which a parent is told that this process ends, as Foundation's `Process` does.
  ///
  /// It has to be called before the program opens anything.
  ///
  /// - Parameter arguments: The arguments of the program.
  public static func close(butThoseIn arguments: [String]) {
    let limit = Int32(clamping: min(max(sysconf(CInt(_SC_OPEN_MAX)), 256), 4096))
    let sockets = (3..<limit).filter(isWatchedByParent)
    kept.withLock { $0 = sockets }
    var first: UInt32 = 3
    let named = arguments.flatMap(named).filter { $0 > 2 }
    for descriptor in Set(named + sockets.map(UInt32.init(bitPattern:))).sorted() {
      if descriptor > first { close(first...descriptor - 1) }
      _ = fcntl(Int32(descriptor), F_SETFD, FD_CLOEXEC)
      first = descriptor + 1
    }
    close(first...UInt32(Int32.max))
  }

  /// The descriptors that an argument names: `/dev/fd/3`, or `--keys=/proc/self/fd/3`.
  static func named(in argument: String) -> [UInt32] {
    ["/dev/fd/", "/proc/self/fd/"].compactMap { prefix in
      guard let start = argument.indices.first(where: { argument[$0...].hasPrefix(prefix) }),
        let number = UInt32(argument[start...].dropFirst(prefix.count)), number < UInt32(Int32.max)
      else { return nil }
      return number
    }
  }

  /// Whether a descriptor is an unnamed socket whose other end the parent made.
  private static func isWatchedByParent(_ descriptor: Int32) -> Bool {
    #if os(Linux)
      var address = sockaddr_un()
      var length = socklen_t(MemoryLayout<sockaddr_un>.size)
      let isUnnamed = unsafe withUnsafeMutablePointer(to: &address) { place in
        unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe getsockname(descriptor, $0, &length) }
      }
      guard isUnnamed == 0, address.sun_family == sa_family_t(AF_UNIX), length <= 2 else { return false }
      return socket_peer(descriptor) == getppid()
    #else
      return false
    #endif
  }

  private static func close(_ range: ClosedRange<UInt32>) {
    #if os(Linux)
      if close_descriptors(range.lowerBound, range.upperBound) == 0 { return }
    #endif
    // Where the kernel cannot do it at once: as many as a process may usually have.
    let last = min(range.upperBound, UInt32(clamping: sysconf(CInt(_SC_OPEN_MAX))), 1 << 16)
    guard last >= range.lowerBound else { return }
    for descriptor in range.lowerBound...last {
      #if canImport(Glibc)
        _ = Glibc.close(Int32(descriptor))
      #elseif canImport(Musl)
        _ = Musl.close(Int32(descriptor))
      #else
        _ = Darwin.close(Int32(descriptor))
      #endif
    }
  }
}
