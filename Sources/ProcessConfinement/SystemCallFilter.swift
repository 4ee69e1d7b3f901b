#if os(Linux)
  import CConfinement

  #if canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// seccomp: it limits the system calls of a process from now on. Unsafe sites: libseccomp's context, which is released where it was made,
  /// and conditions that it copies.
  ///
  /// `AllowedCalls` lists the allowed calls. Others are refused as not permitted (EPERM). Calls too new for old C libraries are refused as
  /// missing (ENOSYS), so that newer libraries act as on older kernels.
  enum SystemCallFilter {
    /// From `pidfd_send_signal` on, numbers are the same on every architecture. No call has a number beyond 511.
    private static let newer: ClosedRange<Int32> = 424...511

    /// Ensures that this process, and all that it starts, never gets more rights than now.
    ///
    /// - Throws: If the system refuses.
    static func giveUpNewPrivileges() throws(ConfinementFault) {
      guard confinement_no_new_privileges() == 0 else {
        throw ConfinementFault(description: "no new privileges: \(systemErrorText())")
      }
    }

    /// Confines all threads of this process.
    ///
    /// - Throws: If the kernel lacks seccomp.
    static func begin(_ confinement: Confinement) throws(ConfinementFault) {
      try closeToWriting(confinement.receivers + InheritedDescriptors.watched)
      let rules = AllowedCalls.rules(confinement)
      try unsafe load(otherwise: refused(EPERM)) { filter throws(ConfinementFault) in
        var allowed: Set<Int32> = []
        for rule in rules {
          if let number = unsafe number(rule.name) {
            allowed.insert(number)
            try unsafe add(rule, number, 0x7fff_0000 /* SCMP_ACT_ALLOW */, to: filter)
          }
        }
        for number in newer where !allowed.contains(number) {
          try unsafe add(AllowedCalls.Rule(name: "\(number)"), number, refused(ENOSYS), to: filter)
        }
      }
    }

    /// Refuses writing to some descriptors. The allowed calls have no other way to write to them, and none to get another number. It needs
    /// a filter of its own: a filter that allows a call cannot except many values of an argument.
    private static func closeToWriting(_ descriptors: [Int32]) throws(ConfinementFault) {
      guard !descriptors.isEmpty else { return }
      try unsafe load(otherwise: 0x7fff_0000 /* SCMP_ACT_ALLOW */) { filter throws(ConfinementFault) in
        for name in ["write", "writev"] {
          guard let number = unsafe number(name) else { continue }
          for descriptor in Set(descriptors) {
            let rule = AllowedCalls.Rule(name: name, arguments: [.word(0, UInt32(bitPattern: descriptor))])
            try unsafe add(rule, number, refused(EPERM), to: filter)
          }
        }
      }
    }

    /// Makes a filter and applies it to all threads.
    @unsafe private static func load(
      otherwise action: UInt32, _ fill: (scmp_filter_ctx) throws(ConfinementFault) -> Void
    ) throws(ConfinementFault) {
      guard let filter = unsafe seccomp_init(action) else { throw ConfinementFault(description: "no seccomp filter") }
      defer { unsafe seccomp_release(filter) }
      unsafe check(seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1))
      // If the library can, it makes a tree of comparisons in place of a list: most calls are found after seven comparisons.
      unsafe check(seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2))
      // A call of another table, as x32's, ends the process: a thread that ends alone leaves the others, and what they have locked.
      unsafe check(seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, 0x8000_0000 /* SCMP_ACT_KILL_PROCESS */))
      try unsafe fill(filter)
      let status = unsafe seccomp_load(filter)
      guard status == 0 else { throw ConfinementFault(description: "seccomp: \(systemErrorText(-status))") }
    }

    /// The number of a call. Nil if this architecture or library lacks the call, which then needs no rule.
    @unsafe private static func number(_ name: String) -> Int32? {
      let number = unsafe seccomp_syscall_resolve_name(name)
      // Numbers below 0 are pseudo numbers for calls of other architectures.
      return number >= 0 ? number : nil
    }

    @unsafe private static func add(
      _ rule: AllowedCalls.Rule, _ number: Int32, _ action: UInt32, to filter: scmp_filter_ctx
    ) throws(ConfinementFault) {
      let conditions = rule.arguments.map {
        scmp_arg_cmp(arg: $0.index, op: SCMP_CMP_MASKED_EQ, datum_a: $0.mask, datum_b: $0.value)
      }
      let status = unsafe seccomp_rule_add_array(filter, action, number, UInt32(conditions.count), conditions)
      guard status == 0 else {
        throw ConfinementFault(description: "seccomp, \(rule.name): \(systemErrorText(-status))")
      }
    }

    /// The action that refuses a call with an error.
    private static func refused(_ error: Int32) -> UInt32 {
      UInt32(0x0005_0000 /* SCMP_ACT_ERRNO */) | UInt32(error)
    }

    /// Ignores the status of an optional improvement.
    private static func check(_ status: Int32) {}
  }
#endif
