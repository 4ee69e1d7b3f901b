#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Somebody that root can become. Unsafe as calls of C functions that take or return pointers are: a password entry is read
/// before anything else asks for one.
struct Account: Equatable {
  /// The name; nil where the number has none, as in many a container.
  var name: String?
  var user: uid_t
  var group: gid_t

  /// The user of a name; nil if there is none.
  init?(named name: String) {
    guard let entry = unsafe getpwnam(name) else { return nil }
    self.init(name: name, user: unsafe entry.pointee.pw_uid, group: unsafe entry.pointee.pw_gid)
  }

  /// The user of a number; nil if there is none.
  init?(number: uid_t) {
    guard let entry = unsafe getpwuid(number) else { return nil }
    self.init(
      name: unsafe String(cString: entry.pointee.pw_name), user: number, group: unsafe entry.pointee.pw_gid)
  }

  /// Whoever owns a file or folder, with their own groups where the system knows them; nil where there is no such file.
  init?(owning path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    self = Account(number: status.st_uid) ?? Account(name: nil, user: status.st_uid, group: status.st_gid)
  }

  /// Whether the system knows no user but root: its database has nobody else, or there is none.
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

  /// What the log calls them.
  var description: String { name ?? "\(user)" }

  /// Takes the groups of this user. They come first: afterwards nobody may change them.
  ///
  /// - Returns: Whether the system lets it.
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
  /// - Returns: Whether that is so: nobody is root afterwards unless it is root that was to be become.
  func become() -> Bool {
    takeGroups() && setgid(group) == 0 && setuid(user) == 0 && (user == 0 || setuid(0) != 0)
  }

  /// Says what holds for this user, and becomes again who ran this before, who has to be root.
  ///
  /// - Returns: What `body` says; false where the system does not let anybody become this user.
  func holds(_ body: () -> Bool) -> Bool {
    let (user, group) = (geteuid(), getegid())
    let count = getgroups(0, nil)
    var groups = [gid_t](repeating: 0, count: Int(max(count, 0)))
    guard count >= 0, unsafe getgroups(count, &groups) == count else { return false }
    // Back in the opposite order; what cannot be taken back would leave this user with less, and not with more.
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
