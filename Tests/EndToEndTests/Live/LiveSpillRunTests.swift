import Dispatch
import Foundation
import TestSupport
import Testing

/// A flood that no analysis keeps up with, in a network namespace that is gone with the run: what does not fit into memory
/// waits on disk, and every packet is accounted for.
@Suite(
  .enabled(if: LiveRun.isPossible && Environment.canMakeInterfaces, "needs root, Python and network namespaces"))
struct LiveSpillRunTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Sends connections of eight frames each, with one exchange, as fast as it can, and says how many frames went out.
  private static let sender = """
    import socket, struct, sys
    wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
    wire.bind(('v1', 0))
    client, server = b'\\x0a\\0\\0\\1', b'\\x0a\\0\\0\\2'
    request = b'GET /file HTTP/1.1\\r\\nHost: h\\r\\n\\r\\n'
    response = b'HTTP/1.1 200 OK\\r\\nContent-Length: 600\\r\\n\\r\\n' + b'x' * 600
    up, down = 1 + len(request), 1 + len(response)
    exchange = [(1, 0, 0, 2, b''), (0, 0, 1, 18, b''), (1, 1, 1, 16, b''), (1, 1, 1, 24, request),
      (0, 1, up, 24, response), (1, up, down, 17, b''), (0, down, up + 1, 17, b''), (1, up + 1, down + 1, 16, b'')]
    def parts(isUp, seq, ack, flags, payload):
      ends = (client, server) if isUp else (server, client)
      ip = struct.pack('>BBHHHBBH4s4s', 0x45, 0, 40 + len(payload), 0, 0, 64, 6, 0, *ends)
      tcp = struct.pack('>IIBBHHH', seq, ack, 0x50, flags, 65535, 0, 0)
      return isUp, b'\\x02\\0\\0\\0\\0\\2\\x02\\0\\0\\0\\0\\1\\x08\\0' + ip, tcp + payload
    exchange = [parts(*frame) for frame in exchange]
    sent = 0
    for number in range(int(sys.argv[1])):
      port, other = struct.pack('>H', 1024 + number % 60000), struct.pack('>H', 80 + number // 60000)
      for isUp, head, tail in exchange:
        wire.send(head + (port + other if isUp else other + port) + tail)
        sent += 1
    print(sent)
    """

  /// Holds a thread of another process by ptrace(2) until standard input ends.
  private static let holder = """
    import ctypes, os, sys
    library = ctypes.CDLL(None, use_errno=True)
    def ptrace(request, thread):
      if library.ptrace(ctypes.c_long(request), ctypes.c_long(thread), ctypes.c_void_p(0), ctypes.c_void_p(0)) == -1:
        sys.exit('ptrace: ' + os.strerror(ctypes.get_errno()))
    thread = int(sys.argv[1])
    ptrace(0x4206, thread) # PTRACE_SEIZE
    ptrace(0x4207, thread) # PTRACE_INTERRUPT
    os.waitpid(thread, 0x40000000) # __WALL
    print('held', flush=True)
    sys.stdin.read()
    """

  /// A run on one end of a wire of its own; the tests send to the other end. Its standard error goes to the pipe `messages`, if that is given.
  private func start(
    _ options: [String], in folder: String, preparing preparation: String = "", sayingTo messages: String? = nil
  ) throws -> RunningCommand {
    let line = """
      sysctl -qw net.ipv6.conf.default.disable_ipv6=1
      ip link add v0 type veth peer name v1 && ip link set v0 up && ip link set v1 up || exit 99
      \(preparation)
      program=$1; shift
      exec "$program" live -i v0 --filter tcp --allow-root --duration 1200 "$@" \(messages.map { "2> '\($0)'" } ?? "")
      """
    let process = try RunningCommand(
      try #require(Environment.tool("unshare")),
      ["-m", "-n", "/bin/sh", "-c", line, "sh", Sniffer.url.path, "-o", folder] + options)
    if let messages {
      let text = try #require(FileHandle(forReadingAtPath: messages)).availableData
      try #require(String(decoding: text, as: UTF8.self).contains("capturing on"))
    } else {
      try #require(process.says("capturing on"), "\(process.error)")
    }
    return process
  }

  /// Holds the analysis, which is on the first thread, while `body` runs: packets that are captured meanwhile wait.
  private func holding<Result>(_ run: RunningCommand, _ body: () throws -> Result) throws -> Result {
    let holder = Process()
    let (input, output) = (Pipe(), Pipe())
    holder.executableURL = LocalServer.python
    holder.arguments = ["-c", Self.holder, "\(run.identifier)"]
    (holder.standardInput, holder.standardOutput) = (input, output)
    let ended = DispatchSemaphore(value: 0)
    holder.terminationHandler = { _ in ended.signal() }
    try holder.run()
    defer {
      try? input.fileHandleForWriting.close()
      _ = ended.wait(timeout: .now() + 300)
    }
    var said = Data()
    while !said.contains(UInt8(ascii: "\n")), case let more = output.fileHandleForReading.availableData, !more.isEmpty {
      said += more
    }
    try #require(String(decoding: said, as: UTF8.self) == "held\n")
    return try body()
  }

  /// Sends to the run, and returns how many frames that were. The kernel's ring has room for those of 3,000 connections.
  private func flood(_ run: RunningCommand, connections: Int) throws -> Int {
    let nsenter = try #require(Environment.tool("nsenter"))
    let python = try #require(LocalServer.python)
    let outcome = try Command.run(
      nsenter, ["-t", "\(run.identifier)", "-n", python.path, "-c", Self.sender, "\(connections)"])
    try #require(outcome.status == 0, "\(outcome.error)")
    return try #require(Int(outcome.outputLines.first ?? ""))
  }

  /// Waits until so many bytes are in the run's file.
  private func waitForSpilled(_ length: UInt64, in file: URL) -> Bool {
    eventually { ((try? FileHandle(forReadingFrom: file).seekToEnd()) ?? 0) >= length }
  }

  /// The unnamed files that a process has open in a folder.
  private func unnamedFiles(_ process: Int32, in folder: String) -> [URL] {
    let descriptors = URL(fileURLWithPath: "/proc/\(process)/fd")
    let files = (try? FileManager.default.contentsOfDirectory(at: descriptors, includingPropertiesForKeys: nil)) ?? []
    return files.filter { file in
      guard let name = try? FileManager.default.destinationOfSymbolicLink(atPath: file.path) else { return false }
      return name.hasPrefix(folder) && name.hasSuffix(".spill (deleted)")
    }
  }

  /// With all formats at once, and memory for some thousand packets only.
  @Test func nothingIsDroppedWhateverIsWritten() throws {
    let folder = scratch.path("report")
    let run = try start(["--queue", "1", "--interval", "1", "--format", "csv,ndjson,sqlite,html"], in: folder)
    let file = try #require(unnamedFiles(run.identifier, in: folder).first)
    #expect(try !FileManager.default.contentsOfDirectory(atPath: folder).contains { $0.hasSuffix(".spill") })
    // It is behind when it is told to end, and analyzes all that was captured by then.
    let sent = try holding(run) {
      let sent = try flood(run, connections: 3000)
      #expect(waitForSpilled(1 << 20, in: file))
      run.signal(SIGTERM)
      return sent
    }
    let outcome = try run.wait()
    #expect(outcome.status == 0 && !outcome.wasKilled, "\(outcome.error)")
    #expect(outcome.error.contains("ahead of the analysis"), "\(outcome.error)")
    let report = try Report(folder: URL(fileURLWithPath: folder))
    #expect(report.ledger("dropped_packets") == 0 && report.ledger("packets") == sent)
    #expect(report.ledger("difference") == 0 && report.ledger("pending") == 0 && report.ledger("missing") == 0)
    #expect(report.exchanges.rows.count == 3000)
    #expect(report.messages.rows.allSatisfy { $0["exactness"] == "exact" })
    let note = try #require(
      outcome.outputLines.first { $0.hasPrefix("the analysis was behind by at most ") }, "\(outcome.output)")
    // "… 12.3 s; at most 456 packets (789 bytes) waited on disk"
    let figures = note.split { !$0.isNumber && $0 != "." }.compactMap { Double($0) }
    try #require(figures.count == 3 && note.hasSuffix(" waited on disk"), "\(note)")
    #expect(figures[0] > 0 && figures[1] > 1000 && figures[1] <= Double(sent) && figures[2] > figures[1] * 50)
    let behind = outcome.errorLines.compactMap { line in
      line.split(separator: " ").first { $0.hasPrefix("behind=") }.flatMap { Double($0.dropFirst(7)) }
    }
    // How far it is behind depends on the machine: the two texts are compared. A quick one is done before the first line.
    if let most = behind.max() { #expect(most <= figures[0] + 0.1, "\(outcome.error)") }
    #expect(try !FileManager.default.contentsOfDirectory(atPath: folder).contains { $0.hasSuffix(".spill") })
  }

  /// What has no room is dropped, counted, and saved as a loss with the packets: of the file there is none, or too little of
  /// it, or of the disk.
  @Test(arguments: [
    (["--spill", "0"], ""), (["--spill", "2"], ""),
    ([], "mkdir -m 700 -p \"$3\" && mount -t tmpfs -o size=12m tmpfs \"$3\""),
  ])
  func whatHasNoRoomIsCounted(_ options: [String], _ preparation: String) throws {
    let folder = scratch.path("report")
    let saved = scratch.path("saved.pcapng")
    let run = try start(
      options + ["--queue", "1", "--write", saved, "--format", "html"], in: folder, preparing: preparation)
    // In a file system that is mounted for the run alone its path is another one.
    let place = preparation.isEmpty ? folder : "/"
    #expect(unnamedFiles(run.identifier, in: place).count == (options == ["--spill", "0"] ? 0 : 1))
    let sent = try holding(run) { try flood(run, connections: 10_000) }
    run.signal(SIGTERM)
    let outcome = try run.wait()
    #expect(outcome.status == 0 && !outcome.wasKilled, "\(outcome.error)")
    #expect(outcome.outputLines.last?.hasPrefix("ledger balanced: ") == true)
    let offline = try FileAnalysis([saved]).report
    let (packets, dropped) = (offline.ledger("packets") ?? 0, offline.ledger("dropped_packets") ?? 0)
    #expect(dropped > 0 && packets + dropped == sent, "\(packets) and \(dropped) of \(sent)")
    #expect(offline.ledger("difference") == 0)
    #expect(outcome.output.contains("packets dropped by the capture"))
  }

  /// Who does not want to wait for what waits need not: the second interrupt ends the run.
  @Test func aSecondInterruptEndsAtOnce() throws {
    let (folder, pipe) = (scratch.path("report"), scratch.path("pipe"))
    try #require(unsafe mkfifo(pipe, 0o600) == 0)
    let messages = unsafe open(pipe, O_RDWR | O_NONBLOCK)
    try #require(messages >= 0)
    defer { close(messages) }
    let run = try start(["--queue", "1", "--format", "csv"], in: folder, sayingTo: pipe)
    let file = try #require(unnamedFiles(run.identifier, in: folder).first)
    // It waits with the line that it is behind, since nobody takes what it says.
    let octets = [UInt8](repeating: 0, count: 1 << 12)
    for length in [octets.count, 1] { while unsafe write(messages, octets, length) > 0 {} }
    try holding(run) {
      _ = try flood(run, connections: 3000)
      #expect(waitForSpilled(1 << 20, in: file))
      run.signal(SIGINT)
    }
    #expect(eventually { run.waitsForPipe })
    run.signal(SIGINT)
    let outcome = try run.wait()
    // It has reported nothing.
    #expect(outcome.status == 130 && outcome.output.isEmpty)
  }

  /// Without a folder nothing is written anywhere, unless the environment names one.
  @Test(arguments: [nil, "spilled"]) func withoutAnOutputFolder(_ name: String?) throws {
    let folder = name.map { scratch.path($0) }
    if let folder { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false) }
    let run = try RunningCommand(
      Sniffer.url, ["live", "-i", "lo", "--filter", "tcp port 9", "--allow-root", "--duration", "1200"],
      setting: ["TMPDIR": folder])
    #expect(run.says("capturing on"))
    #expect(unnamedFiles(run.identifier, in: folder ?? "/").count == (name == nil ? 0 : 1))
    run.signal(SIGTERM)
    #expect(try run.wait().status == 0)
    if let folder { #expect(try FileManager.default.visibleNames(folder) == []) }
  }
}
