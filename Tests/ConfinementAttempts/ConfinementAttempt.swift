#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

#if os(Linux)
  import CConfinement
#endif

/// Something that a run never does, and that its confinement is to refuse. Unsafe sites: system calls that are given
/// strings and places for their answers, for the time of the call.
struct ConfinementAttempt {
  let name: String
  /// Tries it, and says whether the system refused.
  let isRefused: () -> Bool

  /// All that is tried. None of it does harm where it is possible after all.
  static func all(victim: String, serves: Bool) -> [ConfinementAttempt] {
    var attempts = [
      ConfinementAttempt(name: "reading \(victim)") { !reads(victim) },
      ConfinementAttempt(name: "writing \(victim)") { isRefused(unsafe open(victim, O_WRONLY | O_CLOEXEC)) },
      ConfinementAttempt(name: "writing in /tmp") { !writes("/tmp/.sniffer-confinement-\(getpid())") },
    ]
    #if os(Linux)
      attempts += [
        ConfinementAttempt(name: "starting a program", isRefused: { !starts("/bin/true") }),
        ConfinementAttempt(name: "starting a process") { !forks() },
        ConfinementAttempt(name: "tracing") { isRefused(confinement_trace_me()) },
        ConfinementAttempt(name: "mounting") {
          isRefused(unsafe mount("none", "/", nil, UInt(1 << 5 /* MS_REMOUNT */), nil))
        },
        ConfinementAttempt(name: "connecting") { !connects() },
        ConfinementAttempt(name: "a packet socket") { isRefused(socket(17 /* AF_PACKET */, 3, 0)) },
        ConfinementAttempt(name: "a netlink socket") { isRefused(socket(16 /* AF_NETLINK */, 3, 0)) },
        ConfinementAttempt(name: "becoming another user") { setuid(geteuid()) != 0 },
      ]
      if !serves { attempts.append(ConfinementAttempt(name: "an IP socket") { isRefused(socket(AF_INET, 1, 0)) }) }
    #endif
    return attempts
  }

  /// Whether a file can be opened for reading.
  static func reads(_ path: String) -> Bool { !isRefused(unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) }

  /// Whether a new file can be made, which is removed again.
  static func writes(_ path: String) -> Bool {
    if isRefused(unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)) { return false }
    _ = unsafe unlink(path)
    return true
  }

  /// Closes a descriptor if there is one.
  private static func isRefused(_ descriptor: Int32) -> Bool {
    if descriptor > 2 { close(descriptor) }
    return descriptor < 0
  }

  #if os(Linux)
    private static func starts(_ path: String) -> Bool {
      var process = pid_t()
      var arguments = unsafe [UnsafeMutablePointer<CChar>?](arrayLiteral: nil)
      guard unsafe posix_spawn(&process, path, nil, nil, &arguments, nil) == 0 else { return false }
      _ = waitpid(process, nil, 0)
      return true
    }

    private static func forks() -> Bool {
      let process = confinement_fork()
      if process == 0 { _exit(0) }
      if process > 0 { _ = waitpid(process, nil, 0) }
      return process >= 0
    }

    /// To a port of the loopback at which nobody listens: without confinement the answer is another error.
    private static func connects() -> Bool {
      let descriptor = socket(AF_INET, 1, 0)
      guard descriptor >= 0 else { return false }
      defer { close(descriptor) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(1).bigEndian
      address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
      let status = unsafe withUnsafePointer(to: &address) { place in
        unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      return status == 0 || errno == ECONNREFUSED
    }
  #endif
}
