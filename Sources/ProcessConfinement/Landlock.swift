#if os(Linux)
  import CConfinement
  import Shared

  #if canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// Landlock (Linux 5.13 and later): it limits the files that a process may open from now on, for any user. Files that are already open
  /// are not affected. Unsafe sites: system calls that take addresses of arrays during the call.
  enum Landlock {
    /// Rights to files and folders. The position of a right is its bit in the kernel.
    private struct Rights: OptionSet {
      let rawValue: UInt64

      static let execute = Rights(rawValue: 1 << 0)
      static let writeFile = Rights(rawValue: 1 << 1)
      static let readFile = Rights(rawValue: 1 << 2)
      static let readFolder = Rights(rawValue: 1 << 3)
      static let removeFile = Rights(rawValue: 1 << 5)
      static let makeFile = Rights(rawValue: 1 << 8)
      static let truncate = Rights(rawValue: 1 << 14)

      /// Rights that apply to files. The kernel refuses the others for anything but a folder.
      static let ofFiles: Rights = [.execute, .writeFile, .readFile, .truncate]

      /// All rights that a version knows. Rights without a rule are forbidden everywhere.
      static func known(_ version: Int) -> Rights {
        // 13 rights at first, then renaming to other folders (2), truncating (3), and calls of devices (5).
        let count = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13
        return Rights(rawValue: 1 << UInt64(count) - 1)
      }
    }

    /// Files that the C library and the system's libraries may read later: other libraries and time zones. The statistics of processors and
    /// interfaces are for libpcap. From `/proc/N/stat`, libdispatch learns about its threads; it ends the process if it cannot. These
    /// folders come and go, so only all of `/proc` can be named. Landlock still closes the memory and environment of other processes.
    private static let systemFiles = [
      "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/share/zoneinfo", "/etc/localtime", "/etc/ld.so.cache",
      "/sys/devices", "/dev/null", "/dev/urandom", "/proc",
    ]

    /// Confines the calling thread and those that it starts. Returns the version of the kernel's interface.
    ///
    /// - Throws: If the kernel lacks Landlock, or it is switched off.
    static func begin(_ confinement: Confinement) throws(ConfinementFault) -> Int {
      let version = landlock_version()
      guard version > 0 else { throw ConfinementFault(description: "no Landlock: \(systemErrorText())") }
      let known = Rights.known(version)
      // Files; from version 4 on, binding and connecting TCP; from version 6 on, other processes' abstract sockets, and signals.
      var attributes = [known.rawValue]
      if version >= 4 { attributes.append(0b11) }
      if version >= 6 { attributes.append(0b11) }
      let length = attributes.count * MemoryLayout<UInt64>.size
      let ruleset = unsafe Int32(truncatingIfNeeded: landlock_create(attributes, length))
      guard ruleset >= 0 else { throw ConfinementFault(description: "no Landlock rules: \(systemErrorText())") }
      defer { close(ruleset) }
      for path in systemFiles { try allow(path, [.readFile, .readFolder], known, in: ruleset) }
      for path in confinement.inputs { try allow(path, [.readFile, .readFolder], known, in: ruleset) }
      for path in confinement.outputs {
        try allow(
          path, [.readFile, .readFolder, .writeFile, .truncate, .makeFile, .removeFile], known, in: ruleset)
      }
      guard landlock_restrict(ruleset) == 0 else {
        throw ConfinementFault(description: "Landlock: \(systemErrorText())")
      }
      return version
    }

    /// `O_PATH`, which glibc shows only with its own extensions. It names a file without opening it.
    private static let pathOnly: Int32 = 0o10_000_000

    /// Allows rights for a file, or for everything in a folder. A path that does not exist, or is closed to this user, needs no rule.
    ///
    /// - Throws: If no descriptor is left to name the path.
    private static func allow(_ path: String, _ rights: Rights, _ known: Rights, in ruleset: Int32)
      throws(ConfinementFault)
    {
      let descriptor = unsafe open(path.systemName, pathOnly | O_CLOEXEC)
      guard descriptor >= 0 else {
        // Without a rule, an existing file could not be opened later, for no visible reason.
        if errno == EMFILE || errno == ENFILE { throw ConfinementFault(description: systemErrorText()) }
        return
      }
      defer { close(descriptor) }
      var status = stat()
      guard unsafe fstat(descriptor, &status) == 0 else { return }
      let isFolder = status.st_mode & S_IFMT == S_IFDIR
      let allowed = rights.intersection(known).intersection(isFolder ? known : .ofFiles)
      // `struct landlock_path_beneath_attr`: packed, first the rights and then the descriptor.
      var rule: [UInt8] = []
      unsafe withUnsafeBytes(of: allowed.rawValue) { unsafe rule.append(contentsOf: $0) }
      unsafe withUnsafeBytes(of: descriptor) { unsafe rule.append(contentsOf: $0) }
      _ = unsafe landlock_add(ruleset, 1, rule)
    }
  }
#endif
