import ArgumentParser
import Capture
import HTTPReassembly
import MetricsEndpoint
import ProcessConfinement
import Reports
import Tabular

/// `sniffer live --interface IF`
struct LiveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "live",
    abstract: "Capture on interfaces and keep the same exact ledger, until SIGINT, SIGTERM, --duration or --packets.",
    discussion: """
      The devices are opened first; then privileges are given up, before a packet is looked at. Reports are brought up \
      to date at each interval and are complete at any moment. SIGUSR1 brings them up to date now, SIGHUP starts files \
      anew that were moved away, a second SIGINT stops at once.

      Where the network card or the kernel joins or cuts segments (offload), packets are measured as they were captured: \
      fewer and larger than on the wire, so header overhead is less than it was there.
      """)

  @Option(
    name: [.short, .long],
    help: ArgumentHelp("Capture on this interface; any for all. Can be repeated.", valueName: "if"))
  var interface: [String]

  @Option(help: ArgumentHelp("Stop after this many seconds.", valueName: "s"))
  var duration: Double?

  @Option(help: ArgumentHelp("Stop after this many packets.", valueName: "n"))
  var packets: Int?

  @Option(help: ArgumentHelp("Octets taken of each packet.", valueName: "octets"))
  var snapshotLength = LiveCapture.Options.maximumSnapshotLength

  @Option(help: ArgumentHelp("MiB of the kernel's ring for each interface.", valueName: "MiB"))
  var buffer = 64

  @Option(help: ArgumentHelp("MiB of memory that packets wait in for the analysis.", valueName: "MiB"))
  var queue = LiveCaptureReader.QueueLimits.defaultCapacity >> 20

  @Option(
    help: ArgumentHelp("MiB of a file that packets wait in when the queue is full; 0 for none.", valueName: "MiB"))
  var spill = SpillFile.defaultCapacity >> 20

  @Flag(help: "Take packets for other hosts, too.")
  var promiscuous = false

  @Option(name: [.short, .long], help: ArgumentHelp("Save the packets to this file (pcapng).", valueName: "file"))
  var write: String?

  @Option(help: ArgumentHelp("Start a new file after this many MiB.", valueName: "MiB"))
  var rotateSize: Int?

  @Option(help: ArgumentHelp("Start a new file after this many seconds of packets.", valueName: "s"))
  var rotateInterval: Double?

  @Option(help: ArgumentHelp("Keep this many files, and remove older ones.", valueName: "n"))
  var rotateFiles: Int?

  @Option(help: ArgumentHelp("Bring the reports up to date every so many seconds.", valueName: "s"))
  var interval = 10.0

  @Flag(help: "Show no live view on a terminal, but a line for each interval.")
  var noView = false

  @Option(
    help: ArgumentHelp("Serve Prometheus metrics on this address; :9090 is on loopback.", valueName: "address:port"))
  var metrics: String?

  @Option(help: ArgumentHelp("Become this user once the devices are open.", valueName: "name"))
  var user: String?

  @Flag(help: "Read packets as root if there is no other user to become.")
  var allowRoot = false

  /// Taken, as every command does, but there is no bar to be left out.
  @Flag(help: .hidden)
  var noProgress = false

  @OptionGroup var options: CommonOptions

  func validate() throws {
    if interface.isEmpty { throw ValidationError("live needs --interface.") }
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
    if write == nil, rotateSize ?? rotateFiles != nil || rotateInterval != nil {
      throw ValidationError("--rotate-… needs --write.")
    }
  }

  func run() throws {
    // Both while there are privileges to do it with.
    let niceBefore = CapturePriority.raise()
    Privileges.keepForCapture()
    let filter = try options.packetFilter()
    do {
      let captures = try open(filter)
      if let output = options.output, !options.isStreaming { Confinement.keepTemporaryFiles(in: output) }
      try Privileges.giveUp(user: user, allowsRoot: allowRoot)
      for capture in captures {
        for warning in capture.warnings { options.logger.warning("\(capture.interface): \(warning)") }
      }
      var analysis = LiveAnalysis(self, niceBefore: niceBefore)
      let status = try analysis.run(captures)
      if status != .success { throw ExitCode(status.rawValue) }
    } catch let error as CaptureError {
      try fail(error.description)
    } catch let error as ReportError {
      try fail(error.description)
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
    var captures: [LiveCapture] = []
    for name in interface {
      captures.append(
        try LiveCapture(
          interface: name, filter: filter,
          options: .init(
            snapshotLength: snapshotLength, bufferLength: buffer << 20, isPromiscuous: promiscuous)))
    }
    return captures
  }

  /// What the run has to reach once everything is open: its folders, where files are started anew.
  func confinement(_ captures: [LiveCapture]) -> Confinement {
    var outputs: [String] = []
    if let output = options.output, !options.isStreaming { outputs.append(output) }
    if let write { outputs.append(Confinement.writtenPath(write)) }
    return Confinement(
      outputs: outputs, serves: metrics != nil, receivers: captures.compactMap(\.descriptor),
      setsOwnPriority: true)
  }

  /// When a new file is started, if ever.
  var rotation: FileRotation? {
    guard rotateSize != nil || rotateInterval != nil || rotateFiles != nil else { return nil }
    return FileRotation(
      maximumLength: rotateSize.map { $0 << 20 }, interval: rotateInterval.map { Int64($0 * 1e9) },
      maximumFiles: rotateFiles)
  }
}
