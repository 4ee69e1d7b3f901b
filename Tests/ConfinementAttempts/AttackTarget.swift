#if os(Linux)
  import CConfinement
  import Capture
  import Foundation

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// What an attacker inside of a run has at hand, or would like to have: made before the confinement, so that it is not for
  /// want of it that an attempt fails. Unsafe sites: addresses and places for answers that calls are given.
  final class AttackTarget {
    let victim: String
    let output: String?
    /// A process of the same user's.
    private(set) var process = pid_t()
    /// A terminal; its other side stays open, too.
    private var terminal: Int32 = -1
    /// A file that a report could be.
    private(set) var own: Int32 = -1
    /// What packets are captured with, as a live run does.
    private let capture: LiveCapture?
    /// Sockets of the Internet, as if one had been left open.
    private(set) var datagrams: Int32 = -1
    private(set) var stream: Int32 = -1
    /// Who runs this, from before: afterwards there may be no way to become anybody.
    private let wasRoot = geteuid() == 0

    init(victim: String, output: String?, interface: String?) throws {
      self.victim = victim
      self.output = output
      capture = try interface.map { try LiveCapture(interface: $0) }
      try startProcess()
      var otherSide: Int32 = -1
      _ = unsafe openpty(&otherSide, &terminal, nil, nil, nil)
      own = unsafe open((output ?? "/tmp") + "/own", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
      datagrams = Int32(Attempt.call("socket", [2 /* AF_INET */, 2, 0]))
      stream = Int32(Attempt.call("socket", [2 /* AF_INET */, 1, 0]))
    }

    /// Starts a process that ends with this one, when there is nothing more to be read from it. No thread may be started
    /// before the confinement, so that Foundation cannot be asked to.
    private func startProcess() throws {
      struct Failure: Error {}
      var ends = [Int32](repeating: -1, count: 2)
      var actions = unsafe posix_spawn_file_actions_t()
      guard unsafe pipe(&ends) == 0, fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0,
        unsafe posix_spawn_file_actions_init(&actions) == 0,
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[0], 0) == 0
      else { throw Failure() }
      defer { unsafe posix_spawn_file_actions_destroy(&actions) }
      var arguments = unsafe [UnsafeMutablePointer<CChar>?](repeating: nil, count: 2)
      unsafe arguments[0] = strdup("cat")
      guard unsafe posix_spawn(&process, "/bin/cat", &actions, nil, &arguments, nil) == 0 else { throw Failure() }
    }

    /// Removes what was made, as far as that is still possible.
    func end() {
      _ = unsafe unlink((output ?? "/tmp") + "/own")
    }

    /// What a run tells its confinement.
    var receivers: [Int32] { [capture?.descriptor].compactMap(\.self) }

    /// A port of the loopback at which nobody listens.
    private static let address = [2, 0, 0, 9, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0] as [UInt8]

    // MARK: Files

    /// What Landlock alone can tell from what a run has to do.
    var files: [Attempt] {
      let victim = victim
      return [
        Attempt("reading \(victim)") { !Attempt.reads(victim) },
        Attempt("writing \(victim)") { Attempt.isRefused(unsafe open(victim, O_WRONLY | O_CLOEXEC)) },
        Attempt("writing in /tmp") { !Attempt.writes("/tmp/.sniffer-confinement-\(getpid())") },
      ]
    }

    /// Whose files are, who may use them, and what else they are called.
    var modes: [Attempt] {
      let path = Memory.text(victim)
      let (name, value) = (Memory.text("user.sniffer"), Memory.text("x"))
      let folder = output ?? "/tmp"
      let own = Int(own)
      return [
        Attempt("chmod", "chmod") { [path, 0o4755] },
        Attempt("fchmodat", "fchmodat") { [-100, path, 0o4755] },
        Attempt("fchmodat2", "fchmodat2") { [-100, path, 0o4755, 0] },
        Attempt("fchmod of its own file", "fchmod") { [own, 0o4755] },
        Attempt("chown", "chown") { [path, Int(getuid()), Int(getgid())] },
        Attempt("fchown of its own file", "fchown") { [own, Int(getuid()), Int(getgid())] },
        Attempt("setxattr", "setxattr") { [path, name, value, 1, 0] },
        Attempt("fsetxattr of its own file", "fsetxattr") { [own, name, value, 1, 0] },
        Attempt("removexattr", "removexattr") { [path, name] },
        Attempt("utimensat", "utimensat") { [-100, path, 0, 0] },
        Attempt("truncate", "truncate") { [path, 8] },
        Attempt("a link to it", "linkat") { [-100, path, -100, Memory.text(folder + "/link"), 0] },
        Attempt("a symbolic link to it", "symlinkat") { [path, -100, Memory.text(folder + "/symbolic-link")] },
        Attempt("a folder", "mkdirat") { [-100, Memory.text(folder + "/folder"), 0o700] },
        Attempt("a new file to be run as its owner") { !Attempt.writes(folder + "/setuid", mode: 0o4700) },
        Attempt("a new file to be run") { !Attempt.writes(folder + "/program", mode: 0o700) },
        Attempt("a device", "mknodat") { [-100, Memory.text(folder + "/null"), Int(S_IFCHR) | 0o600, 0x103] },
      ]
    }

    // MARK: Processes

    /// Programs, processes, and what other processes of the same user can suffer. What ends the process comes last.
    var processes: [Attempt] {
      let other = Int(process)
      let limit = Memory.words([1, 1])
      let place = Memory.words([0, 0, 0, 0])
      let vector = Memory.words([place, 8])
      return [
        Attempt("starting a program", isRefused: { !Self.starts("/bin/true") }),
        Attempt("starting a process") { !Self.forks("fork", []) },
        Attempt("starting a process with clone") { !Self.forks("clone", [Int(SIGCHLD)]) },
        // `struct clone_args`: the signal at its end is the fifth number.
        Attempt("starting a process with clone3") {
          !Self.forks("clone3", [Memory.words([0, 0, 0, 0, Int(SIGCHLD), 0, 0, 0]), 64])
        },
        Attempt("reading a process's memory", "process_vm_readv") { [other, vector, 1, vector, 1, 0] },
        Attempt("a process's limits", "prlimit64") { [other, Int(coreLimit), limit, 0] },
        Attempt("reading a process's limits", "prlimit64") { [other, Int(coreLimit), 0, place] },
        Attempt("its own limits", "prlimit64") { [0, Int(coreLimit), limit, 0] },
        Attempt("a process's priority", "setpriority") { [0, other, 19] },
        Attempt("a process's processors", "sched_setaffinity") { [other, 8, Memory.words([1])] },
        Attempt("a process's scheduling", "sched_setscheduler") { [other, 3 /* SCHED_BATCH */, Memory.words([0])] },
        Attempt("a descriptor of a process", "pidfd_open") { [other, 0] },
        Attempt("a signal by a descriptor's owner", "fcntl") { [Int(own), 8 /* F_SETOWN */, other] },
        Attempt("a signal to a thread", "tgkill") { [other, other, 0] },
        Attempt("a signal to any thread", "tkill") { [other, 0] },
        Attempt("a signal with a value", "rt_sigqueueinfo") { [other, Int(SIGCONT), Self.signal] },
        Attempt("tracing", "ptrace") { [0x4206 /* PTRACE_SEIZE */, other, 0, 0] },
        Attempt("killing its group", "kill") { [0, 0] },
        Attempt("killing all", "kill") { [-1, 0] },
        Attempt("killing a process", "kill") { [other, Int(SIGKILL)] },
      ]
    }

    /// `RLIMIT_CORE`, which is harmless.
    private var coreLimit: Int32 { 4 }

    /// `siginfo_t` of a signal sent with `sigqueue`.
    private static var signal: Int {
      Memory.octets([UInt8(SIGCONT), 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff] + [UInt8](repeating: 0, count: 116))
    }

    private static func starts(_ path: String) -> Bool {
      var process = pid_t()
      var arguments = unsafe [UnsafeMutablePointer<CChar>?](arrayLiteral: nil)
      guard unsafe posix_spawn(&process, path, nil, nil, &arguments, nil) == 0 else { return false }
      _ = waitpid(process, nil, 0)
      return true
    }

    private static func forks(_ name: String, _ arguments: [Int]) -> Bool {
      let process = Attempt.call(name, arguments)
      if process == 0 { _ = Attempt.call("exit_group", [0]) }
      if process > 0 { _ = waitpid(pid_t(process), nil, 0) }
      return process >= 0
    }

    // MARK: Terminals

    /// Typing into a terminal, which whoever started the run would take for typed by them.
    var terminals: [Attempt] {
      let (terminal, octet) = (Int(terminal), Memory.text("x"))
      return [
        Attempt("typing into a terminal", "ioctl") { [terminal, 0x5412 /* TIOCSTI */, octet] },
        // The kernel looks at 32 bits.
        Attempt("typing with a longer number", "ioctl") { [terminal, 0x1_0000_5412, octet] },
        Attempt("making a terminal its own", "ioctl") { [terminal, 0x540e /* TIOCSCTTY */, 1] },
        Attempt("setting who is signalled", "ioctl") {
          [Int(datagrams), 0x8901 /* FIOSETOWN */, Memory.words([Int(getpid())])]
        },
      ]
    }

    // MARK: Packets

    /// Sending a forged frame with what packets are received with.
    var sending: [Attempt] {
      var attempts = [
        Attempt("a packet socket", "socket") { [17 /* AF_PACKET */, 3, 0] },
        Attempt("a raw socket", "socket") { [2 /* AF_INET */, 3, 255] },
        Attempt("a netlink socket", "socket") { [16 /* AF_NETLINK */, 3, 0] },
      ]
      guard let socket = receivers.first.map({ Int($0) }) else { return attempts }
      // To nobody, from nobody, of a type for experiments (IEEE 802).
      let frame = [UInt8](repeating: 0, count: 12) + [0x88, 0xb5] + [UInt8](repeating: 0x73, count: 50)
      let octets = Memory.octets(frame)
      let vector = Memory.words([octets, frame.count])
      let header = Memory.words([0, 0, vector, 1, 0, 0, 0, 0])
      // `struct sockaddr_ll` of the first interface, which is the loopback.
      let address = Memory.octets([17, 0, 0x88, 0xb5, 1, 0, 0, 0, 1, 0, 0, 6] + [UInt8](repeating: 0, count: 8))
      func second(_ name: String, _ arguments: [Int]) -> Bool {
        let copy = Attempt.call(name, arguments)
        return copy < 0 || Attempt.isRefused("write", [copy, octets, frame.count])
      }
      attempts += [
        Attempt("a frame by write", "write") { [socket, octets, frame.count] },
        // The kernel looks at 32 bits.
        Attempt("a frame by write to a longer number", "write") { [socket | 1 << 32, octets, frame.count] },
        Attempt("a frame by writev", "writev") { [socket, vector, 1] },
        Attempt("a frame by pwritev2", "pwritev2") { [socket, vector, 1, -1, -1, 0] },
        Attempt("a frame by sendto", "sendto") { [socket, octets, frame.count, 0, 0, 0] },
        Attempt("a frame by sendto with an address", "sendto") { [socket, octets, frame.count, 0, address, 20] },
        Attempt("a frame by sendmsg", "sendmsg") { [socket, header, 0] },
        Attempt("a frame by sendmmsg", "sendmmsg") { [socket, header, 1, 0] },
        Attempt("a frame by sendfile") { [own] in
          _ = unsafe pwrite(own, frame, frame.count, 0)
          return Attempt.isRefused("sendfile", [socket, Int(own), Memory.words([0]), frame.count])
        },
        Attempt("a frame by a copy of the socket") { second("dup", [socket]) },
        Attempt("a frame by a copy at a number") { second("dup3", [socket, 200, 0]) },
        Attempt("a frame by a copy of fcntl's") { second("fcntl", [socket, 0 /* F_DUPFD */, 100]) },
        Attempt("a ring to send from", "setsockopt") {
          [
            socket, 263 /* SOL_PACKET */, 13 /* PACKET_TX_RING */, Memory.octets([UInt8](repeating: 0, count: 28)), 28,
          ]
        },
        Attempt("receiving what the filter leaves out", "setsockopt") {
          [socket, 1 /* SOL_SOCKET */, 27 /* SO_DETACH_FILTER */, Memory.words([0]), 4]
        },
        Attempt("another interface", "bind") { [socket, address, 20] },
      ]
      return attempts
    }

    // MARK: The network

    /// Getting out by TCP and UDP, also with sockets that would be there.
    var connecting: [Attempt] {
      let address = Memory.octets(Self.address)
      let octets = Memory.text("x")
      let vector = Memory.words([octets, 1])
      let header = Memory.words([address, 16, vector, 1, 0, 0, 0, 0])
      let (datagrams, stream) = (Int(datagrams), Int(stream))
      return [
        Attempt("a UDP socket", "socket") { [2 /* AF_INET */, 2, 0] },
        Attempt("a TCP socket", "socket") { [2 /* AF_INET */, 1, 0] },
        Attempt("an IPv6 socket", "socket") { [10 /* AF_INET6 */, 1, 0] },
        Attempt("a Unix socket", "socket") { [1 /* AF_UNIX */, 1, 0] },
        Attempt("a pair of sockets", "socketpair") { [1, 1, 0, Memory.words([0])] },
        Attempt("UDP by sendto", "sendto") { [datagrams, octets, 1, 0, address, 16] },
        Attempt("UDP by sendmsg", "sendmsg") { [datagrams, header, 0] },
        Attempt("UDP by sendmmsg", "sendmmsg") { [datagrams, header, 1, 0] },
        Attempt("UDP by connect", "connect") { [datagrams, address, 16] },
        // Nobody listens there: without confinement it gets as far as that.
        Attempt("TCP Fast Open by sendto") {
          Attempt.isRefused("sendto", [stream, octets, 1, 0x2000_0000 /* MSG_FASTOPEN */, address, 16])
        },
        Attempt("TCP Fast Open by sendmsg") {
          Attempt.isRefused("sendmsg", [stream, header, 0x2000_0000 /* MSG_FASTOPEN */])
        },
        Attempt("TCP Fast Open by an option", "setsockopt") {
          [stream, 6, 30 /* TCP_FASTOPEN_CONNECT */, Memory.words([1]), 4]
        },
        Attempt("connecting", "connect") { [stream, address, 16] },
        Attempt("a port", "bind") {
          [stream, Memory.octets([2, 0, 0, 0, 127, 0, 0, 1] + [UInt8](repeating: 0, count: 8)), 16]
        },
        Attempt("listening", "listen") { [stream, 1] },
        Attempt("an option of a connection", "setsockopt") { [stream, 6, 1 /* TCP_NODELAY */, Memory.words([1]), 4] },
      ]
    }

    // MARK: Privileges and the kernel

    /// What root can do, and becoming somebody else.
    var privileges: [Attempt] {
      var attempts = [
        Attempt("capabilities in effect") { Self.capabilities("CapEff") == 0 && Self.capabilities("CapPrm") == 0 },
        Attempt("capabilities to be had") {
          // Who was not root could not give these up, and cannot have them without a program.
          Self.capabilities("CapInh") == 0 && Self.capabilities("CapAmb") == 0
            && (!self.wasRoot || Self.capabilities("CapBnd") == 0)
        },
        Attempt("taking capabilities", "capset") {
          // `struct __user_cap_header_struct` of version 3, and the data: what there is, in both halves.
          [
            Memory.octets([0x26, 0x05, 0x08, 0x20, 0, 0, 0, 0]),
            Memory.octets((0..<2).flatMap { _ in [UInt8](repeating: 0, count: 12) }),
          ]
        },
        Attempt("becoming another user", "setuid") { [Int(geteuid())] },
        Attempt("becoming another group", "setgid") { [Int(getegid())] },
      ]
      if wasRoot {
        attempts += [
          Attempt("other groups", "setgroups") { [0, 0] },
          // No such file system, which the kernel says to who may mount.
          Attempt("mounting", "mount") { [Memory.text("none"), Memory.text(victim), Memory.text("none"), 0, 0] },
        ]
      }
      return attempts
    }

    /// A set of capabilities, as the kernel says it; nil when it does not.
    private static func capabilities(_ name: String) -> UInt64? {
      guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
      let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
      return line.flatMap { UInt64($0.split(separator: "\t").last ?? "", radix: 16) }
    }

    /// Other ways into the kernel, and ways around the filter.
    var kernel: [Attempt] {
      [
        Attempt("io_uring", "io_uring_setup") { [1, Memory.octets([UInt8](repeating: 0, count: 120))] },
        Attempt("a file without a folder", "memfd_create") { [Memory.text("x"), 0] },
        Attempt("bpf", "bpf") {
          // `union bpf_attr`: an array of one entry.
          [
            0 /* BPF_MAP_CREATE */,
            Memory.octets([2, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 99)), 112,
          ]
        },
        Attempt("keys", "keyctl") { [0 /* KEYCTL_GET_KEYRING_ID */, -3, 1] },
        Attempt("asynchronous files", "io_setup") { [1, Memory.words([0])] },
        Attempt("personality", "personality") { [0xffff_ffff] },
        Attempt("another filter", "seccomp") {
          [2 /* SECCOMP_GET_ACTION_AVAIL */, 0, Memory.octets([0, 0, 0xff, 0x7f])]
        },
        Attempt("other namespaces", "unshare") { [0x1000_0000 /* CLONE_NEWUSER */] },
        Attempt("being traced by all", "prctl") { [0x5961_6d61 /* PR_SET_PTRACER */, -1] },
      ]
    }
  }
#endif
