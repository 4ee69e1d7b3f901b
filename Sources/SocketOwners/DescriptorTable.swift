#if os(Linux)
  // Finds the owners of sockets by the links in /proc/PID/fd. Unsafe sites: system calls that get texts and arrays during the call, and
  // directories that are closed where they were opened.

  #if canImport(Musl)
    import Musl
  #else
    import Glibc
  #endif

  /// The sockets of processes, as far as they were examined: examining all processes for each connection would take too long.
  ///
  /// An unknown socket is first sought among the latest process numbers, which takes microseconds. Then come processes that started since
  /// the last search, and those that opened sockets lately. All other processes of its user are searched only once in a while.
  struct DescriptorTable {
    /// The place where a socket was found.
    private struct Place {
      var process: Int32
      var descriptor: Int32
    }

    /// The number of recent owners of requested sockets that are examined again for each socket, beside processes younger than `youth`.
    private static let recentLimit = 32
    /// Process numbers that are tried before anything else is read. An unused number costs a microsecond.
    private static let newestCount: Int32 = 16
    /// Nanoseconds for which a process counts as young: it may still become another program, and open its sockets.
    private static let youth: Int64 = 2_000_000_000
    /// Nanoseconds between searches of all processes.
    private static let pause: Int64 = 200_000_000
    /// Sockets that are remembered. Beyond it, all are forgotten and sought again.
    static let limit = 1 << 16
    /// Descriptors of one process that are examined.
    static let descriptorLimit = 1 << 16
    /// Processes that are remembered: as many numbers as Linux uses by default.
    static let processLimit = 1 << 15

    private var places: [UInt32: Place] = [:]
    /// When each process was first seen.
    private var processes: [Int32: Int64] = [:]
    /// Processes with requested sockets, the latest last.
    private var recent: [Int32] = []
    private var lastLook = Int64.min

    /// The process that has a socket of a user; nil if none is found. A process that opens connections may have just started; one that
    /// accepts them has accepted others before. `now` is any clock in nanoseconds.
    mutating func process(of inode: UInt32, user: UInt32, opens: Bool, at now: Int64) -> Int32? {
      guard inode != 0 else { return nil }
      if let place = places[inode], isThere(place, inode) { return Self.process(ofThread: place.process) }
      if !opens, let process = first(of: recent.reversed(), having: inode) { return found(process) }
      if let number = first(of: Self.newest(), having: inode) { return found(Self.process(ofThread: number) ?? number) }
      let started = list(at: now)
      if let process = first(of: started.reversed(), having: inode) { return found(process) }
      if opens, let process = first(of: recent.reversed(), having: inode) { return found(process) }
      let young = processes.filter { now &- $0.value < Self.youth && !started.contains($0.key) }.keys.sorted(by: >)
      if let process = first(of: young, having: inode) { return found(process) }
      guard now &- lastLook > Self.pause || lastLook == .min else { return nil }
      lastLook = now
      let others = processes.keys.sorted(by: >).filter { isOf(user, $0) }
      return first(of: others, having: inode).map { found($0) }
    }

    private mutating func first(of processes: [Int32], having inode: UInt32) -> Int32? {
      for process in processes where look(at: process, for: inode) { return process }
      return nil
    }

    /// Examines every process.
    mutating func lookAtAll(at now: Int64) {
      lastLook = now
      for process in list(at: now) + processes.keys.sorted() { _ = look(at: process, for: 0) }
    }

    private mutating func found(_ process: Int32) -> Int32 {
      recent.removeAll { $0 == process }
      recent.append(process)
      if recent.count > Self.recentLimit { recent.removeFirst() }
      return process
    }

    // MARK: /proc

    /// The latest process numbers, the last one first. The system gives numbers in sequence and reports the last one. Threads have numbers,
    /// too: `/proc` knows them, but does not list them.
    private static func newest() -> [Int32] {
      guard let text = contents(of: "/proc/loadavg"),
        let last = text.split(separator: 0x20).last.flatMap({ Int32(String(decoding: $0, as: UTF8.self)) })
      else { return [] }
      return (0..<newestCount).map { last - $0 }.filter { $0 > 1 }
    }

    /// The process of a thread; it may have the same number. Nil if there is none.
    private static func process(ofThread number: Int32) -> Int32? {
      guard let text = start(of: "/proc/\(number)/status") else { return nil }
      let line = text.split(separator: 0x0a).first { $0.starts(with: "Tgid:".utf8) }
      return line?.split(separator: 0x09).last.flatMap { Int32(String(decoding: $0, as: UTF8.self)) }
    }

    /// Updates the list of processes. Returns the new ones, in the order of their numbers.
    private mutating func list(at now: Int64) -> [Int32] {
      var there: Set<Int32> = []
      forEachEntry(of: "/proc") { name in
        if let process = Int32(name), there.count < Self.processLimit { there.insert(process) }
        return true
      }
      processes = processes.filter { there.contains($0.key) }
      let started = there.filter { processes[$0] == nil }.sorted()
      for process in started { processes[process] = now }
      return started
    }

    /// Examines the descriptors of a process and remembers its sockets. Returns whether it has the socket.
    private mutating func look(at process: Int32, for inode: UInt32) -> Bool {
      let folder = "/proc/\(process)/fd"
      var count = 0
      var hasIt = false
      forEachEntry(of: folder) { name in
        guard let descriptor = Int32(name) else { return true }
        count += 1
        if let socket = Self.socket("\(folder)/\(name)") {
          if places.count >= Self.limit { places = [:] }
          places[socket] = Place(process: process, descriptor: descriptor)
          if socket == inode { hasIt = true }
        }
        return count < Self.descriptorLimit
      }
      return hasIt
    }

    /// Whether a process still has a socket in its place.
    private func isThere(_ place: Place, _ inode: UInt32) -> Bool {
      Self.socket("/proc/\(place.process)/fd/\(place.descriptor)") == inode
    }

    /// The inode of the socket that a link names; nil if it names something else.
    private static func socket(_ path: String) -> UInt32? {
      var text = [UInt8](repeating: 0, count: 64)
      let count = unsafe text.withUnsafeMutableBytes { text in
        unsafe text.withMemoryRebound(to: CChar.self) { text in
          unsafe text.baseAddress.map { unsafe readlink(path, $0, text.count) } ?? -1
        }
      }
      let prefix = Array("socket:[".utf8)
      guard count > prefix.count, count < text.count, text.starts(with: prefix) else { return nil }
      return UInt32(String(decoding: text[prefix.count..<count - 1], as: UTF8.self))
    }

    private func isOf(_ user: UInt32, _ process: Int32) -> Bool {
      var status = stat()
      return unsafe stat("/proc/\(process)", &status) == 0 && status.st_uid == user
    }

    /// The name of a process; nil if the process is gone.
    static func name(of process: Int32) -> [UInt8]? { contents(of: "/proc/\(process)/comm") }

    /// The first line of a short file.
    private static func contents(of path: String) -> [UInt8]? {
      start(of: path).map { Array($0.prefix { $0 != 0x0a }) }
    }

    /// The first 128 octets of a file; nil if it has none.
    private static func start(of path: String) -> [UInt8]? {
      let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      var text = [UInt8](repeating: 0, count: 128)
      let count = unsafe read(descriptor, &text, text.count)
      return count > 0 ? Array(text[..<count]) : nil
    }

    /// Passes on the names in a folder, until `body` returns false.
    private func forEachEntry(of folder: String, _ body: (String) -> Bool) {
      guard let entries = unsafe opendir(folder) else { return }
      defer { unsafe closedir(entries) }
      while let entry = unsafe readdir(entries) {
        let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
          unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
        }
        if !body(name) { return }
      }
    }
  }
#endif
