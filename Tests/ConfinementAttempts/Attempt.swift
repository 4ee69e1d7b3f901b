#if os(Linux)
  import CConfinement

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif

  /// Something that a run never does, and that its confinement is to refuse. Unsafe sites: system calls that are given
  /// strings and places for their answers, for the time of the call.
  struct Attempt {
    let name: String
    /// Tries it, and says whether the system refused.
    let isRefused: () -> Bool

    /// A system call, by the name that libseccomp knows it by.
    init(_ name: String, _ call: String, _ arguments: () -> [Int]) {
      let arguments = arguments()
      self.init(name) { Self.isRefused(call, arguments) }
    }

    /// Whether a call is refused as not permitted, or as not there. With any other error the kernel looked at what was asked
    /// for. A call that this architecture does not have is not there.
    static func isRefused(_ call: String, _ arguments: [Int]) -> Bool {
      let result = Self.call(call, arguments)
      return result == -Int(EPERM) || result == -Int(ENOSYS)
    }

    init(_ name: String, isRefused: @escaping () -> Bool) {
      self.name = name
      self.isRefused = isRefused
    }

    /// Makes a system call. The result is the call's, or an error's number below 0.
    static func call(_ name: String, _ arguments: [Int]) -> Int {
      let number = unsafe seccomp_syscall_resolve_name(name)
      guard number >= 0 else { return -Int(ENOSYS) }
      let all = arguments + Array(repeating: 0, count: 6 - arguments.count)
      return confinement_attempt(Int(number), all[0], all[1], all[2], all[3], all[4], all[5])
    }

    /// Whether a file can be opened for reading.
    static func reads(_ path: String) -> Bool { !isRefused(unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) }

    /// Whether a new file can be made, which is removed again.
    static func writes(_ path: String, mode: mode_t = 0o600) -> Bool {
      if isRefused(unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)) { return false }
      _ = unsafe unlink(path)
      return true
    }

    /// Closes a descriptor if there is one.
    static func isRefused(_ descriptor: Int32) -> Bool {
      if descriptor > 2 { close(descriptor) }
      return descriptor < 0
    }
  }

  /// Memory that calls are given, which is never freed: a text with its end, or octets.
  enum Memory {
    static func text(_ text: String) -> Int { octets(Array(text.utf8) + [0]) }

    static func octets(_ octets: [UInt8]) -> Int {
      let place = UnsafeMutableRawBufferPointer.allocate(byteCount: octets.count, alignment: 16)
      unsafe place.copyBytes(from: octets)
      return Int(bitPattern: place.baseAddress)
    }

    /// Numbers of the machine's word.
    static func words(_ words: [Int]) -> Int {
      octets(words.flatMap { word in unsafe withUnsafeBytes(of: word) { unsafe Array($0) } })
    }
  }

  /// Makes the kernel look like one that lacks something.
  enum MissingCalls {
    struct Failure: Error {}

    /// Makes all of Landlock's calls missing, for good.
    static func hideLandlock() throws {
      guard let filter = unsafe seccomp_init(0x7fff_0000 /* SCMP_ACT_ALLOW */) else { throw Failure() }
      defer { unsafe seccomp_release(filter) }
      let missing = UInt32(0x0005_0000 /* SCMP_ACT_ERRNO */) | UInt32(ENOSYS)
      for number in Int32(444)...446 {
        guard unsafe seccomp_rule_add_array(filter, missing, number, 0, nil) == 0 else { throw Failure() }
      }
      guard unsafe seccomp_load(filter) == 0 else { throw Failure() }
    }
  }
#endif
