import Shared

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A user that root can become. Unsafe, because it calls C functions that take or return pointers: a password entry is read
/// before the next one is asked for.
struct Account: Equatable {
  /// The name; nil when the number has none, as in many containers.
  var name: String?
  var user: uid_t
  var group: gid_t

  /// The user with a name; nil if there is none.
  init?(named name: String) {
    guard let entry = unsafe getpwnam(name) else { return nil }
    self.init(name: name, user: unsafe entry.pointee.pw_uid, group: unsafe entry.pointee.pw_gid)
  }

  /// The user with a number; nil if there is none.
  init?(number: uid_t) {
    guard let entry = unsafe getpwuid(number) else { return nil }
    self.init(
      name: unsafe String(cString: entry.pointee.pw_name), user: number, group: unsafe entry.pointee.pw_gid)
  }

  /// The owner of a file or folder, with all groups if the system knows the user; nil if there is no such file.
  init?(owning path: String) {
    var status = stat()
    guard unsafe stat(path.systemName, &status) == 0 else { return nil }
    self = Account(number: status.st_uid) ?? Account(name: nil, user: status.st_uid, group: status.st_gid)
  }

  /// Whether root is the only user that the system knows, or there is no database of users.
  static var isRootAlone: Bool {
    setpwent()
    defer { endpwent() }
    while let entry = unsafe getpwent() {
      if unsafe entry.pointee.pw_uid != 0 { return false }
    }
    return true
  }

  private init(name: String?, user: uid_t, group: gid_t) {
    self.name = name
    self.user = user
    self.group = group
  }

  /// The user's name in the log.
  var description: String { name ?? "\(user)" }

  /// Takes the groups of this user. It comes first, because the user may not change them later.
  ///
  /// - Returns: Whether the system allows it.
  func takeGroups() -> Bool {
    guard let name else {
      var own = group
      return unsafe setgroups(1, &own) == 0
    }
    #if canImport(Darwin)
      return unsafe initgroups(name, Int32(bitPattern: group)) == 0
    #else
      return unsafe initgroups(name, group) == 0
    #endif
  }

  /// Becomes this user for good.
  ///
  /// - Returns: Whether it succeeded, and the process cannot become root again (unless this user is root).
  func become() -> Bool {
    takeGroups() && setgid(group) == 0 && setuid(user) == 0 && (user == 0 || setuid(0) != 0)
  }

  /// Calls `body` as this user, and returns to the former user, who has to be root.
  ///
  /// - Returns: The result of `body`; false if the system does not allow becoming this user.
  func holds(_ body: () -> Bool) -> Bool {
    let (user, group) = (geteuid(), getegid())
    let count = getgroups(0, nil)
    var groups = [gid_t](repeating: 0, count: Int(max(count, 0)))
    guard count >= 0, unsafe getgroups(count, &groups) == count else { return false }
    // The order is reversed here. A step that fails leaves fewer rights, not more.
    defer {
      _ = seteuid(user)
      _ = setegid(group)
      #if canImport(Darwin)
        _ = unsafe setgroups(count, groups)
      #else
        _ = unsafe setgroups(groups.count, groups)
      #endif
    }
    return takeGroups() && setegid(self.group) == 0 && seteuid(self.user) == 0 && body()
  }
}
