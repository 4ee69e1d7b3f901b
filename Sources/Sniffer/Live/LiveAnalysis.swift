import Capture
import ContentCodings
import HTTPReassembly
import Reports
import Tabular

/// One live run: takes packets as they come, saves them if asked to, and keeps the reports up to date.
///
/// The analysis goes by the packets' times, and by what is saved with them of the time that passed without any, so that
/// reading the saved packets later gives the same rows. Only when something is written or shown goes by the clock alone.
struct LiveAnalysis {
  /// How long the analysis may go on with what waits when the capture has ended: longer than it takes for all that the
  /// default `--spill` holds of small packets, and well within the five minutes that the systemd unit gives.
  static let endPatience = Duration.seconds(120)

  private let command: LiveOptions
  private let niceBefore: Int32?
  private let display: LiveDisplay
  private var metrics: LiveMetrics?
  private var page: ServedPage?
  private var keyLogs = KeyLogs.none
  private var processes: LiveProcesses?
  /// Packets that wait for secrets before they are saved; nil where no secrets are saved.
  private var delay: PacketDelay?
  private var status = ExitStatus.success
  private var written = 0

  /// How long a wait for packets may be at most, so that signals and intervals are seen to.
  private static let patience = Duration.milliseconds(100)
  /// The same, of the packets' time, while they come without a pause, in nanoseconds.
  private static let clockPatience: Int64 = 100_000_000
  /// Nanoseconds by which a packet may come later than the clock says: what the system holds it back for, and some.
  private static let lateness: Int64 = 500_000_000
  /// Packets between two looks at the clock while packets come without a pause.
  private static let clockInterval = 1024
  /// Decoded octets between two looks at the clock: 30 to 100 ms of decoding.
  private static let decodingInterval = 16 << 20
  /// Octets that had been decoded when the clock was looked at last for their sake.
  private var decodedOctets = 0
  /// Packets until the clock is looked at.
  private var untilClock = Self.clockInterval
  /// Capture time of the packet at which it was looked at last, in nanoseconds.
  private var clockTime: Int64 = 0

  /// `niceBefore` is what `CapturePriority.raise` returned: the capture threads alone keep what it did.
  init(_ command: LiveOptions, niceBefore: Int32?, processes: LiveProcesses? = nil) {
    self.command = command
    self.processes = processes
    self.niceBefore = niceBefore
    display = LiveDisplay(
      options: command.options, interfaces: command.interface,
      isWanted: !command.noView && !command.summary.json && command.options.printsSummary
        && Terminal.standardOutput.isTerminal)
  }

  /// Captures until it is time to stop, and reports.
  ///
  /// - Throws: When the run cannot start. What fails later ends it, and is said; everything up to there is reported.
  mutating func run(_ captures: [LiveCapture]) throws -> ExitStatus {
    var configuration = command.options.configuration
    configuration.tables = command.options.tables
    if command.metrics != nil { configuration.tables.insert(.hosts) }
    if command.page != nil { configuration.tables.formUnion(CommonOptions.reportTables) }
    if printsSummary { configuration.count(for: command.summary.by) }
    // What is looked at while it goes on has whole seconds.
    configuration.timelineUnit = 1_000_000_000
    configuration.isLookedAt = true
    let folder = try command.options.reportFolder(writing: ReportFiles.reports(command.options.format.names))
    defer { folder?.release() }
    let report = try command.options.liveReport(command.interface)
    let writer = try command.write.map { path in
      try PcapngFileWriter(
        path: path, interfaces: captures.map(PcapngFileWriter.Interface.init),
        application: "sniffer \(SnifferCommand.configuration.version)", rotation: command.rotation)
    }
    metrics = try command.metrics.map {
      try LiveMetrics(address: $0, seriesLimit: command.metricsLimit, options: command.options)
    }
    page = try command.page.map { try ServedPage(address: $0, allowsOthers: command.pageRemote) }
    // Once all files are open, and before there is another thread: each is to be confined, and the server most of all.
    let spill = LiveSpill.file(command)
    command.options.prepareDigests()
    keyLogs = try KeyLogs(command.options.keyLogs)
    command.confinement(captures).begin(command.options.logger)
    var reader = try LiveCaptureReader(
      captures, queue: .init(capacity: command.queue << 20), spillingTo: spill)
    // This thread, which started them, goes back to where it was, and so do those that it will start.
    CapturePriority.lower(to: niceBefore)
    try metrics?.start(command.options)
    if let page { display.tell(try page.start(command.options)) }
    Signals.listen(onAbort: display.emergencyEnd)
    var pipeline = Pipeline(
      configuration: configuration, decoders: SystemContentDecoders(configuration: configuration),
      observer: report?.observer, compressor: configuration.tables.contains(.contents) ? GzipEstimate() : nil,
      sink: LiveSink(
        report: report, selection: try command.summary.selection(command.options),
        recent: display.isView ? RecentExchanges(grouping: configuration.grouping) : nil,
        page: page == nil
          ? nil
          : LivePage(
            grouping: configuration.grouping, redaction: command.options.redaction, captures: command.interface)))
    pipeline.mayLearnSecrets = !command.options.keyLogs.isEmpty
    if command.writeKeys {
      pipeline.collectsUsedSecrets = true
      delay = PacketDelay()
      if !command.options.quiet {
        ErrorOutput.write("\(command.write ?? "") gets the secrets of connections, too: who has the file can read them")
      }
    }
    if !command.options.quiet, !display.isView {
      ErrorOutput.write("capturing on \(reader.interfaces.joined(separator: ", "))")
    }
    // Before the first second is over, too, there is something to see.
    if display.isView || metrics != nil || page != nil {
      let snapshot = LiveSnapshot(reader, &pipeline, elapsed: 0, withHosts: metrics != nil)
      look(snapshot, pipeline)
      if let page, let shown = pipeline.sink.page { page.publish(shown, snapshot.totals) }
    }

    takeAll(&reader, &pipeline, writer)
    reader.stop()
    display.end()
    defer { metrics?.end() }
    return conclude(&reader, &pipeline, writer, folder)
  }

  /// Takes packets until the capture ends.
  private mutating func takeAll(
    _ reader: inout LiveCaptureReader, _ pipeline: inout Pipeline<LiveSink>, _ writer: PcapngFileWriter?
  ) {
    var schedule = LiveSchedule(interval: command.interval, duration: command.duration)
    while true {
      var isIdle = false
      do throws(CaptureError) {
        let step = try reader.advance(waitingUpTo: Self.patience)
        // What programs have written since the last packet.
        try keyLogs.poll(into: &pipeline, isIdle: step == .idle)
        processes?.poll(into: &pipeline, isIdle: step == .idle)
        try saveSecrets(&pipeline, writer)
        switch step {
        case .end: return
        case .idle:
          isIdle = true
          if reader.isCaughtUp { try passTime(&pipeline, writer) }
        case .packet: try take(reader, &pipeline, writer)
        }
      } catch {
        // An interface that is gone ends only itself; a file that cannot be written ends the run.
        report(error)
        if error.file == writer?.path { return }
      }
      if written == command.packets || hasFailedReport || StopSignals.stop.isRequested { reader.stop() }
      untilClock -= 1
      guard isIdle || untilClock <= 0 else { continue }
      untilClock = Self.clockInterval
      schedule.lookAtClock()
      if let fault = reader.takeSpillFault() { warn(fault) }
      if reader.stop.isRequested { end(&reader, &schedule) }
      if schedule.isOver || display.takeKeys() { reader.stop() }
      if Signals.takeReopenRequest() { reopen(pipeline.sink.report, writer) }
      let isLookDue = schedule.takeLook() && (display.isView || metrics != nil)
      let isFlushDue = schedule.isFlushDue || Signals.takeSnapshotRequest()
      let mark = ServedPage.Mark(packets: written, connections: pipeline.connectionCount)
      let pageBegun = page.flatMap { $0.isDue(mark) ? $0.now : nil }
      guard isLookDue || isFlushDue || pageBegun != nil else { continue }
      let snapshot = LiveSnapshot(
        reader, &pipeline, elapsed: schedule.elapsed,
        withTables: isFlushDue && pipeline.sink.report != nil || pageBegun != nil,
        withHosts: isLookDue && metrics != nil)
      if let pageBegun, let shown = pipeline.sink.page {
        page?.update(mark, shown, snapshot.totals, since: pageBegun)
      }
      if isLookDue { look(snapshot, pipeline) }
      if schedule.takeHour() { pipeline.sink.report?.renewAllowance(command.options.hourlyRowLimit) }
      if isFlushDue {
        flush(snapshot, pipeline, writer)
        schedule.restartInterval()
      }
    }
  }

  private var hasFailedReport = false
  private var hasWarned = false

  /// Sees to it that a run that was stopped ends, although more may wait than can be analysed in time.
  private func end(_ reader: inout LiveCaptureReader, _ schedule: inout LiveSchedule) {
    // What cannot be reported need not be analysed.
    if hasFailedReport { return reader.abandon() }
    if schedule.startEnding(patience: Self.endPatience) {
      let backlog = reader.backlog
      if !command.options.quiet, !display.isView, backlog.delay >= .seconds(1) || backlog.spilledPackets > 0 {
        ErrorOutput.write(LiveSpill.ending(backlog, patience: Self.endPatience))
      }
    }
    if schedule.isEndOverdue { reader.abandon() }
  }

  /// Says once that packets cannot be spilled: what it leads to, drops, is counted.
  private mutating func warn(_ fault: CaptureError) {
    if !hasWarned { display.say(fault.description) }
    hasWarned = true
  }

  private mutating func take(
    _ reader: borrowing LiveCaptureReader, _ pipeline: inout Pipeline<LiveSink>, _ writer: PcapngFileWriter?
  ) throws(CaptureError) {
    // What came while the capture was being stopped is beyond the number that was asked for.
    if let limit = command.packets, written >= limit { return }
    written += 1
    try reader.withPacket { packet, octets, interface throws(CaptureError) in
      // Slow traffic without a pause is no reason to look seldom.
      if abs(packet.timestamp &- clockTime) > Self.clockPatience {
        clockTime = packet.timestamp
        untilClock = 0
      }
      if let writer {
        if delay == nil {
          try writer.append(packet, octets: octets, interface: interface)
        } else {
          try delay?.append(packet, octets: octets, interface: interface, to: writer)
        }
      }
      do throws(ReportError) { try pipeline.process(packet, octets) } catch { report(error) }
    }
    try saveSecrets(&pipeline, writer)
    if pipeline.decodedOctets &- decodedOctets >= Self.decodingInterval {
      decodedOctets = pipeline.decodedOctets
      untilClock = 0
    }
  }

  /// Saves the secrets that have opened something, in front of the packets that wait.
  private func saveSecrets(
    _ pipeline: inout Pipeline<LiveSink>, _ writer: PcapngFileWriter?
  ) throws(CaptureError) {
    guard delay != nil, let writer else { return }
    var failure: CaptureError?
    pipeline.takeUsedSecrets { lines in
      do throws(CaptureError) { try writer.append(secrets: lines) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Saves the packets that wait for secrets no longer.
  private mutating func finishDelay(_ writer: PcapngFileWriter?) throws(CaptureError) {
    if let writer { try delay?.finish(writer) }
  }

  /// Finishes connections whose time-outs have run out although no packet came to tell the time.
  ///
  /// The saved packets are told first, so that reading them later gives the same rows.
  private mutating func passTime(
    _ pipeline: inout Pipeline<LiveSink>, _ writer: PcapngFileWriter?
  ) throws(CaptureError) {
    let time = SystemClock.nanosecondsSinceEpoch - Self.lateness
    guard let deadline = pipeline.nextDeadline, deadline < time else { return }
    try finishDelay(writer)
    try writer?.pass(to: time)
    do throws(ReportError) { try pipeline.pass(to: time) } catch { report(error) }
  }

  /// Brings what is shown up to date.
  private func look(_ snapshot: LiveSnapshot, _ pipeline: borrowing Pipeline<LiveSink>) {
    metrics?.update(snapshot)
    guard display.isView else { return }
    let selection = pipeline.sink.selection
    var recent = pipeline.sink.recent
    // Whether a condition holds for an exchange is known when it is final.
    if selection == nil { recent?.look { body in pipeline.forEachOpenMessage(body) } }
    display.update(snapshot, selection, recent)
  }

  /// Brings everything that is on disk up to date.
  private mutating func flush(
    _ snapshot: LiveSnapshot, _ pipeline: borrowing Pipeline<LiveSink>, _ writer: PcapngFileWriter?
  ) {
    if let writer {
      writer.update(snapshot.statistics)
      do throws(CaptureError) {
        try finishDelay(writer)
        try writer.flush()
      } catch { report(error) }
    }
    if var files = pipeline.sink.report {
      do throws(ReportError) {
        try files.flush(snapshot.totals) { body in pipeline.forEachOpenMessage(body) }
      } catch {
        report(error)
      }
    }
    guard !command.options.quiet else { return }
    if let line = display.line(snapshot) { ErrorOutput.write(line) }
  }

  private mutating func reopen(_ files: ReportSet?, _ writer: PcapngFileWriter?) {
    var files = files
    do throws(ReportError) { try files?.reopen() } catch { report(error) }
    do throws(CaptureError) {
      try finishDelay(writer)
      try writer?.reopen()
    } catch { report(error) }
  }

  private mutating func conclude(
    _ reader: inout LiveCaptureReader, _ pipeline: inout Pipeline<LiveSink>, _ writer: PcapngFileWriter?,
    _ folder: ReportFolder?
  ) -> ExitStatus {
    // If it did not come to the end: what is left was captured, and is counted as dropped.
    reader.abandon()
    let statistics = reader.statistics
    pipeline.setDropped(Int(clamping: statistics.total.dropped))
    if let writer {
      writer.update(statistics)
      do throws(CaptureError) {
        try keyLogs.read(into: &pipeline)
        keyLogs.finish(into: &pipeline)
        try saveSecrets(&pipeline, writer)
        try finishDelay(writer)
        try writer.close()
      } catch { report(error) }
    }
    processes?.finish(into: &pipeline)
    do throws(ReportError) { try pipeline.finishConnections() } catch { report(error) }
    let totals = pipeline.takeTotals()
    do throws(ReportError) { try pipeline.sink.report?.finish(totals) } catch { report(error) }
    if let shown = pipeline.sink.page { page?.end(shown, totals) }
    let leftOut = pipeline.sink.report?.leftOut ?? LeftOutRows()
    if totals.ledger.difference != 0 { status = .exceeded }
    guard printsSummary else {
      if status == .exceeded { ErrorOutput.write(Summary.lastLine(totals.ledger)) }
      return status
    }
    let summary = Summary(
      totals, redaction: command.options.redaction, leftOut: leftOut,
      notes: LiveSpill.notes(reader.backlog, unanalysed: statistics.total.unanalysed),
      choices: command.summary.choices(command.options), facts: RunFacts("live", command.interface),
      selected: pipeline.sink.selection)
    let text = command.summary.json ? summary.document(written: folder?.written) : summary.text(for: .standardOutput)
    do throws(ReportError) { try StandardOutput.write(text) } catch { report(error) }
    return status
  }

  /// Whether there is a summary: a document was asked for by name.
  private var printsSummary: Bool { command.options.printsSummary || command.summary.json }

  // MARK: Errors

  private mutating func report(_ error: CaptureError) {
    status = .failure
    display.say(error.description)
  }

  private mutating func report(_ error: ReportError) {
    // Who reads the rows from a pipe has enough of them: that is an end, and no failure.
    if command.options.isStreaming, error.isReaderGone { return hasFailedReport = true }
    status = .failure
    // Once is enough, however many rows it hits; what cannot be reported need not be captured.
    if !hasFailedReport { display.say(error.description) }
    hasFailedReport = true
  }
}
