import Capture
import ContentCodings
import HTTPReassembly
import Logging
import Packets
import Partials
import ProcessConfinement
import Reports
import Tabular

/// `sniffer analyze CAPTURE... --partial FILE`: what an analysis of many captures needs of these.
///
/// Each capture is read twice: first to find out which connections depend on nothing that another capture says, then to analyse those and to
/// keep the packets of the others.
struct PartialMaking {
  private let options: CommonOptions
  private let paths: [String]
  private let filter: PacketFilter?
  private let interval: Int64?
  private let keepsPackets: Bool
  private let logger: Logger
  private var status = ExitStatus.success
  private var progress: ProgressBar<ContinuousClock>?
  private var keys: KeyLogContents?
  /// Octets of the captures that have been read, and how many there are to read: each twice.
  private var octetsRead = 0
  private var octetsInAll: Int?
  private var packets = 0
  private var keptPackets = 0

  /// Times that a capture is analysed before all of its packets are kept: nearly always it is one, rarely two.
  private static let attemptLimit = 3
  /// Packets between two looks at the clock for the progress bar.
  private static let progressInterval = 4096

  /// Prepares to read captures; `keepsPackets` says whether all packets are kept.
  init(
    options: CommonOptions, captures: [String], filter: PacketFilter?, interval: Int64?, keepsPackets: Bool,
    showsProgress: Bool
  ) {
    self.options = options
    paths = captures
    self.filter = filter
    self.interval = interval
    self.keepsPackets = keepsPackets
    logger = options.logger
    if showsProgress { progress = ProgressBar(clock: ContinuousClock()) }
  }

  /// Writes the partial. It has its name only when it is whole.
  mutating func run(to path: String) -> ExitStatus {
    OctetMark.fixKeys()
    options.prepareDigests()
    let (folderPath, name) = OutputFolder.split(path)
    let folder: OutputFolder
    do throws(ReportError) { folder = try OutputFolder(folderPath) } catch { return fail(error.description) }
    do throws(CaptureError) { keys = try KeyLogContents(options.keyLogs) } catch { return fail(error.description) }
    Confinement(inputs: paths, outputs: [folderPath]).begin(logger)
    StopSignals.listen(hasOtherReports: true)
    octetsInAll = CaptureSeries(paths: paths).size.map { 2 * $0 }
    do throws(ReportError) {
      let prepared = try folder.prepare(name) { file throws(ReportError) in
        for path in paths where StopSignals.received == nil { try make(path, to: file) }
      }
      progress?.clear()
      if let signal = StopSignals.received {
        prepared.discard()
        ErrorOutput.write("stopped: there is no \(ErrorOutput.escaped(path))")
        return ExitStatus(rawValue: 128 + signal) ?? .failure
      }
      try prepared.commit()
    } catch { return fail(error.description) }
    if options.printsSummary {
      let text =
        Self.said(path, captures: paths.count)
        + ", \(packets) packets, \(keptPackets) of them kept as they were captured\n"
      do throws(ReportError) { try StandardOutput.write(text) } catch { return fail(error.description) }
    }
    return status
  }

  /// What is said of a partial that was written.
  static func said(_ path: String, captures: Int) -> String {
    "wrote \(ErrorOutput.escaped(path)): \(captures == 1 ? "1 capture" : "\(captures) captures")"
  }

  private mutating func fail(_ text: String) -> ExitStatus {
    progress?.clear()
    ErrorOutput.write(text)
    status = .failure
    return status
  }

  // MARK: One capture

  private var configuration: Configuration {
    var configuration = options.configuration
    configuration.timelineInterval = interval
    return configuration
  }

  /// Adds the segment of a capture.
  private mutating func make(_ path: String, to file: OutputFile) throws(ReportError) {
    logger.info("reading \(path)")
    var head = PartialHead()
    head.toolVersion = SnifferCommand.version
    head.capture = path
    head.options = options.analysis.partialOptions
    head.keys = keys?.digest ?? ""
    head.interval = interval ?? 0
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
      logger.info("\(path): some connections depend on other captures: it is read again")
      try file.cut(to: start)
      attempts += 1
      // Made to be so, if anything is.
      if attempts >= Self.attemptLimit { scan.keepsAll = true }
    }
  }

  /// Finds out which packets depend on what other captures say.
  private mutating func look(at path: String, _ scan: inout ConnectionScan, _ head: inout PartialHead) {
    var series = CaptureSeries(paths: [path], filter: filter, waiting: Waiting(stop: StopSignals.stop))
    head.captureLength = series.size ?? 0
    var (first, last): (Int64?, Int64?) = (nil, nil)
    let faults = read(&series) { event in
      switch event {
      // Their numbers, and what apps they are of, is a matter of all captures together.
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
    for fault in faults { _ = fail(fault) }
    head.faults = faults
    head.first = first
    head.last = last
    head.mark = scan.mark
    if let dropped = series.dropped { head.dropped = Int(clamping: dropped) }
  }

  /// Analyses what depends on nothing, and keeps the rest. Returns whether it turned out to be so.
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

  /// Reads a capture to its end, or until `packet` returns false. Returns what is wrong with it.
  private mutating func read(
    _ series: inout CaptureSeries, event: (CaptureEvent) -> Void, packet: (Packet, RawSpan) -> Bool
  ) -> [String] {
    var faults: [String] = []
    let before = octetsRead
    while StopSignals.received == nil {
      do throws(CaptureError) {
        let step = try series.advance()
        for news in series.takeEvents() { event(news) }
        switch step {
        case .end: return faults
        case .capture: continue
        case .packet: break
        }
        guard series.withPacket({ packet($0, $1) }) else { return faults }
        var left = Self.progressInterval
        var goesOn = true
        try series.passOn { next, octets in
          goesOn = packet(next, octets)
          left -= 1
          return goesOn && left > 0
        }
        guard goesOn else { return faults }
        octetsRead = before + series.octetsRead
        progress?.update(bytes: octetsRead, of: octetsInAll)
      } catch {
        faults.append(error.description)
      }
    }
    return faults
  }
}
