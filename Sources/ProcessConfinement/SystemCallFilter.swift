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
  /// What is allowed is named (`AllowedCalls`). All else is refused as not permitted (EPERM); calls that are newer than any that
  /// an old C library can do without are not there (ENOSYS), so that newer libraries do as on older kernels.
  enum SystemCallFilter {
    /// From `pidfd_send_signal` on; numbers from here on are the same on every architecture. 511 is beyond all that there are.
    private static let newer: ClosedRange<Int32> = 424...511

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
    /// - Throws: When the kernel does not have it.
    static func begin(_ confinement: Confinement) throws(ConfinementFault) {
      try closeToWriting(confinement.receivers)
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

    /// Refuses to write to some descriptors, for which there is no other way to be written to among what is allowed, and no
    /// way to get another number. A filter of its own: one that allows a call cannot except many values of an argument.
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

    /// Makes a filter, and sets it to work for all threads.
    @unsafe private static func load(
      otherwise action: UInt32, _ fill: (scmp_filter_ctx) throws(ConfinementFault) -> Void
    ) throws(ConfinementFault) {
      guard let filter = unsafe seccomp_init(action) else { throw ConfinementFault(description: "no seccomp filter") }
      defer { unsafe seccomp_release(filter) }
      unsafe check(seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1))
      // A tree of comparisons and not a list, where the library can: most calls are found after seven of them.
      unsafe check(seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2))
      // A call of another table, as x32's, ends the process: a thread that ends alone leaves the others, and what they have locked.
      unsafe check(seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, 0x8000_0000 /* SCMP_ACT_KILL_PROCESS */))
      try unsafe fill(filter)
      let status = unsafe seccomp_load(filter)
      guard status == 0 else { throw ConfinementFault(description: "seccomp: \(systemErrorText(-status))") }
    }

    /// The number of a call; nil for one that this architecture or this library does not know, which needs no rule.
    @unsafe private static func number(_ name: String) -> Int32? {
      let number = unsafe seccomp_syscall_resolve_name(name)
      // Below 0 are pseudo numbers of calls that other architectures have.
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

    /// Refuses with an error.
    private static func refused(_ error: Int32) -> UInt32 {
      UInt32(0x0005_0000 /* SCMP_ACT_ERRNO */) | UInt32(error)
    }

    /// Where a setting is only for the better.
    private static func check(_ status: Int32) {}
  }
#endif
