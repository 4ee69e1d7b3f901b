import ArgumentParser
import Capture
import HTTPReassembly
import MetricsEndpoint
import ProcessConfinement
import Reports
import Tabular

/// The options of a live run, with a view or without.
struct LiveOptions: ParsableArguments {
  @Option(
    name: [.short, .long],
    help: ArgumentHelp("Capture on this interface; any for all. Can be repeated.", valueName: "if"),
    completion: .custom { _, _, _ in ((try? NetworkInterface.all()) ?? []).map(\.name) })
  var interface: [String] = []

  @Option(help: ArgumentHelp("Stop after this many seconds.", valueName: "s"))
  var duration: Double?

  @Option(help: ArgumentHelp("Stop after this many packets.", valueName: "n"))
  var packets: Int?

  @Option(help: ArgumentHelp("Capture at most this many bytes of each packet.", valueName: "bytes"))
  var snapshotLength = LiveCapture.Options.maximumSnapshotLength

  @Option(help: ArgumentHelp("Use a kernel ring of this many MiB for each interface.", valueName: "MiB"))
  var buffer = 64

  @Option(help: ArgumentHelp("Let packets wait for the analysis in at most this many MiB of memory.", valueName: "MiB"))
  var queue = LiveCaptureReader.QueueLimits.defaultCapacity >> 20

  @Option(
    help: ArgumentHelp("When the queue is full, packets wait in a file of this many MiB; 0 for none.", valueName: "MiB")
  )
  var spill = SpillFile.defaultCapacity >> 20

  @Flag(help: "Also capture packets for other hosts.")
  var promiscuous = false

  @Option(
    name: [.short, .long], help: ArgumentHelp("Save the packets to this file (pcapng).", valueName: "file"),
    completion: .file())
  var write: String?

  @Flag(
    help: """
      Save the secrets that open connections with the packets of --write. Everyone with the file can then read them.
      """)
  var writeKeys = false

  @Option(help: ArgumentHelp("Start a new file after this many MiB.", valueName: "MiB"))
  var rotateSize: Int?

  @Option(help: ArgumentHelp("Start a new file after this many seconds of packets.", valueName: "s"))
  var rotateInterval: Double?

  @Option(help: ArgumentHelp("Keep this many files, and remove older ones.", valueName: "n"))
  var rotateFiles: Int?

  @Option(help: ArgumentHelp("Bring the reports up to date each time this many seconds have passed.", valueName: "s"))
  var interval = 10.0

  @Flag(help: "Show a line for each interval, and no live view, on a terminal.")
  var noView = false

  @Option(
    help: ArgumentHelp("Serve Prometheus metrics on this address; :9090 is on loopback.", valueName: "address:port"))
  var metrics: String?

  @Option(
    help: ArgumentHelp(
      """
      Give series of their own to this many APIs, and as many hosts, in --metrics: those with the most bytes \
      (default: \(CaptureMetrics.defaultSeriesLimit)).
      """,
      valueName: "n"))
  var metricsLimit: Int?

  @Option(
    help: ArgumentHelp(
      "Serve the page to browsers on this address during the run; :8080 is on loopback. The page's address is printed.",
      valueName: "address:port"))
  var page: String?

  @Flag(help: "Allow --page on an address that other machines can reach. Everyone with the page's address can see it.")
  var pageRemote = false

  @Flag(
    help: "Name the process of each TCP connection of this machine (Linux), with a helper that may look at processes.")
  var processes = false

  @Option(help: ArgumentHelp("Become this user after the devices are open.", valueName: "name"))
  var user: String?

  @Flag(help: "Read packets as root if there is no other user to become.")
  var allowRoot = false

  /// Accepted as in every command, though there is no bar.
  @Flag(help: .hidden)
  var noProgress = false

  @Option(
    help: ArgumentHelp(
      "Capture nothing, and add a line with this label and the current time to the file of --marks.", valueName: "label"
    ))
  var mark: String?

  @OptionGroup(title: "Summary") var summary: SummaryArguments

  @OptionGroup var options: CommonOptions

  mutating func validate() throws {
    if let mark { return try check(mark) }
    options.settleOutput(for: interface.first)
    try summary.check(options)
    if interface.isEmpty { throw ValidationError("--interface is missing: sniffer interfaces lists them.") }
    if options.format.names.contains(.har) {
      throw ValidationError(
        "live writes no HAR, which is readable only when it is complete: --write a capture, and analyze that.")
    }
    for (name, value) in [("duration", duration), ("interval", interval), ("rotate-interval", rotateInterval)] {
      if let value, !(value > 0 && value < 1e9) {
        throw ValidationError("--\(name) needs a number of seconds above 0.")
      }
    }
    for (name, value) in [
      ("packets", packets), ("snapshot-length", snapshotLength), ("buffer", buffer), ("queue", queue),
      ("rotate-size", rotateSize), ("rotate-files", rotateFiles),
    ] {
      if let value, !(1...1 << 40).contains(value) { throw ValidationError("--\(name) needs a number from 1 on.") }
    }
    if !(0...1 << 40).contains(spill) { throw ValidationError("--spill needs a number from 0 on.") }
    if let metricsLimit {
      if metrics == nil { throw ValidationError("--metrics-limit needs --metrics.") }
      if !(0...100_000).contains(metricsLimit) {
        throw ValidationError("--metrics-limit needs a number from 0 to 100000.")
      }
    }
    if pageRemote, page == nil { throw ValidationError("--page-remote needs --page.") }
    if page != nil, options.quiet {
      throw ValidationError("--page prints the page's address, which nobody else knows, and --quiet prints nothing.")
    }
    if write == nil, rotateSize ?? rotateFiles != nil || rotateInterval != nil {
      throw ValidationError("--rotate-… needs --write.")
    }
    if writeKeys, write == nil || options.keyLogs.isEmpty {
      throw ValidationError("--write-keys needs --write, and a key log: --keys, or the variable SSLKEYLOGFILE.")
    }
  }

  /// Checks the label of a mark.
  private func check(_ mark: String) throws {
    guard interface.isEmpty else { throw ValidationError("--mark marks another run, and captures on no --interface.") }
    guard options.marks != nil else { throw ValidationError("--mark needs --marks, the file of the other run.") }
    guard mark.utf8.count <= TimeMark.labelLimit, !mark.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
      throw ValidationError("--mark needs a line of at most \(TimeMark.labelLimit) bytes.")
    }
  }

  func run() throws {
    if let mark, let path = options.marks?.path {
      do throws(ReportError) { try MarkFile.add(mark, to: path) } catch { try fail(error.description) }
      return
    }
    // All three need privileges that are given up later.
    let owners = processes ? LiveProcesses.start(options.logger) : nil
    let niceBefore = CapturePriority.raise()
    Privileges.keepForCapture()
    let filter = try options.packetFilter()
    var identity = Privileges.Identity.own
    do {
      let captures = try open(filter)
      if let output = options.output, !options.isStreaming { Confinement.keepTemporaryFiles(in: output) }
      identity = try Privileges.giveUp(user: user, allowsRoot: allowRoot)
      if identity == .loneRoot, !options.quiet { ErrorOutput.write(Privileges.loneRootNotice) }
      for capture in captures {
        for warning in capture.warnings { options.logger.warning("\(capture.interface): \(warning)") }
      }
      var analysis = LiveAnalysis(self, niceBefore: niceBefore, processes: owners)
      let status = try analysis.run(captures)
      if status != .success { throw ExitCode(status.rawValue) }
    } catch let error as CaptureError {
      try fail(error.description + identity.note)
    } catch let error as ReportError {
      try fail(error.description + identity.note)
    } catch let error as MetricsError {
      try fail(error.description)
    } catch let error as Privileges.Failure {
      try fail(error.description)
    }
  }

  private func fail(_ text: String) throws {
    ErrorOutput.write(text)
    throw ExitCode(ExitStatus.failure.rawValue)
  }

  private func open(_ filter: PacketFilter?) throws(CaptureError) -> [LiveCapture] {
    var settings = LiveCapture.Options(
      snapshotLength: snapshotLength, bufferLength: buffer << 20, isPromiscuous: promiscuous)
    // A packet of one interface waits for a possible earlier one of another.
    if interface.count > 1 { settings.timeout = Self.shortTimeout }
    var captures: [LiveCapture] = []
    for name in interface {
      captures.append(try LiveCapture(interface: name, filter: filter, options: settings))
    }
    return captures
  }

  /// Milliseconds for which the kernel may hold packets back when packets of several interfaces are merged. At 100 MB a second,
  /// the packets of that time take a fifth of the queue.
  private static let shortTimeout = 20

  /// The files and folders that the run needs after everything is open: its folders, where files are started anew.
  func confinement(_ captures: [LiveCapture]) -> Confinement {
    var outputs: [String] = []
    if let output = options.output, !options.isStreaming { outputs.append(output) }
    if let write { outputs.append(Confinement.writtenPath(write)) }
    return Confinement(
      outputs: outputs, serves: metrics != nil || page != nil, receivers: captures.compactMap(\.descriptor),
      setsOwnPriority: true)
  }

  /// The rotation of files; nil without one.
  var rotation: FileRotation? {
    guard rotateSize != nil || rotateInterval != nil || rotateFiles != nil else { return nil }
    return FileRotation(
      maximumLength: rotateSize.map { $0 << 20 }, interval: rotateInterval.map { Int64($0 * 1e9) },
      maximumFiles: rotateFiles)
  }
}
