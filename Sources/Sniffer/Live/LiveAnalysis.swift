import Capture
import ContentCodings
import HTTPReassembly
import Reports
import Tabular

/// One live run: takes packets as they come, saves them if wanted, and keeps the reports up to date.
///
/// The analysis uses the packets' times, and the saved times that passed without packets. So reading the saved packets later
/// gives the same rows. Only the times of writing and display depend on the clock alone.
struct LiveAnalysis {
  /// The longest time for which the analysis may continue with waiting packets after the end of the capture. It is enough for all
  /// small packets that the default `--spill` holds. It is well within the five minutes of the systemd unit.
  static let endPatience = Duration.seconds(120)

  private let command: LiveOptions
  private let niceBefore: Int32?
  private let display: LiveDisplay
  private var metrics: LiveMetrics?
  private var page: ServedPage?
  private var keyLogs = KeyLogs.none
  private var processes: LiveProcesses?
  private var marks: LiveMarks?
  /// Packets that wait for secrets before they are saved; nil where no secrets are saved.
  private var delay: PacketDelay?
  private var status = ExitStatus.success
  private var written = 0

  /// The longest wait for packets, so that signals and intervals are handled in time.
  private static let patience = Duration.milliseconds(100)
  /// As `patience`, in nanoseconds of the packets' time, while packets come without a pause.
  private static let clockPatience: Int64 = 100_000_000
  /// Nanoseconds by which a packet may come later than the clock shows: the system's delay and a margin.
  private static let lateness: Int64 = 500_000_000
  /// Packets between two readings of the clock while packets come without a pause.
  private static let clockInterval = 1024
  /// Decoded octets between two readings of the clock: 30 to 100 ms of decoding.
  private static let decodingInterval = 16 << 20
  /// The number of decoded octets at the last reading of the clock for their sake.
  private var decodedOctets = 0
  /// Packets until the clock is read.
  private var untilClock = Self.clockInterval
  /// Capture time of the packet at the last reading of the clock, in nanoseconds.
  private var clockTime: Int64 = 0

  /// `niceBefore` is the result of `CapturePriority.raise`: only the capture threads keep the raised priority.
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
  /// - Throws: When the run cannot start. Later errors end it and are printed; everything before them is reported.
  mutating func run(_ captures: [LiveCapture]) throws -> ExitStatus {
    var configuration = command.options.configuration
    configuration.tables = command.options.tables
    if command.metrics != nil { configuration.tables.insert(.hosts) }
    if command.page != nil { configuration.tables.formUnion(CommonOptions.reportTables) }
    if let file = command.options.marks?.file {
      marks = LiveMarks(file)
      configuration.marks = []
    }
    if command.options.marks != nil { configuration.tables.insert(.timeline) }
    if printsSummary { configuration.count(for: command.summary.by) }
    // A live view needs whole seconds.
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
    // This comes after all files are open, and before there is another thread: each thread is to be confined, the server most of
    // all.
    let spill = LiveSpill.file(command)
    command.options.prepareDigests()
    keyLogs = try KeyLogs(command.options.keyLogs)
    command.confinement(captures).begin(command.options.logger)
    var reader = try LiveCaptureReader(
      captures, queue: .init(capacity: command.queue << 20), spillingTo: spill)
    // This thread, which started them, returns to its former priority, and so do its later threads.
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
    // There is something to see even before the first second is over.
    if display.isView || metrics != nil || page != nil {
      let snapshot = LiveSnapshot(reader, &pipeline, elapsed: 0, withHosts: metrics != nil)
      look(snapshot, pipeline)
      if let page, let shown = pipeline.sink.page { page.publish(shown, snapshot.totals) }
    }

    pollMarks(&pipeline, isIdle: true)
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
        // Programs may have written keys since the last packet.
        try keyLogs.poll(into: &pipeline, isIdle: step == .idle)
        processes?.poll(into: &pipeline, isIdle: step == .idle)
        pollMarks(&pipeline, isIdle: step == .idle)
        try saveSecrets(&pipeline, writer)
        switch step {
        case .end: return
        case .idle:
          isIdle = true
          if reader.isCaughtUp { try passTime(&pipeline, writer) }
        case .packet: try take(reader, &pipeline, writer)
        }
      } catch {
        // An interface that is gone ends only itself; a write error ends the run.
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
        let page = shown.including { body in pipeline.forEachOpenMessage(body) }
        var totals = snapshot.totals
        pipeline.addOpenTables(to: &totals)
        self.page?.update(mark, page, totals, since: pageBegun)
      }
      if isLookDue { look(snapshot, pipeline) }
      if schedule.takeHour() { pipeline.sink.report?.renewAllowance(command.options.hourlyRowLimit) }
      if isFlushDue {
        flush(snapshot, pipeline, writer)
        schedule.restartInterval()
      }
    }
  }

  /// Begins the steps of new marks. A line that is none is told once.
  private mutating func pollMarks(_ pipeline: inout Pipeline<LiveSink>, isIdle: Bool) {
    guard let fault = marks?.poll(into: &pipeline, isIdle: isIdle), !hasMarkFault else { return }
    hasMarkFault = true
    display.say(fault)
  }

  private var hasMarkFault = false
  private var hasFailedReport = false
  private var hasWarned = false

  /// Ends a run that was stopped, even if more packets wait than can be analyzed in time.
  private func end(_ reader: inout LiveCaptureReader, _ schedule: inout LiveSchedule) {
    // Packets that cannot be reported need not be analyzed.
    if hasFailedReport { return reader.abandon() }
    if schedule.startEnding(patience: Self.endPatience) {
      let backlog = reader.backlog
      if !command.options.quiet, !display.isView, backlog.delay >= .seconds(1) || backlog.spilledPackets > 0 {
        ErrorOutput.write(LiveSpill.ending(backlog, patience: Self.endPatience))
      }
    }
    if schedule.isEndOverdue { reader.abandon() }
  }

  /// Reports once that packets cannot be spilled; the resulting drops are counted.
  private mutating func warn(_ fault: CaptureError) {
    if !hasWarned { display.say(fault.description) }
    hasWarned = true
  }

  private mutating func take(
    _ reader: borrowing LiveCaptureReader, _ pipeline: inout Pipeline<LiveSink>, _ writer: PcapngFileWriter?
  ) throws(CaptureError) {
    // Packets that came while the capture was being stopped exceed the wanted number.
    if let limit = command.packets, written >= limit { return }
    written += 1
    try reader.withPacket { packet, octets, interface throws(CaptureError) in
      // Slow traffic without a pause must not make readings rare.
      if (packet.timestamp &- clockTime).magnitude > Self.clockPatience.magnitude {
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

  /// Saves the secrets that opened a connection, before the packets that wait.
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

  /// Saves the waiting packets without a further wait for secrets.
  private mutating func finishDelay(_ writer: PcapngFileWriter?) throws(CaptureError) {
    if let writer { try delay?.finish(writer) }
  }

  /// Finishes connections whose time-outs have passed without a packet to show the time.
  ///
  /// The time is saved first, so that reading the saved packets later gives the same rows.
  private mutating func passTime(
    _ pipeline: inout Pipeline<LiveSink>, _ writer: PcapngFileWriter?
  ) throws(CaptureError) {
    let time = SystemClock.nanosecondsSinceEpoch - Self.lateness
    guard let deadline = pipeline.nextDeadline, deadline < time else { return }
    try finishDelay(writer)
    try writer?.pass(to: time)
    do throws(ReportError) { try pipeline.pass(to: time) } catch { report(error) }
  }

  /// Brings the display up to date.
  private func look(_ snapshot: LiveSnapshot, _ pipeline: borrowing Pipeline<LiveSink>) {
    metrics?.update(snapshot)
    guard display.isView else { return }
    let selection = pipeline.sink.selection
    var recent = pipeline.sink.recent
    // Only for a final exchange is it known whether a condition matches.
    if selection == nil { recent?.look { body in pipeline.forEachOpenMessage(body) } }
    display.update(snapshot, selection, recent)
  }

  /// Brings all files up to date.
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
    // After an early end, the remaining packets were captured, and count as dropped.
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
    pollMarks(&pipeline, isIdle: true)
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
      choices: command.summary.choices(command.options),
      facts: RunFacts("live", command.interface, totals.secrets, command.options),
      selected: pipeline.sink.selection)
    var text = command.summary.json ? summary.document(written: folder?.written) : summary.text(for: .standardOutput)
    if !command.summary.json, let folder { text = folder.named(in: text, totals, isInPart: hasFailedReport) }
    do throws(ReportError) { try StandardOutput.write(text) } catch { report(error) }
    return status
  }

  /// Whether there is a summary: a document was asked for explicitly.
  private var printsSummary: Bool { command.options.printsSummary || command.summary.json }

  // MARK: Errors

  private mutating func report(_ error: CaptureError) {
    status = .failure
    display.say(error.description)
  }

  private mutating func report(_ error: ReportError) {
    // A reader that closes its pipe has enough rows: this is an end, not a failure.
    if command.options.isStreaming, error.isReaderGone { return hasFailedReport = true }
    status = .failure
    // The error is printed once, however many rows it affects. Packets that cannot be reported need not be captured.
    if !hasFailedReport { display.say(error.description) }
    hasFailedReport = true
  }
}
