#if canImport(Glibc)
  import CCap
  import Glibc
#elseif canImport(Musl)
  import CCap
  import Musl
#else
  import Darwin
#endif

/// Gives up what was needed to open a device, for good, before a packet is looked at.
///
/// Unsafe as calls of C functions that take or return pointers are: the password entry is read before anything else asks
/// for one, and libcap's state is freed where it was made.
enum Privileges {
  /// Why they could not be given up.
  struct Failure: Error {
    var description: String
  }

  /// Becomes the user named, else the one who called sudo; then no capability is left, and none can be had again.
  ///
  /// - Parameters:
  ///   - user: A user name; nil: the one that `SUDO_UID` names.
  ///   - allowsRoot: Whether to go on as root when there is nobody else to be.
  /// - Throws: When there is no such user, or nobody to become, or the system refuses.
  static func giveUp(user: String?, allowsRoot: Bool) throws(Failure) {
    if geteuid() == 0 {
      if let account = try account(named: user) {
        try become(account)
      } else if !allowsRoot {
        throw Failure(
          description: "refusing to read packets as root: name a user to become with --user, call through sudo, "
            + "or say --allow-root")
      }
    } else if user != nil {
      throw Failure(description: "--user needs to be started as root")
    }
    try dropCapabilities()
  }

  private struct Account {
    var name: String
    var user: uid_t
    var group: gid_t
  }

  private static func account(named name: String?) throws(Failure) -> Account? {
    if let name {
      guard let entry = unsafe getpwnam(name) else { throw Failure(description: "there is no user \(name)") }
      return unsafe Account(name: name, user: entry.pointee.pw_uid, group: entry.pointee.pw_gid)
    }
    guard let text = unsafe getenv("SUDO_UID").map({ unsafe String(cString: $0) }), let user = uid_t(text), user != 0
    else { return nil }
    guard let entry = unsafe getpwuid(user) else { throw Failure(description: "there is no user \(user)") }
    return unsafe Account(
      name: String(cString: entry.pointee.pw_name), user: user, group: entry.pointee.pw_gid)
  }

  private static func become(_ account: Account) throws(Failure) {
    // Groups first: afterwards nobody may change them.
    #if canImport(Darwin)
      let group = Int32(bitPattern: account.group)
    #else
      let group = account.group
    #endif
    guard unsafe initgroups(account.name, group) == 0, setgid(account.group) == 0, setuid(account.user) == 0,
      account.user == 0 || setuid(0) != 0
    else { throw Failure(description: "cannot become \(account.name)") }
  }

  private static func dropCapabilities() throws(Failure) {
    #if os(Linux)
      guard let none = unsafe cap_init() else { throw Failure(description: "cannot give up capabilities") }
      defer { unsafe cap_free(UnsafeMutableRawPointer(none)) }
      guard unsafe cap_set_proc(none) == 0 else { throw Failure(description: "cannot give up capabilities") }
    #endif
  }
}
