import Logging
import ProcessConfinement

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Gives up what a run does not need, for good, before it looks at anything that is somebody else's.
enum Privileges {
  /// Why they could not be given up.
  struct Failure: Error {
    var description: String
  }

  /// Keeps what opening devices needs, and becoming another user afterwards; nothing else that root may.
  static func keepForCapture() {
    #if os(Linux)
      Capabilities.keep([.rawNetwork, .networkAdministration, .setUser, .setGroup])
    #endif
  }

  /// Who runs what comes after `giveUp`.
  enum Identity: Equatable {
    /// Whoever started the program.
    case own
    /// Root, without a capability, since the system has no other user.
    case loneRoot
    /// The user whom root became.
    case become(String)

    /// What stands behind errors that rights may be the cause of; empty where the user is who started the program.
    var note: String {
      if case .become(let name) = self { " (as the user \(name))" } else { "" }
    }
  }

  /// What is said where root stays root.
  static let loneRootNotice =
    "running as root, the only user of this system, with no capability left: --user names another one"

  /// Becomes the user named, else the one who called sudo; then no capability is left, and none can be had again. Root stays root,
  /// without a capability, where the system has nobody else, as in many a container.
  ///
  /// - Parameters:
  ///   - user: A user name; nil: the one that `SUDO_UID` names.
  ///   - allowsRoot: Whether to go on as root when there is somebody else to be who was not named.
  /// - Returns: Who runs what comes now.
  /// - Throws: When there is no such user, or nobody was named, or the system refuses.
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

  /// Leaves root, if it is root that runs this, for somebody else who may read and write what a run has to: the one who called
  /// sudo; else the owner of the folder that is written to, whose files the reports become; else, where nothing is written,
  /// nobody, or an owner of what is read. Where there is no such user it stays root. In any case no capability is left, and
  /// none can be had again.
  ///
  /// - Throws: When the system refuses to give them up.
  static func leaveRoot(_ reach: Reach, _ logger: Logger) throws(Failure) {
    // What cannot be reached in any case is for the run to say.
    let wasOpen = reach.isOpen
    if geteuid() == 0 {
      let account = candidates(reach).first { account in account.holds { reach.isOpen } }
      #if os(Linux)
        // The bounding set can only be emptied by who may.
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
        "no one user may read all that is read and write the output; root may neither without capabilities")
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
