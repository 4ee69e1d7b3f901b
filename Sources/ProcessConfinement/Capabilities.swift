#if os(Linux)
  import CCap

  /// Rights of root beyond those of any user, and rights that a program may get. Unsafe sites: libcap's state, which is freed where it was
  /// made.
  package enum Capabilities {
    /// Gives up all capabilities for good, for this thread and those that it starts. These are the effective and permitted ones, and those
    /// that a program could still get.
    ///
    /// Only a thread with `CAP_SETPCAP` can remove them from the bounding set. For others, the set has no effect: no program gets
    /// capabilities after `PR_SET_NO_NEW_PRIVS`.
    ///
    /// - Returns: Whether none is left.
    @discardableResult
    package static func giveUp() -> Bool { keep([]) }

    /// Gives up all capabilities but those in `kept`. A program could get none of them in any case.
    ///
    /// - Returns: Whether no other is left.
    @discardableResult
    package static func keep(_ kept: [Capability]) -> Bool {
      let numbers = Set(kept.map(\.rawValue))
      _ = cap_reset_ambient()
      // The kernel reports capabilities that it does not know as in no set.
      for number in CInt(0)..<64 where cap_get_bound(number) > 0 { _ = cap_drop_bound(number) }
      guard let own = unsafe cap_get_proc(), let state = unsafe cap_init() else { return false }
      defer {
        unsafe cap_free(UnsafeMutableRawPointer(own))
        unsafe cap_free(UnsafeMutableRawPointer(state))
      }
      for number in numbers {
        var permitted = CAP_CLEAR
        guard unsafe cap_get_flag(own, number, CAP_PERMITTED, &permitted) == 0, permitted == CAP_SET else { continue }
        var number = number
        for set in [CAP_PERMITTED, CAP_EFFECTIVE] { _ = unsafe cap_set_flag(state, set, 1, &number, CAP_SET) }
      }
      // If changing capabilities is forbidden, there may be none to give up.
      return unsafe cap_set_proc(state) == 0 || cap_compare(own, state) == 0
    }
  }

  /// A capability. The raw value is its number in the kernel.
  package enum Capability: CInt {
    /// Reading any file and folder, for the descriptors of other users' processes.
    case readAnything = 2
    /// Changing the group.
    case setGroup = 6
    /// Changing the user.
    case setUser = 7
    /// Devices and the network's settings, for libpcap's less common ways of capturing.
    case networkAdministration = 12
    /// Packet sockets.
    case rawNetwork = 13
    /// Examining other users' processes.
    case lookAtProcesses = 19
  }
#endif
