import HTTPReassembly
import Logging
import Packets
import SocketOwners

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The processes of connections, from a helper: another process of this program with that one duty. It keeps the right to look at
/// other processes, which the run itself gives up. Unsafe sites: starting the helper, and reading its output.
final class LiveProcesses {
  /// The reading end of the helper's pipe.
  private let input: Int32
  private let helper: pid_t
  /// Octets of an incomplete record.
  private var rest: [UInt8] = []
  private var hasEnded = false
  /// Calls of `poll` until the next read of the pipe.
  private var untilRead = 0
  /// Calls of `poll` for one read: it is a system call, and a packet costs less than one.
  private static let pollInterval = 64
  /// Milliseconds that the helper may take to look at the existing processes.
  private static let patience: Int32 = 5000
  /// Records that were read before the analysis began.
  private var early: [OpenedConnection] = []

  private init(input: Int32, helper: pid_t) {
    self.input = input
    self.helper = helper
  }

  deinit { close(input) }

  /// Starts the helper, and waits until it has looked at the open connections. Nil, with a warning in one line, if that fails.
  static func start(_ logger: Logger) -> LiveProcesses? {
    #if os(Linux)
      var ends: [Int32] = [-1, -1]
      guard unsafe pipe(&ends) == 0 else { return refuse(logger, "no pipe") }
      var actions = unsafe posix_spawn_file_actions_t()
      unsafe posix_spawn_file_actions_init(&actions)
      defer { unsafe posix_spawn_file_actions_destroy(&actions) }
      unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
      for end in ends { unsafe posix_spawn_file_actions_addclose(&actions, end) }
      var helper: pid_t = 0
      let status = unsafe SocketOwnersCommand.name.withCString { name in
        unsafe "sniffer".withCString { program in
          var arguments: [UnsafeMutablePointer<CChar>?] = unsafe [
            UnsafeMutablePointer(mutating: program), UnsafeMutablePointer(mutating: name), nil,
          ]
          var environment: [UnsafeMutablePointer<CChar>?] = unsafe [nil]
          return unsafe posix_spawn(&helper, "/proc/self/exe", &actions, nil, &arguments, &environment)
        }
      }
      close(ends[1])
      guard status == 0 else {
        close(ends[0])
        return refuse(logger, "the helper cannot be started")
      }
      let processes = LiveProcesses(input: ends[0], helper: helper)
      guard processes.waitUntilReady() else { return refuse(logger, "the helper may not ask the system") }
      _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
      return processes
    #else
      return refuse(logger, "on macOS capture on pktap, whose packets name their process: -i pktap,en0")
    #endif
  }

  private static func refuse(_ logger: Logger, _ reason: String) -> LiveProcesses? {
    ErrorOutput.write("processes are not named: \(reason)")
    return nil
  }

  /// Reads up to the empty record, which follows the records of all connections that were open.
  private func waitUntilReady() -> Bool {
    while !hasEnded {
      var wait = [pollfd(fd: input, events: Int16(POLLIN), revents: 0)]
      guard unsafe Self.wait(&wait) else { return false }
      var isReady = false
      read { record in
        if record.local.port == 0 { isReady = true } else { early.append(record) }
      }
      if isReady { return true }
    }
    return false
  }

  /// Learns, once in many calls, the helper's records since the last time.
  func poll<Sink: ReportSink>(into pipeline: inout Pipeline<Sink>, isIdle: Bool) {
    untilRead -= 1
    guard isIdle || untilRead < 0 else { return }
    untilRead = Self.pollInterval
    takeEarly(&pipeline)
    if !hasEnded { read { Self.learn($0, &pipeline) } }
  }

  /// Learns the remaining records, and ends the helper.
  func finish<Sink: ReportSink>(into pipeline: inout Pipeline<Sink>) {
    takeEarly(&pipeline)
    if !hasEnded { read { Self.learn($0, &pipeline) } }
  }

  private func takeEarly<Sink: ReportSink>(_ pipeline: inout Pipeline<Sink>) {
    for record in early { Self.learn(record, &pipeline) }
    early = []
  }

  private static func learn<Sink: ReportSink>(_ record: OpenedConnection, _ pipeline: inout Pipeline<Sink>) {
    let process = ProcessIdentity(source: .live, identifier: record.identifier, name: record.name)
    pipeline.learn(
      process: process, of: record.local, to: record.remote, openedAt: record.time == 0 ? nil : record.time,
      isQUIC: record.transport == .udp)
  }

  /// Reads the available octets, and hands over each complete record.
  private func read(_ body: (OpenedConnection) -> Void) {
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    let count = unsafe Self.read(input, &buffer, buffer.count)
    if count == 0 { hasEnded = true }
    guard count > 0 else { return }
    rest += buffer[..<count]
    let length = OpenedConnection.length
    let whole = rest.count / length * length
    rest.withOctets { octets in
      for start in stride(from: 0, to: whole, by: length) {
        body(OpenedConnection(octets.extracting(start..<start + length)))
      }
    }
    rest.removeSubrange(..<whole)
  }

  @unsafe private static func wait(_ waits: UnsafeMutablePointer<pollfd>) -> Bool {
    #if canImport(Glibc)
      unsafe Glibc.poll(waits, 1, patience) > 0
    #elseif canImport(Musl)
      unsafe Musl.poll(waits, 1, patience) > 0
    #else
      unsafe Darwin.poll(waits, 1, patience) > 0
    #endif
  }

  @unsafe private static func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
    #if canImport(Glibc)
      unsafe Glibc.read(descriptor, buffer, count)
    #elseif canImport(Musl)
      unsafe Musl.read(descriptor, buffer, count)
    #else
      unsafe Darwin.read(descriptor, buffer, count)
    #endif
  }
}
