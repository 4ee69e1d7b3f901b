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

/// One run over capture files: reads, analyzes and reports them, and continues after errors.
struct CaptureAnalysis {
  private let options: CommonOptions
  /// The captures, as reports name them.
  private let paths: [String]
  /// The partials of an earlier analysis; nil when captures are read.
  private let partials: PartialSeries?
  private let filter: PacketFilter?
  private let logger: Logger
  private let waiting: Waiting
  /// Whether the captures, or their key logs, may still be growing: a followed file, or a stream.
  private let isRunning: Bool
  /// Decoded octets after which signals and the clock are checked, however few packets they came from.
  private static let decodingInterval = 16 << 20

  private var console: Console
  private var simultaneous = SimultaneousCaptures()
  private var keyLogs = KeyLogs.none
  /// The tables that are counted for the reports.
  var tables: Configuration.Tables = []
  /// Whether captures are read together, and copies of packets are left out.
  var leavesOutCopies = false
  /// Whether it is part of a command that confines itself, and reports at its end.
  var isPart = false
  /// Whether the command has confined itself already.
  var isConfined = false
  /// Whether a partial that needs the packets of its capture is only named in `partialThatNeedsPackets`.
  var mayAskForPackets = false
  /// Whether a report could not be written to its end.
  private var hasWriteFailed = false
  /// The partial that has to be made again with all packets, so that these reports are right.
  private(set) var partialThatNeedsPackets: String?
  /// Whether the written files are named after the summary.
  var namesFiles = true
  /// The length of the timeline's intervals in nanoseconds; nil for about a hundredth of the capture.
  var timelineInterval: Int64?
  /// The content of the summary; nil for a command with its own.
  var summary: SummaryArguments?
  /// Adds up the selected exchanges for the summary; nil for all.
  var selection: SelectedExchanges?
  /// Gathers the largest savings for the summary; nil where it shows none.
  private var savings: LargestSavings?
  /// Whether the summary is a JSON document, which is always printed and contains the names of written files.
  var isDocument = false
  /// Whether the summary has no outcome of the key logs, so that standard error gets it.
  var saysKeyLogs = false
  /// The folder of the reports, after it is opened.
  private var folder: ReportFolder?

  /// Prepares a run; `waiting` tells how to follow a capture.
  init(options: CommonOptions, input: CaptureArguments, filter: PacketFilter?, waiting: Waiting = Waiting()) {
    self.init(
      options: options, paths: input.captures, partials: nil, filter: filter, waiting: waiting,
      isRunning: waiting.follows || CaptureSecrets.mayComeLate(in: input.captures), showsProgress: !input.noProgress)
  }

  /// Prepares a run over partials of an earlier analysis.
  init(options: CommonOptions, partials: PartialSeries, showsProgress: Bool) {
    self.init(
      options: options, paths: partials.segments.map(\.head.capture), partials: partials, filter: nil,
      waiting: Waiting(), isRunning: false, showsProgress: showsProgress)
    OctetMark.fixKeys()
  }

  private init(
    options: CommonOptions, paths: [String], partials: PartialSeries?, filter: PacketFilter?, waiting: Waiting,
    isRunning: Bool, showsProgress: Bool
  ) {
    self.options = options
    self.waiting = Waiting(stop: StopSignals.stop, follows: waiting.follows, patience: waiting.patience)
    if let output = options.output, !options.isStreaming { Confinement.keepTemporaryFiles(in: output) }
    self.paths = paths
    self.partials = partials
    self.isRunning = isRunning
    self.filter = filter
    logger = options.logger
    // On a terminal, rows and the bar would disturb each other.
    let isShown = options.isStreaming && Terminal.standardOutput.isTerminal
    console = Console(showsProgress: !options.quiet && showsProgress && !isShown)
  }

  /// Opens the folder of the reports, for this run alone. An error is reported before anything is read.
  ///
  /// - Parameter files: The files that this run writes.
  /// - Returns: Its path; nil without a folder.
  /// - Throws: The exit status of a failure, when it cannot be opened.
  mutating func openFolder(writing files: ReportFiles) throws -> String? {
    do throws(ReportError) { folder = try options.reportFolder(writing: files) } catch {
      console.fail(error)
      throw ExitCode(ExitStatus.failure.rawValue)
    }
    // For `verify` and `models` only the page shows these tables.
    if folder != nil, options.format.names.contains(.html) { tables = options.tables }
    return folder?.path
  }

  /// Runs to the end, for a command with options for its summary and timeline.
  ///
  /// - Throws: An exit status other than success, or a usage error.
  mutating func run(_ summary: SummaryArguments, _ interval: IntervalOption) throws {
    timelineInterval = interval.nanoseconds
    self.summary = summary
    selection = try summary.selection(options)
    savings = summary.savings(options)
    isDocument = summary.json
    let status = try run()
    if status != .success { throw ExitCode(status.rawValue) }
  }

  /// Runs to the end.
  ///
  /// - Throws: The exit status of a failure, when the folder of the reports cannot be opened.
  mutating func run() throws -> ExitStatus {
    if options.isStreaming {
      return analyze(into: NDJSONStream(redaction: options.redaction)) { stream, totals throws(ReportError) in
        try stream.finish(totals)
      }
    }
    guard let output = try openFolder(writing: ReportFiles.reports(options.format.names)) else {
      return analyze(into: NullReport()) { _, _ in }
    }
    tables = options.tables
    do throws(ReportError) {
      let reports = try ReportSet(
        options.format.names, folder: output, options.context(reading: paths, length: partials?.captureLength))
      if options.threads > 1, reports.observer == nil {
        return analyze(into: ConcurrentReports(reports)) { reports, totals throws(ReportError) in
          try reports.finish(totals)
        } leftOut: { reports in
          reports.leftOut
        }
      }
      return analyze(into: reports, observer: reports.observer) { reports, totals throws(ReportError) in
        try reports.finish(totals)
      } leftOut: { reports in
        reports.leftOut
      }
    } catch {
      console.fail(error)
      return console.status
    }
  }

  private mutating func analyze<Sink: ReportSink>(
    into sink: consuming Sink, observer: (any MessageObserver)? = nil,
    completing: (inout Sink, Totals) throws(ReportError) -> Void,
    leftOut: (Sink) -> LeftOutRows = { _ in LeftOutRows() }
  ) -> ExitStatus {
    let text = {
      [options, summary, paths, partials, isDocument]
      (
        totals: Totals, leftOut: LeftOutRows, selected: SelectedExchanges?, savings: LargestSavings?,
        folder: ReportFolder?
      )
      in
      let summary = Summary(
        totals, redaction: options.redaction, leftOut: leftOut, choices: summary?.choices(options) ?? SummaryChoices(),
        facts: RunFacts("analyze", paths, totals.secrets, options, knowsUse: partials == nil),
        selected: selected, savings: savings)
      return isDocument ? summary.document(written: folder?.written) : summary.text(for: .standardOutput)
    }
    guard selection != nil || savings != nil else {
      return run(into: sink, observer: observer, completing: completing) { sink, totals, folder in
        text(totals, leftOut(sink), nil, nil, folder)
      }
    }
    if savings != nil { tables.formUnion([.hosts, .fields, .contents]) }
    return run(into: SummaryRows(rows: sink, selection: selection, savings: savings), observer: observer) {
      sink, totals throws(ReportError) in
      try completing(&sink.rows, totals)
    } summarizing: { sink, totals, folder in
      text(totals, leftOut(sink.rows), sink.selection, sink.savings, folder)
    }
  }

  /// Runs to the end, with any sink.
  ///
  /// - Parameters:
  ///   - sink: Receives the rows.
  ///   - observer: Sees the parts of messages; nil when only lengths matter.
  ///   - completing: Writes the facts that are known only at the end.
  ///   - summarizing: Returns the output at the end, which `--quiet` suppresses; its argument is the folder of the reports.
  /// - Returns: The result of the run.
  mutating func run<Sink: ReportSink>(
    into sink: consuming Sink, observer: (any MessageObserver)? = nil,
    completing: (inout Sink, Totals) throws(ReportError) -> Void, summarizing: (Sink, Totals, ReportFolder?) -> String
  ) -> ExitStatus {
    var configuration = options.configuration
    configuration.tables = tables
    if options.marks != nil { configuration.tables.insert(.timeline) }
    configuration.timelineInterval = timelineInterval
    if printsSummary { configuration.count(for: summary?.by) }
    if !isPart { options.prepareDigests() }
    do throws(CaptureError) { keyLogs = try KeyLogs(options.keyLogs) } catch { console.fail(error.description) }
    // This comes first, because every thread is to be confined, too.
    if !isPart, !isConfined {
      let files = partials?.segments.map(\.file) ?? paths
      Confinement(inputs: files + options.keyLogs, outputs: folder.map { [$0.path] } ?? []).begin(logger)
    }
    StopSignals.listen(hasOtherReports: !options.isStreaming)
    defer { folder?.release() }
    let decoders = SystemContentDecoders(configuration: configuration, threads: options.threads - 1)
    var pipeline = Pipeline(
      configuration: configuration, decoders: decoders, observer: observer,
      compressor: tables.contains(.contents) ? GzipEstimate() : nil, sink: sink)
    if options.threads > 1 { pipeline.countTablesConcurrently() }
    readKeys(&pipeline)
    pipeline.leavesOutCopies = leavesOutCopies
    for fault in partials?.faults ?? [] { console.fail(fault.description) }
    if let partials, leavesOutCopies {
      var captures = OverlappingPartials(partials)
      read(&captures, &pipeline) { $0.description }
      for segment in partials.segments { say(segment.head.faults) }
    } else if let partials {
      read(partials, &pipeline)
    } else if leavesOutCopies {
      var captures = OverlappingCaptures(paths: paths, filter: filter, waiting: waiting)
      pipeline.capturedOctets = captures.capturedOctets
      read(&captures, &pipeline) { $0.description }
    } else {
      var series = CaptureSeries(paths: paths, filter: filter, waiting: waiting, readsAhead: options.threads > 1)
      pipeline.capturedOctets = series.capturedOctets
      read(&series, &pipeline) { $0.description }
    }
    let isStopped = note(StopSignals.received)
    finishConnections(&pipeline)
    console.clear()
    var totals = pipeline.takeTotals()
    if isStopped { totals.noteStop() }
    var failure: ReportError?
    do throws(ReportError) { try completing(&pipeline.sink, totals) } catch { failure = error }
    // If the folder is gone, this causes any other error in it.
    do throws(ReportError) { try folder?.requireExistence() } catch { failure = error }
    if let failure { report(failure) }
    if let note = simultaneous.note, !options.quiet { console.say(note) }
    if saysKeyLogs || !printsSummary, !options.quiet {
      KeyLogOutcome(totals.secrets, logs: options.keyLogs, knowsUse: partials == nil).lines().forEach {
        console.say($0)
      }
    }
    return conclude(totals) { [folder] in summarizing(pipeline.sink, totals, folder) }
  }

  /// Learns the secrets that exist before the first packet: from the logs, and from captures that can be read twice.
  private mutating func readKeys<Sink: ReportSink>(_ pipeline: inout Pipeline<Sink>) {
    readKeyLogs(&pipeline)
    if isRunning {
      pipeline.mayLearnSecrets = !options.keyLogs.isEmpty
    } else {
      keyLogs.finish(into: &pipeline)
    }
    guard !waiting.follows else { return }
    if let partials {
      for segment in partials.segments where !segment.head.secrets.isEmpty {
        segment.head.secrets.withOctets { pipeline.learn(secrets: $0) }
        pipeline.endOfSecrets()
      }
    } else {
      CaptureSecrets.read(paths, waiting: waiting, readsAhead: options.threads > 1) { learn($0, &pipeline) }
    }
  }

  private mutating func readKeyLogs<Sink: ReportSink>(_ pipeline: inout Pipeline<Sink>) {
    do throws(CaptureError) { try keyLogs.read(into: &pipeline) } catch { console.fail(error.description) }
  }

  private func learn<Sink: ReportSink>(_ secrets: SecretsRecord, _ pipeline: inout Pipeline<Sink>) {
    guard secrets.kind == .tlsKeyLog else { return }
    secrets.octets.withOctets { pipeline.learn(secrets: $0) }
    pipeline.endOfSecrets()
  }

  // MARK: Packets

  /// Reads packets to their end; `text` returns the reason why a capture cannot be read any further.
  private mutating func read<Packets: PacketSequence & ~Copyable, Sink: ReportSink>(
    _ packets: inout Packets, _ pipeline: inout Pipeline<Sink>, text: (Packets.Fault) -> String
  ) {
    let isRunning = isRunning
    var decoded = pipeline.decodedOctets
    packets.read(looksAtEachStep: isRunning) { packets in
      if isRunning {
        // A followed program may have written more meanwhile.
        do throws(CaptureError) { try keyLogs.poll(into: &pipeline, isIdle: false) } catch {
          console.fail(error.description)
        }
      }
      decoded = pipeline.decodedOctets
      console.pass(bytes: packets.octetsRead, of: packets.size)
      // A decompressor or libpcap may hold more than one read of the file.
      return !StopSignals.stop.isRequested
    } begin: { packets, continues in
      logger.info("reading \(ErrorOutput.escaped(packets.name ?? ""))")
      simultaneous.begin(packets.name ?? "", at: packets.firstTimestamp, after: packets.lastTimestamp)
      if !continues { finishConnections(&pipeline) }
    } event: { event in
      take(event, &pipeline)
    } packet: { packet, octets, capture in
      do throws(Sink.Failure) { try pipeline.process(packet, octets, of: capture) } catch { report(sinkError: error) }
      return pipeline.decodedOctets &- decoded < Self.decodingInterval
    } failed: { fault in
      console.fail(text(fault))
    }
    if isRunning {
      readKeyLogs(&pipeline)
      keyLogs.finish(into: &pipeline)
    }
    pipeline.setDropped(Int(clamping: packets.dropped ?? 0))
  }

  private mutating func finishConnections<Sink: ReportSink>(_ pipeline: inout Pipeline<Sink>) {
    do throws(Sink.Failure) { try pipeline.finishConnections() } catch { report(sinkError: error) }
  }

  // MARK: Partials

  private mutating func read<Sink: ReportSink>(_ partials: PartialSeries, _ pipeline: inout Pipeline<Sink>) {
    var reader = PartialReader()
    var octetsRead = 0
    for (index, segment) in partials.segments.enumerated() where !StopSignals.stop.isRequested {
      logger.info("reading \(ErrorOutput.escaped(segment.file))")
      simultaneous.begin(
        segment.head.capture, at: segment.head.first, after: index > 0 ? partials.segments[index - 1].head.last : nil)
      if !partials.continues(index) { finishConnections(&pipeline) }
      do throws(PartialError) {
        try reader.begin(segment, &pipeline)
        try read(&reader, &octetsRead, of: partials, &pipeline)
        say(segment.head.faults)
      } catch {
        if mayAskForPackets, case .sameEndpoints = error.problem {
          partialThatNeedsPackets = segment.file
          break
        }
        console.fail(error.description)
        // Nothing of a damaged segment is counted. Later partials may belong to connections that it has ended.
        guard error.problem == .damaged else { break }
        finishConnections(&pipeline)
      }
    }
    pipeline.setDropped(partials.dropped ?? 0)
  }

  private mutating func read<Sink: ReportSink>(
    _ reader: inout PartialReader, _ octetsRead: inout Int, of partials: PartialSeries,
    _ pipeline: inout Pipeline<Sink>
  ) throws(PartialError) {
    while !StopSignals.stop.isRequested {
      var failure: Sink.Failure?
      let step = try reader.advance(&pipeline) { failure = failure ?? $0 }
      if let failure { report(sinkError: failure) }
      switch step {
      case .event(let event): take(event, &pipeline)
      case .block(let octets):
        octetsRead += octets
        console.pass(bytes: octetsRead, of: partials.length)
      case .end: return
      }
    }
  }

  /// Reports the faults of a capture from the time when its partial was made.
  private mutating func say(_ faults: [String]) {
    for fault in faults { console.fail(fault) }
  }

  private mutating func take<Sink: ReportSink>(_ event: CaptureEvent, _ pipeline: inout Pipeline<Sink>) {
    if case .secrets(let secrets) = event {
      // A stream with one such block may have others.
      if isRunning {
        pipeline.noteSecretsOfCapture()
        pipeline.mayLearnSecrets = true
      }
      learn(secrets, &pipeline)
    } else if let event = AnalysisEvent(event) {
      do throws(Sink.Failure) { try pipeline.take(event) } catch { report(sinkError: error) }
    }
  }

  /// Handles a signal that ended the reading. For a followed capture, it is the regular end. Returns whether packets are left unread.
  private mutating func note(_ signal: Int32?) -> Bool {
    guard let signal else { return false }
    let name = signal == ExitStatus.interrupted.rawValue - 128 ? "SIGINT" : "SIGTERM"
    logger.info("\(name) ended the reading")
    if waiting.follows { return false }
    console.say("stopped by \(name): only what was read until then is reported")
    console.end(by: signal)
    return true
  }

  private mutating func conclude(_ totals: Totals, summary: () -> String) -> ExitStatus {
    if partialThatNeedsPackets != nil { return .success }
    if totals.ledger.difference != 0 {
      console.exceed()
      if isPart || !printsSummary { ErrorOutput.write(Summary.lastLine(totals.ledger)) }
    }
    if !isPart, printsSummary {
      var text = summary()
      if namesFiles, !isDocument, let folder { text = folder.named(in: text, totals, isInPart: hasWriteFailed) }
      do throws(ReportError) { try StandardOutput.write(text) } catch { console.fail(error) }
    }
    return console.status
  }

  /// Whether there is a summary: a document was asked for explicitly.
  private var printsSummary: Bool { options.printsSummary || isDocument }

  /// Reports a write error; the run continues and ends with a failure.
  mutating func report(_ error: ReportError) {
    hasWriteFailed = true
    console.fail(error)
  }

  private mutating func report(sinkError error: any Error) { (error as? ReportError).map { report($0) } }
}
