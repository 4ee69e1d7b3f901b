import ArgumentParser
import Capture
import ContentCodings
import HTTPReassembly
import Logging
import Packets
import Partials
import ProcessConfinement
import Reports
import Tabular

/// `sniffer analyze CAPTURE... --partial FILE`: the part of these captures in an analysis of many.
///
/// Each capture is read twice. The first pass finds the connections that do not depend on other captures. The second pass
/// analyzes those and keeps the packets of the others.
struct PartialMaking {
  private let options: CommonOptions
  private let paths: [String]
  private let filter: PacketFilter?
  private let interval: Int64?
  /// Whether all packets are kept.
  var keepsPackets = false
  /// Whether it is part of a command that confines itself, and reports faults of captures when their partials are merged.
  var isPart = false
  private let logger: Logger
  private var console: Console
  private var keys: KeyLogContents?
  /// Octets read from the captures, and octets to read: each twice.
  private var octetsRead = 0
  private var octetsInAll: Int?
  private var packets = 0
  private var keptPackets = 0

  /// The number of analyses of a capture before all of its packets are kept: nearly always one, rarely two.
  private static let attemptLimit = 3

  /// Prepares to read captures.
  init(
    options: CommonOptions, captures: [String], filter: PacketFilter?, interval: Int64?, showsProgress: Bool
  ) {
    self.options = options
    paths = captures
    self.filter = filter
    self.interval = interval
    logger = options.logger
    console = Console(showsProgress: showsProgress)
  }

  /// Prepares keys and digests, which the confinement would forbid.
  ///
  /// - Throws: The exit status of a failure, when a key log cannot be read.
  mutating func prepare() throws {
    OctetMark.fixKeys()
    options.prepareDigests()
    do throws(CaptureError) { keys = try KeyLogContents(options.keyLogs) } catch {
      throw ExitCode(fail(error.description).rawValue)
    }
  }

  /// Writes one partial of all captures. It gets its name only when it is whole.
  ///
  /// - Throws: The exit status of a failure, when it cannot start.
  mutating func run(to path: String) throws -> ExitStatus {
    try prepare()
    let (folder, name): (OutputFolder, String)
    do throws(ReportError) { (folder, name) = try PartialSegment.folder(for: path) } catch {
      return fail(error.description)
    }
    Confinement(inputs: paths, outputs: [folder.path]).begin(logger)
    begin(paths)
    guard write(paths, to: name, in: folder) else { return console.status }
    if options.printsSummary {
      let text =
        Self.said(path, captures: paths.count)
        + ", \(packets) packets, \(keptPackets) of them kept as they were captured\n"
      do throws(ReportError) { try StandardOutput.write(text) } catch { console.fail(error) }
    }
    return console.status
  }

  /// Starts to read captures; the progress bar counts their octets.
  mutating func begin(_ captures: [String]) {
    StopSignals.listen(hasOtherReports: true)
    octetsRead = 0
    octetsInAll = CaptureSeries(paths: captures).size.map { 2 * $0 }
  }

  /// Writes the partial of one of the captures. It gets its name only when it is whole.
  ///
  /// - Returns: The result.
  mutating func make(_ capture: String, to path: String) -> ExitStatus {
    let (folderPath, name) = OutputFolder.split(path)
    do throws(ReportError) { _ = write([capture], to: name, in: try OutputFolder(folderPath)) } catch {
      return fail(error.description)
    }
    return console.status
  }

  /// Whether a partial is whole, of the capture with this name, and made with the options of this run.
  func fits(_ path: String, _ capture: String) -> Bool {
    guard let segments = try? PartialSegment.all(in: path), segments.count == 1 else { return false }
    let (head, expected) = (segments[0].head, head(of: capture))
    return head.toolVersion == expected.toolVersion && head.capture == expected.capture
      && head.options == expected.options && head.keys == expected.keys && head.interval == expected.interval
      && segments[0].isWhole
  }

  /// Writes the partial of captures to a folder. Returns whether it got its name.
  private mutating func write(_ captures: [String], to name: String, in folder: OutputFolder) -> Bool {
    do throws(ReportError) {
      let prepared = try folder.prepare(name) { file throws(ReportError) in
        for path in captures where StopSignals.received == nil { try make(path, to: file) }
      }
      console.clear()
      if let signal = StopSignals.received {
        prepared.discard()
        if !isPart { console.say("stopped: there is no \(ErrorOutput.escaped(folder.path + "/" + name))") }
        console.end(by: signal)
        return false
      }
      try prepared.commit()
      return true
    } catch {
      _ = fail(error.description)
      return false
    }
  }

  /// The notice about a written partial.
  static func said(_ path: String, captures: Int) -> String {
    "wrote \(ErrorOutput.escaped(path)): \(captures == 1 ? "1 capture" : "\(captures) captures")"
  }

  private mutating func fail(_ text: String) -> ExitStatus {
    console.fail(text)
    return console.status
  }

  // MARK: One capture

  private var configuration: Configuration {
    var configuration = options.configuration
    configuration.timelineInterval = interval
    return configuration
  }

  /// The facts about a capture before it is read.
  private func head(of path: String) -> PartialHead {
    var head = PartialHead()
    head.toolVersion = SnifferCommand.version
    head.capture = path
    head.options = options.partialOptions
    head.keys = keys?.digest ?? ""
    head.interval = interval ?? 0
    return head
  }

  /// Adds the segment of a capture.
  private mutating func make(_ path: String, to file: OutputFile) throws(ReportError) {
    logger.info("reading \(ErrorOutput.escaped(path))")
    var head = head(of: path)
    var scan = ConnectionScan(configuration: configuration)
    scan.keepsAll = keepsPackets
    look(at: path, &scan, &head)
    scan.finish(configuration)
    let begun = octetsRead
    var attempts = 0
    let start = file.length
    while StopSignals.received == nil {
      octetsRead = begun
      if try analyse(path, &scan, head, to: file) { return }
      logger.info("\(ErrorOutput.escaped(path)): some connections depend on other captures: it is read again")
      try file.cut(to: start)
      attempts += 1
      // With all packets kept, the next attempt succeeds.
      if attempts >= Self.attemptLimit { scan.keepsAll = true }
    }
  }

  /// Finds the packets that depend on other captures.
  private mutating func look(at path: String, _ scan: inout ConnectionScan, _ head: inout PartialHead) {
    var series = CaptureSeries(paths: [path], filter: filter, waiting: Waiting(stop: StopSignals.stop))
    head.captureLength = series.size ?? 0
    var (first, last): (Int64?, Int64?) = (nil, nil)
    let faults = read(&series) { event in
      switch event {
      // Their numbers, and the apps that they belong to, depend on all captures together.
      case .process, .app, .comment: scan.keepsAll = true
      case .secrets(let secrets):
        if secrets.kind == .tlsKeyLog { head.add(secrets: secrets.octets) }
      // The number of lost packets is read at the end.
      case .name, .drops, .interface, .timePassed: break
      }
    } packet: { packet, octets in
      if first == nil { first = packet.timestamp }
      last = packet.timestamp
      scan.look(packet, octets)
      return true
    }
    if !isPart { for fault in faults { _ = fail(fault) } }
    head.faults = faults
    head.first = first
    head.last = last
    head.mark = scan.mark
    if let dropped = series.dropped { head.dropped = Int(clamping: dropped) }
  }

  /// Analyzes the independent connections, and keeps the rest. Returns whether they were independent.
  private mutating func analyse(
    _ path: String, _ scan: inout ConnectionScan, _ head: PartialHead, to file: OutputFile
  ) throws(ReportError) -> Bool {
    var series = CaptureSeries(
      paths: [path], filter: filter, waiting: Waiting(stop: StopSignals.stop), readsAhead: options.threads > 1)
    let configuration = configuration
    var analysis = PartAnalysis(
      configuration: configuration,
      decoders: SystemContentDecoders(configuration: configuration, threads: options.threads - 1),
      compressor: GzipEstimate(), captured: series.capturedOctets)
    if let keys { keys.octets.withOctets { analysis.learn(secrets: $0) } }
    head.secrets.withOctets { analysis.learn(secrets: $0) }
    var writer = try PartialWriter(to: file, head)
    var failure: ReportError?
    _ = read(&series) { event in
      if case .timePassed(let time) = event {
        analysis.pass(to: time)
        do throws(ReportError) { try writer.addRecords(of: &analysis) } catch { failure = failure ?? error }
      }
      writer.add(event)
    } packet: { packet, octets in
      do throws(ReportError) {
        analysis.advance(to: packet)
        try writer.addRecords(of: &analysis)
        if scan.keeps(packet, octets) {
          writer.keep(packet, octets)
          analysis.skip(packet)
        } else {
          writer.count(packet)
          analysis.process(packet, octets)
        }
        try writer.addRecords(of: &analysis)
      } catch { failure = failure ?? error }
      return failure == nil
    }
    if let failure { throw failure }
    guard analysis.finish(&scan) else { return false }
    try writer.addRecords(of: &analysis)
    packets += writer.head.packets
    keptPackets += writer.head.keptPackets
    try writer.finish()
    return true
  }

  /// Reads a capture to its end, or until `packet` returns false. Returns its fault.
  private mutating func read(
    _ series: inout CaptureSeries, event: (CaptureEvent) -> Void, packet: (Packet, RawSpan) -> Bool
  ) -> [String] {
    var faults: [String] = []
    var goesOn = true
    let before = octetsRead
    series.read { series in
      octetsRead = before + series.octetsRead
      console.pass(bytes: octetsRead, of: octetsInAll)
      return goesOn && StopSignals.received == nil
    } begin: { _, _ in
    } event: {
      event($0)
    } packet: { next, octets, _ in
      if goesOn { goesOn = packet(next, octets) }
      return goesOn
    } failed: {
      faults.append($0.description)
    }
    octetsRead = before + series.octetsRead
    return faults
  }
}
