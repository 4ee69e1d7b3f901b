import Logging
import ProcessConfinement

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Gives up unneeded privileges, for good, before the run reads anything from others.
enum Privileges {
  /// The reason why they could not be given up.
  struct Failure: Error {
    var description: String
  }

  /// Keeps the rights to open devices and to become another user afterwards, and no other right of root.
  static func keepForCapture() {
    #if os(Linux)
      Capabilities.keep([.rawNetwork, .networkAdministration, .setUser, .setGroup])
    #endif
  }

  /// The user of the process after `giveUp`.
  enum Identity: Equatable {
    /// The user who started the program.
    case own
    /// Root, without a capability, because the system has no other user.
    case loneRoot
    /// The user whom root became.
    case become(String)

    /// The note after errors that rights may have caused; empty when the user has not changed.
    var note: String {
      if case .become(let name) = self { " (as the user \(name))" } else { "" }
    }
  }

  /// The notice when root stays root.
  static let loneRootNotice =
    "running as root, the only user of this system, with no capability left: --user names another one"

  /// Becomes the named user, else the caller of sudo; then no capability is left, and none can be regained. Root stays root,
  /// without a capability, if the system has no other user, as in many containers.
  ///
  /// - Parameters:
  ///   - user: A user name; nil for the user that `SUDO_UID` names.
  ///   - allowsRoot: Whether to continue as root when there are other users and none was named.
  /// - Returns: The user of the process from now on.
  /// - Throws: When there is no such user, or none was named, or the system refuses.
  @discardableResult
  static func giveUp(user: String?, allowsRoot: Bool) throws(Failure) -> Identity {
    var identity = Identity.own
    if geteuid() == 0 {
      if let account = try account(named: user) {
        guard account.become() else {
          throw Failure(
            description: "cannot become \(account.description)" + (user.map { " (--user \($0))" } ?? "")
              + ": the system does not let this process change its user")
        }
        identity = .become(account.description)
      } else if !allowsRoot {
        guard Account.isRootAlone else {
          throw Failure(
            description: "refusing to read packets as root: name a user to become with --user, call through sudo, "
              + "or say --allow-root")
        }
        identity = .loneRoot
      }
    } else if let user {
      throw Failure(description: "--user \(user): only root can become another user")
    }
    guard dropCapabilities() else { throw Failure(description: "cannot give up capabilities") }
    return identity
  }

  /// If root runs this, becomes another user who may read and write the run's files. It is the caller of sudo, else the owner of
  /// the output folder, who then owns the reports. Without output it is the user nobody, or an owner of the input. Without such a
  /// user it stays root. In any case no capability is left, and none can be regained.
  ///
  /// - Throws: When the system refuses to give them up.
  static func leaveRoot(_ reach: Reach, _ logger: Logger) throws(Failure) {
    // The run reports files that root cannot reach either.
    let wasOpen = reach.isOpen
    if geteuid() == 0 {
      let account = candidates(reach).first { account in account.holds { reach.isOpen } }
      #if os(Linux)
        // Emptying the bounding set needs a capability.
        Capabilities.keep([.setUser, .setGroup])
      #endif
      if let account {
        guard account.become() else { throw Failure(description: "cannot become \(account.description)") }
        logger.info("running as \(account.description)")
      }
    }
    guard dropCapabilities() else { throw Failure(description: "cannot give up capabilities") }
    if wasOpen, !reach.isOpen {
      logger.warning(
        "no unprivileged user can both read the capture and write the output; root may neither without capabilities")
    }
  }

  private static func candidates(_ reach: Reach) -> [Account] {
    let caller = [try? account(named: nil)].compactMap(\.self)
    if !reach.writes.isEmpty { return caller + reach.owners }
    return caller + [Account(named: "nobody")].compactMap(\.self) + reach.readOwners
  }

  private static func account(named name: String?) throws(Failure) -> Account? {
    if let name {
      guard let account = Account(named: name) else { throw Failure(description: "there is no user \(name)") }
      return account
    }
    // Unsafe site: the variable's text is copied at once.
    guard let text = unsafe getenv("SUDO_UID").map({ unsafe String(cString: $0) }), let user = uid_t(text), user != 0
    else { return nil }
    guard let account = Account(number: user) else { throw Failure(description: "there is no user \(user)") }
    return account
  }

  private static func dropCapabilities() -> Bool {
    #if os(Linux)
      return Capabilities.giveUp()
    #else
      return true
    #endif
  }
}
