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

  /// Becomes the user named, else the one who called sudo; then no capability is left, and none can be had again.
  ///
  /// - Parameters:
  ///   - user: A user name; nil: the one that `SUDO_UID` names.
  ///   - allowsRoot: Whether to go on as root when there is nobody else to be.
  /// - Throws: When there is no such user, or nobody to become, or the system refuses.
  static func giveUp(user: String?, allowsRoot: Bool) throws(Failure) {
    if geteuid() == 0 {
      if let account = try account(named: user) {
        guard account.become() else { throw Failure(description: "cannot become \(account.description)") }
      } else if !allowsRoot {
        throw Failure(
          description: "refusing to read packets as root: name a user to become with --user, call through sudo, "
            + "or say --allow-root")
      }
    } else if user != nil {
      throw Failure(description: "--user needs to be started as root")
    }
    guard dropCapabilities() else { throw Failure(description: "cannot give up capabilities") }
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
