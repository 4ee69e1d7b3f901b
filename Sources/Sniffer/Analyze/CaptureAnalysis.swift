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

/// One run over capture files: reads, analyses, reports, and keeps going where something fails.
struct CaptureAnalysis {
  private let options: CommonOptions
  /// The captures, as reports name them.
  private let paths: [String]
  /// What was analysed of them before; nil where the captures are read.
  private let partials: PartialSeries?
  private let filter: PacketFilter?
  private let logger: Logger
  private let waiting: Waiting
  /// Whether what is captured, and what opens it, may be written just now: a file that is followed, or a stream.
  private let isRunning: Bool
  /// Decoded octets after which signals and the clock are looked at, however few packets they came from.
  private static let decodingInterval = 16 << 20
  /// Columns of what is said beside the summary's tables.
  private static let summaryWidth = 80

  private var console: Console
  private var simultaneous = SimultaneousCaptures()
  private var keyLogs = KeyLogs.none
  /// The tables that are counted for the reports.
  var tables: Configuration.Tables = []
  /// Whether captures are read together, and packets are left out that are copies of others.
  var leavesOutCopies = false
  /// Whether it is a part of a command that confines itself, and says at its end what was found.
  var isPart = false
  /// Whether the command has confined itself already.
  var isConfined = false
  /// Whether a partial that needs the packets of its capture is to be named in `partialThatNeedsPackets`, and nothing else said.
  var mayAskForPackets = false
  /// The partial that has to be made again with all packets, for these reports to be right.
  private(set) var partialThatNeedsPackets: String?
  /// Whether the files that were written are named behind the summary.
  var namesFiles = true
  /// The length of the timeline's intervals in nanoseconds; nil for about a hundredth of the capture.
  var timelineInterval: Int64?
  /// What the summary shows; nil for a command that has another one.
  var summary: SummaryArguments?
  /// What adds up the exchanges that the summary has; nil for all.
  var selection: SelectedExchanges?
  /// Whether the summary is a JSON document, which is printed in any case and has the names of written files in it.
  var isDocument = false
  /// Where reports go, once it is opened.
  private var folder: ReportFolder?

  /// Prepares a run; `waiting` says how a capture is followed.
  init(options: CommonOptions, input: CaptureArguments, filter: PacketFilter?, waiting: Waiting = Waiting()) {
    self.init(
      options: options, paths: input.captures, partials: nil, filter: filter, waiting: waiting,
      isRunning: waiting.follows || CaptureSecrets.mayComeLate(in: input.captures), showsProgress: !input.noProgress)
  }

  /// Prepares a run over what was analysed of captures before.
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
    // On a terminal, rows and the bar would be in each other's way.
    let isShown = options.isStreaming && Terminal.standardOutput.isTerminal
    console = Console(showsProgress: !options.quiet && showsProgress && !isShown)
  }

  /// Opens the folder that reports go to, for this run alone. That it cannot be had is said before anything is read.
  ///
  /// - Parameter files: The files that this run writes.
  /// - Returns: Its path; nil where no folder is wanted.
  /// - Throws: the exit status of a failure, when it cannot be had.
  mutating func openFolder(writing files: ReportFiles) throws -> String? {
    do throws(ReportError) { folder = try options.reportFolder(writing: files) } catch {
      console.fail(error)
      throw ExitCode(ExitStatus.failure.rawValue)
    }
    // Of what `verify` and `models` write, the page alone has them.
    if folder != nil, options.format.names.contains(.html) { tables = options.tables }
    return folder?.path
  }

  /// Runs to the end, for a command whose summary and timeline can be chosen.
  ///
  /// - Throws: the exit status, but for that of success, or what is wrong with the usage.
  mutating func run(_ summary: SummaryArguments, _ interval: IntervalOption) throws {
    timelineInterval = interval.nanoseconds
    self.summary = summary
    selection = try summary.selection(options)
    isDocument = summary.json
    let status = try run()
    if status != .success { throw ExitCode(status.rawValue) }
  }

  /// Runs to the end.
  ///
  /// - Throws: the exit status of a failure, when the folder of the reports cannot be had.
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
      [options, summary, paths, isDocument]
      (totals: Totals, leftOut: LeftOutRows, selected: SelectedExchanges?, folder: ReportFolder?) in
      let summary = Summary(
        totals, redaction: options.redaction, leftOut: leftOut, choices: summary?.choices(options) ?? SummaryChoices(),
        facts: RunFacts("analyze", paths), selected: selected)
      return isDocument ? summary.document(written: folder?.written) : summary.text(for: .standardOutput)
    }
    guard let selection else {
      return run(into: sink, observer: observer, completing: completing) { sink, totals, folder in
        text(totals, leftOut(sink), nil, folder)
      }
    }
    return run(into: SelectedRows(rows: sink, selection: selection), observer: observer) {
      sink, totals throws(ReportError) in
      try completing(&sink.rows, totals)
    } summarizing: { sink, totals, folder in
      text(totals, leftOut(sink.rows), sink.selection, folder)
    }
  }

  /// Runs to the end, whatever is to be made of it.
  ///
  /// - Parameters:
  ///   - sink: Receives the rows.
  ///   - observer: Sees what messages say; nil when only lengths matter.
  ///   - completing: Writes what is known only at the end.
  ///   - summarizing: What is printed at the end unless `--quiet` says otherwise; it is told the folder of the reports.
  /// - Returns: How the run ended.
  mutating func run<Sink: ReportSink>(
    into sink: consuming Sink, observer: (any MessageObserver)? = nil,
    completing: (inout Sink, Totals) throws(ReportError) -> Void, summarizing: (Sink, Totals, ReportFolder?) -> String
  ) -> ExitStatus {
    var configuration = options.configuration
    configuration.tables = tables
    configuration.timelineInterval = timelineInterval
    if printsSummary { configuration.count(for: summary?.by) }
    if !isPart { options.prepareDigests() }
    do throws(CaptureError) { keyLogs = try KeyLogs(options.keyLogs) } catch { console.fail(error.description) }
    // First, since every thread that there will be is to be confined, too.
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
    note(StopSignals.received)
    finishConnections(&pipeline)
    console.clear()
    let totals = pipeline.takeTotals()
    var failure: ReportError?
    do throws(ReportError) { try completing(&pipeline.sink, totals) } catch { failure = error }
    // That the folder is gone is the cause of any other error in it.
    do throws(ReportError) { try folder?.requireExistence() } catch { failure = error }
    if let failure { console.fail(failure) }
    if let note = simultaneous.note, !options.quiet { console.say(note) }
    return conclude(totals) { [folder] in summarizing(pipeline.sink, totals, folder) }
  }

  /// Learns the secrets that there are before the first packet: of the logs, and of the captures that can be read twice.
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
      CaptureSecrets.read(paths, waiting: waiting) { learn($0, &pipeline) }
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

  /// Reads packets to their end; `text` says why a capture cannot be read any further.
  private mutating func read<Packets: PacketSequence & ~Copyable, Sink: ReportSink>(
    _ packets: inout Packets, _ pipeline: inout Pipeline<Sink>, text: (Packets.Fault) -> String
  ) {
    let isRunning = isRunning
    var decoded = pipeline.decodedOctets
    packets.read(looksAtEachStep: isRunning) { packets in
      if isRunning {
        // What a program that is being followed has written meanwhile.
        do throws(CaptureError) { try keyLogs.poll(into: &pipeline, isIdle: false) } catch {
          console.fail(error.description)
        }
      }
      decoded = pipeline.decodedOctets
      console.pass(bytes: packets.octetsRead, of: packets.size)
      // What a decompressor or libpcap holds is more than one read of the file.
      return !StopSignals.stop.isRequested
    } begin: { packets, continues in
      logger.info("reading \(packets.name ?? "")")
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
      logger.info("reading \(segment.file)")
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
        // What comes after it would be given to connections that it may have ended.
        break
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

  /// Says what was wrong with a capture when its partial was made.
  private mutating func say(_ faults: [String]) {
    for fault in faults { console.fail(fault) }
  }

  private mutating func take<Sink: ReportSink>(_ event: CaptureEvent, _ pipeline: inout Pipeline<Sink>) {
    if case .secrets(let secrets) = event {
      // Where there is a block of a stream, there may be others.
      if isRunning { pipeline.mayLearnSecrets = true }
      learn(secrets, &pipeline)
    } else if let event = AnalysisEvent(event) {
      do throws(Sink.Failure) { try pipeline.take(event) } catch { report(sinkError: error) }
    }
  }

  /// What it means that a signal ended the reading. For a capture that is followed, it is the end that was meant.
  private mutating func note(_ signal: Int32?) {
    guard let signal else { return }
    let name = signal == ExitStatus.interrupted.rawValue - 128 ? "SIGINT" : "SIGTERM"
    logger.info("\(name) ended the reading")
    if waiting.follows { return }
    console.say("stopped by \(name): only what was read until then is reported")
    console.end(by: signal)
  }

  private mutating func conclude(_ totals: Totals, summary: () -> String) -> ExitStatus {
    if partialThatNeedsPackets != nil { return .success }
    if totals.ledger.difference != 0 {
      console.exceed()
      if isPart || !printsSummary { ErrorOutput.write(Summary.lastLine(totals.ledger)) }
    }
    if !isPart, printsSummary {
      let text = isDocument ? summary() : naming(folder, in: summary(), totals)
      do throws(ReportError) { try StandardOutput.write(text) } catch { console.fail(error) }
    }
    return console.status
  }

  /// Whether there is a summary: a document was asked for by name.
  private var printsSummary: Bool { options.printsSummary || isDocument }

  /// A summary that says which files were written, before its last line.
  private func naming(_ folder: ReportFolder?, in summary: String, _ totals: Totals) -> String {
    guard namesFiles, let folder, case let files = folder.files, !files.isEmpty else { return summary }
    let names = files.joined(separator: ", ").wrapped(to: Self.summaryWidth - 2).map { "  \($0)\n" }
    let line = "wrote \(ErrorOutput.escaped(folder.path)):\n" + names.joined()
    let last = Summary.lastLine(totals.ledger) + "\n"
    return summary.hasSuffix(last) ? summary.dropLast(last.count) + line + last : summary + line
  }

  /// Says what could not be written; the run goes on and ends with a failure.
  mutating func report(_ error: ReportError) { console.fail(error) }

  private mutating func report(sinkError error: any Error) {
    if let error = error as? ReportError { console.fail(error) }
  }
}

extension AnalysisEvent {
  /// What a capture says between packets; nil of what an analysis does not learn so.
  init?(_ event: CaptureEvent) {
    switch event {
    case .name(let record): self = .name(record.name, record.address)
    case .timePassed(let time): self = .passed(time)
    case .process(let record):
      self = .process(number: record.number, identifier: record.identifier, name: Array(record.name.utf8))
    case .app(let record):
      self = .app(user: record.user, package: Array(record.package.utf8), name: Array(record.name.utf8))
    case .comment(let record): self = .comment(number: record.number, octets: record.octets)
    // Secrets are all known before, the number of lost packets is read at the end, and no report has interfaces.
    case .secrets, .drops, .interface: return nil
    }
  }
}
