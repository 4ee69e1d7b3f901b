#if os(Linux)
  import CConfinement

  #if canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// seccomp: which system calls a process may make from now on. Unsafe sites: libseccomp's context, which is released
  /// where it was made, and conditions that it copies.
  ///
  /// What is refused is named, and not what is allowed: the calls that the runtime, the C library and SQLite make change
  /// with their versions, and those that nobody needs who only reads, counts and writes do not.
  enum SystemCallFilter {
    /// What is refused as not permitted (EPERM).
    static let refused = [
      // Other programs, and other processes.
      "execve", "execveat", "fork", "vfork", "ptrace", "process_vm_readv", "process_vm_writev", "process_madvise",
      "pidfd_open", "pidfd_getfd", "pidfd_send_signal", "kcmp", "setns", "unshare",
      // The network: connecting; sockets themselves are refused where nothing is served.
      "connect", "socketpair",
      // File systems and what is seen of them.
      "mount", "umount", "umount2", "pivot_root", "chroot", "open_tree", "move_mount", "fsopen", "fsconfig", "fsmount",
      "fspick", "mount_setattr", "open_by_handle_at", "name_to_handle_at", "quotactl", "quotactl_fd", "swapon",
      "swapoff", "mknod", "mknodat", "chown", "fchown", "lchown", "fchownat",
      // The kernel and the machine.
      "kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module", "bpf", "perf_event_open",
      "userfaultfd", "reboot", "acct", "iopl", "ioperm", "syslog", "sethostname", "setdomainname", "settimeofday",
      "clock_settime", "adjtimex", "clock_adjtime", "add_key", "request_key", "keyctl", "personality",
      // Becoming somebody else.
      "setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid", "setgroups", "setfsuid", "setfsgid",
      "capset",
      // Another way to make the calls above.
      "io_uring_setup", "io_uring_enter", "io_uring_register",
    ]

    /// That this process and all that it could ever start have no more rights than it has now.
    ///
    /// - Throws: When the system refuses.
    static func giveUpNewPrivileges() throws(ConfinementFault) {
      guard confinement_no_new_privileges() == 0 else {
        throw ConfinementFault(description: "no new privileges: \(systemErrorText())")
      }
    }

    /// Confines all threads of this process.
    ///
    /// - Parameter serves: Whether sockets of IP may be opened and bound.
    /// - Throws: When the kernel does not have it.
    static func begin(serves: Bool) throws(ConfinementFault) {
      guard let filter = unsafe seccomp_init(0x7fff_0000 /* SCMP_ACT_ALLOW */) else {
        throw ConfinementFault(description: "no seccomp filter")
      }
      defer { unsafe seccomp_release(filter) }
      unsafe check(seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1))
      for name in refused { try unsafe refuse(name, in: filter) }
      // Not there, as far as the C library can tell: it starts threads with `clone` then, whose flags can be looked at.
      try unsafe refuse("clone3", with: ENOSYS, in: filter)
      // Threads, but no processes.
      try unsafe refuse(
        "clone", in: filter, when: condition(0, SCMP_CMP_MASKED_EQ, UInt64(0x10000 /* CLONE_THREAD */), 0))
      if serves {
        // Comparing is all that there is: all below the one, all above the other, and what is between (1, 3 … 9).
        try unsafe refuse("socket", in: filter, when: condition(0, SCMP_CMP_LT, UInt64(AF_INET), 0))
        try unsafe refuse("socket", in: filter, when: condition(0, SCMP_CMP_GT, UInt64(AF_INET6), 0))
        for family in UInt64(AF_INET) + 1..<UInt64(AF_INET6) {
          try unsafe refuse("socket", in: filter, when: condition(0, SCMP_CMP_EQ, family, 0))
        }
      } else {
        for name in ["socket", "bind", "listen", "accept", "accept4"] { try unsafe refuse(name, in: filter) }
      }
      let status = unsafe seccomp_load(filter)
      guard status == 0 else { throw ConfinementFault(description: "seccomp: \(systemErrorText(-status))") }
    }

    /// Refuses a call; one that this architecture or this library does not know needs no rule.
    @unsafe private static func refuse(
      _ name: String, with error: Int32 = EPERM, in filter: scmp_filter_ctx, when condition: scmp_arg_cmp? = nil
    ) throws(ConfinementFault) {
      let number = unsafe seccomp_syscall_resolve_name(name)
      // Below 0 are pseudo numbers of calls that other architectures have.
      guard number >= 0 else { return }
      let action = UInt32(0x0005_0000 /* SCMP_ACT_ERRNO */) | UInt32(error)
      let conditions = condition.map { [$0] } ?? []
      let status = unsafe seccomp_rule_add_array(filter, action, number, UInt32(conditions.count), conditions)
      guard status == 0 else { throw ConfinementFault(description: "seccomp, \(name): \(systemErrorText(-status))") }
    }

    private static func condition(
      _ argument: UInt32, _ comparison: scmp_compare, _ first: UInt64, _ second: UInt64
    ) -> scmp_arg_cmp {
      scmp_arg_cmp(arg: argument, op: comparison, datum_a: first, datum_b: second)
    }

    /// Where a setting is only for the better.
    private static func check(_ status: Int32) {}
  }
#endif
