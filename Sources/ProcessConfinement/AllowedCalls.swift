#if os(Linux)
  import CConfinement

  #if canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// What a run may still ask of the kernel: what the runtime, the C library, SQLite, libpcap and the server of metrics ask
  /// for, seen with `strace` and by running all tests, and their equivalents on other architectures and in newer libraries.
  /// Numbers are those of the kernel's headers, which not all of them are importable from.
  enum AllowedCalls {
    /// An argument, of which `mask` has the bits that are looked at, and `value` what they have to be.
    struct Argument {
      var index: UInt32
      var mask: UInt64
      var value: UInt64

      /// An argument that the kernel takes as a number of 32 bits, whatever stands above it.
      static func word(_ index: UInt32, _ value: UInt32) -> Argument {
        Argument(index: index, mask: 0xffff_ffff, value: UInt64(value))
      }

      /// An argument in which these bits are not set.
      static func without(_ index: UInt32, _ bits: UInt32) -> Argument {
        Argument(index: index, mask: UInt64(bits), value: 0)
      }
    }

    /// A call; with arguments only where all of them are as they say.
    struct Rule {
      var name: String
      var arguments: [Argument] = []
    }

    /// Everything that a run may call.
    static func rules(_ confinement: Confinement) -> [Rule] {
      let names = memory + threads + signals + time + files + events + receiving + own
      var rules = names.map { Rule(name: $0) } + conditional
      if confinement.looksAtProcesses {
        rules.removeAll { changing.contains($0.name) || ["open", "openat"].contains($0.name) }
        // To be read: neither `O_WRONLY` nor `O_RDWR`, `O_CREAT`, `O_TRUNC`.
        let writing: UInt32 = 0o1103
        rules.append(Rule(name: "open", arguments: [.without(1, writing)]))
        rules.append(Rule(name: "openat", arguments: [.without(2, writing)]))
      }
      if confinement.serves {
        // The port listens already, and clients' sockets have its options. Where the kernel has no `accept`, the C library calls the other one.
        rules += ["accept", "accept4"].map { Rule(name: $0) }
      }
      if confinement.setsOwnPriority {
        // Of the calling thread (0), not of another one or of a group.
        rules.append(Rule(name: "setpriority", arguments: [.word(0, 0 /* PRIO_PROCESS */), .word(1, 0)]))
      }
      return rules
    }

    private static let memory = [
      "brk", "madvise", "membarrier", "mincore", "mmap", "mprotect", "mremap", "msync", "munmap",
    ]

    private static let threads = [
      "exit", "exit_group", "futex", "futex_time64", "futex_wait", "futex_waitv", "futex_wake", "get_robust_list",
      "getcpu", "restart_syscall", "rseq", "sched_getaffinity", "sched_getparam", "sched_getscheduler",
      "sched_get_priority_max", "sched_get_priority_min", "sched_yield", "set_robust_list", "set_tid_address",
    ]

    private static let signals = [
      "pause", "rt_sigaction", "rt_sigpending", "rt_sigprocmask", "rt_sigreturn", "rt_sigsuspend", "rt_sigtimedwait",
      "sigaltstack", "sigreturn",
    ]

    private static let time = [
      "clock_getres", "clock_gettime", "clock_nanosleep", "gettimeofday", "nanosleep", "time", "times",
    ]

    /// Files that are open, and those that Landlock lets be opened: nothing that changes whose a file is or who may use it, and
    /// no other names for it.
    private static let files = [
      "access", "close", "close_range", "faccessat", "faccessat2", "fadvise64", "fallocate", "fdatasync", "flock",
      "fstat", "fstat64", "fstatat64", "fstatfs", "fsync", "ftruncate", "getcwd", "getdents", "getdents64", "lseek",
      "lstat", "newfstatat", "pread64", "preadv", "pwrite64", "read", "readlink", "readlinkat", "readv", "rename",
      "renameat", "renameat2", "stat", "statfs", "statx", "unlink", "unlinkat", "write", "writev",
    ]

    /// Those of them that change files.
    private static let changing: Set<String> = [
      "fallocate", "ftruncate", "rename", "renameat", "renameat2", "unlink", "unlinkat",
    ]

    private static let events = [
      "epoll_create", "epoll_create1", "epoll_ctl", "epoll_pwait", "epoll_pwait2", "epoll_wait", "eventfd2", "pipe2",
      "poll", "ppoll", "pselect6", "select", "timerfd_create", "timerfd_gettime", "timerfd_settime",
    ]

    /// Sockets that are open; those that send have no call of their own.
    private static let receiving = ["getsockname", "getsockopt", "recvfrom", "recvmsg", "shutdown"]

    private static let own = [
      "capget", "getegid", "geteuid", "getgid", "getgroups", "getpgrp", "getpid", "getppid", "getrandom", "getresgid",
      "getresuid", "getrlimit", "getrusage", "gettid", "getuid", "sysinfo", "uname",
    ]

    /// Calls of which only some uses are allowed.
    private static let conditional: [Rule] = {
      var rules: [Rule] = []
      // Threads, but no processes.
      rules.append(
        Rule(name: "clone", arguments: [Argument(index: 0, mask: 0x10000 /* CLONE_THREAD */, value: 0x10000)]))
      // Made for the owner, and perhaps readable by others, but nothing to be run, least of all as its owner.
      let modes: UInt32 = 0o7111
      rules.append(Rule(name: "open", arguments: [.without(2, modes)]))
      rules.append(Rule(name: "openat", arguments: [.without(3, modes)]))
      // Descriptors' own flags, and locks of files: nothing that makes the kernel signal other processes (F_SETOWN), and
      // no second number for a descriptor (F_DUPFD), by which it would not be known any more.
      for command in [
        F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_GETLK, F_SETLK, F_SETLKW, 36 /* F_OFD_GETLK */, 37 /* F_OFD_SETLK */,
        38, /* F_OFD_SETLKW */
      ] {
        rules.append(Rule(name: "fcntl", arguments: [.word(1, UInt32(command))]))
      }
      // A terminal's size and modes, and what libpcap asks of an interface that is gone: nothing that types (TIOCSTI).
      for request: UInt32 in [
        0x5401 /* TCGETS */, 0x5402 /* TCSETS */, 0x5403 /* TCSETSW */, 0x5404 /* TCSETSF */, 0x5413 /* TIOCGWINSZ */,
        0x802c_542a /* TCGETS2 */, 0x402c_542b /* TCSETS2 */, 0x402c_542c /* TCSETSW2 */, 0x402c_542d /* TCSETSF2 */,
        0x541b /* FIONREAD */, 0x5421 /* FIONBIO */, 0x8910 /* SIOCGIFNAME */, 0x8913, /* SIOCGIFFLAGS */
      ] {
        rules.append(Rule(name: "ioctl", arguments: [.word(1, request)]))
      }
      // Names of threads, and of memory for whoever looks at it.
      for option: UInt32 in [15 /* PR_SET_NAME */, 16 /* PR_GET_NAME */, 0x5356_4d41 /* PR_SET_VMA */] {
        rules.append(Rule(name: "prctl", arguments: [.word(0, option)]))
      }
      // This process's limits, to be read.
      rules.append(
        Rule(name: "prlimit64", arguments: [.word(0, 0), Argument(index: 2, mask: .max, value: 0)]))
      // This process, for `abort`.
      let process = UInt32(bitPattern: getpid())
      for name in ["kill", "tgkill"] { rules.append(Rule(name: name, arguments: [.word(0, process)])) }
      return rules
    }()
  }
#endif
