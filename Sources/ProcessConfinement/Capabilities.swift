#if os(Linux)
  import CCap

  /// What root may do beyond what any user may, and what a program may be given of it. Unsafe sites: libcap's state, which is
  /// freed where it was made.
  package enum Capabilities {
    /// Gives up all of them for good, of this thread and those that it will start: those in effect, those that could be put
    /// into effect, and those that a program could still be given.
    ///
    /// Only who may (`CAP_SETPCAP`) can take them out of the bounding set; for everybody else it means nothing, since no
    /// program is given any after `PR_SET_NO_NEW_PRIVS`.
    ///
    /// - Returns: Whether none is left.
    @discardableResult
    package static func giveUp() -> Bool { keep([]) }

    /// Gives up all but some, as far as there are these. A program could be given none of them in any case.
    ///
    /// - Returns: Whether no other is left.
    @discardableResult
    package static func keep(_ kept: [Capability]) -> Bool {
      let numbers = Set(kept.map(\.rawValue))
      _ = cap_reset_ambient()
      // The kernel says of those that it does not know that they are in no set.
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
      // Where changing them is forbidden, there may be none to be given up.
      return unsafe cap_set_proc(state) == 0 || cap_compare(own, state) == 0
    }
  }

  /// A capability; the raw value is its number in the kernel's interface.
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
    /// Looking at other users' processes.
    case lookAtProcesses = 19
  }
#endif
