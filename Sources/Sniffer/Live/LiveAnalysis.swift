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

  private let command: LiveCommand
  private let niceBefore: Int32?
  private let display: LiveDisplay
  private var metrics: LiveMetrics?
  private var keyLogs = KeyLogs.none
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
  init(_ command: LiveCommand, niceBefore: Int32?) {
    self.command = command
    self.niceBefore = niceBefore
    display = LiveDisplay(
      options: command.options, interfaces: command.interface,
      isWanted: !command.noView && command.options.printsSummary && Terminal.standardOutput.isTerminal)
  }

  /// Captures until it is time to stop, and reports.
  ///
  /// - Throws: When the run cannot start. What fails later ends it, and is said; everything up to there is reported.
  mutating func run(_ captures: [LiveCapture]) throws -> ExitStatus {
    let configuration = command.options.configuration
    let folder = try command.options.reportFolder()
    defer { folder?.release() }
    let report = try command.options.liveReport(command.interface)
    let writer = try command.write.map { path in
      try PcapngFileWriter(
        path: path, interfaces: captures.map(PcapngFileWriter.Interface.init),
        application: "sniffer \(SnifferCommand.configuration.version)", rotation: command.rotation)
    }
    metrics = try command.metrics.map { try LiveMetrics(address: $0, options: command.options) }
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
    Signals.listen(onAbort: display.emergencyEnd)
    var pipeline = Pipeline(
      configuration: configuration, decoders: SystemContentDecoders(configuration: configuration),
      observer: report?.observer, sink: LiveSink(report: report))
    if !command.options.quiet, !display.isView {
      ErrorOutput.write("capturing on \(reader.interfaces.joined(separator: ", "))")
    }
    // Before the first second is over, too, there is something to see.
    if display.isView || metrics != nil { look(LiveSnapshot(reader, &pipeline, elapsed: 0)) }

    takeAll(&reader, &pipeline, writer)
    reader.stop()
    display.end()
    defer { metrics?.end() }
    return conclude(&reader, &pipeline, writer)
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
      guard isLookDue || isFlushDue else { continue }
      let snapshot = LiveSnapshot(reader, &pipeline, elapsed: schedule.elapsed)
      if isLookDue { look(snapshot) }
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
      try writer?.append(packet, octets: octets, interface: interface)
      do throws(ReportError) { try pipeline.process(packet, octets) } catch { report(error) }
    }
    if pipeline.decodedOctets &- decodedOctets >= Self.decodingInterval {
      decodedOctets = pipeline.decodedOctets
      untilClock = 0
    }
  }

  /// Finishes connections whose time-outs have run out although no packet came to tell the time.
  ///
  /// The saved packets are told first, so that reading them later gives the same rows.
  private mutating func passTime(
    _ pipeline: inout Pipeline<LiveSink>, _ writer: PcapngFileWriter?
  ) throws(CaptureError) {
    let time = SystemClock.nanosecondsSinceEpoch - Self.lateness
    guard let deadline = pipeline.nextDeadline, deadline < time else { return }
    try writer?.pass(to: time)
    do throws(ReportError) { try pipeline.pass(to: time) } catch { report(error) }
  }

  /// Brings what is shown up to date.
  private func look(_ snapshot: LiveSnapshot) {
    metrics?.update(snapshot)
    display.update(snapshot)
  }

  /// Brings everything that is on disk up to date.
  private mutating func flush(
    _ snapshot: LiveSnapshot, _ pipeline: borrowing Pipeline<LiveSink>, _ writer: PcapngFileWriter?
  ) {
    if let writer {
      writer.update(snapshot.statistics)
      do throws(CaptureError) { try writer.flush() } catch { report(error) }
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
    do throws(CaptureError) { try writer?.reopen() } catch { report(error) }
  }

  private mutating func conclude(
    _ reader: inout LiveCaptureReader, _ pipeline: inout Pipeline<LiveSink>, _ writer: PcapngFileWriter?
  ) -> ExitStatus {
    // If it did not come to the end: what is left was captured, and is counted as dropped.
    reader.abandon()
    let statistics = reader.statistics
    pipeline.setDropped(Int(clamping: statistics.total.dropped))
    if let writer {
      writer.update(statistics)
      do throws(CaptureError) { try writer.close() } catch { report(error) }
    }
    do throws(ReportError) { try pipeline.finishConnections() } catch { report(error) }
    let totals = pipeline.takeTotals()
    do throws(ReportError) { try pipeline.sink.report?.finish(totals) } catch { report(error) }
    let leftOut = pipeline.sink.report?.leftOut ?? LeftOutRows()
    if totals.ledger.difference != 0 { status = .exceeded }
    if !command.options.printsSummary {
      if status == .exceeded { ErrorOutput.write(Summary.lastLine(totals.ledger)) }
    } else {
      let notes = LiveSpill.notes(reader.backlog, unanalysed: statistics.total.unanalysed)
      let summary = Summary(totals, redaction: command.options.redaction, leftOut: leftOut, notes: notes)
        .text(for: .standardOutput)
      do throws(ReportError) { try StandardOutput.write(summary) } catch { report(error) }
    }
    return status
  }

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
