import Capture
import ContentCodings
import HTTPReassembly
import Reports

/// One live run: takes packets as they come, saves them if asked to, and keeps the reports up to date.
///
/// The analysis goes by the packets' times alone, so that reading the saved packets later gives the same rows. Only when
/// something is written or shown goes by the clock.
struct LiveAnalysis {
  private let command: LiveCommand
  private let display: LiveDisplay
  private var metrics: LiveMetrics?
  private var status = ExitStatus.success
  private var written = 0

  /// How long a wait for packets may be at most, so that signals and intervals are seen to.
  private static let patience = Duration.milliseconds(100)
  /// Packets between two looks at the clock while packets come without a pause.
  private static let clockInterval = 1024

  init(_ command: LiveCommand) throws {
    self.command = command
    metrics = try command.metrics.map { try LiveMetrics(address: $0, options: command.options) }
    display = LiveDisplay(
      options: command.options,
      isWanted: !command.noView && !command.options.quiet && Terminal.standardOutput.isTerminal)
  }

  /// Captures until it is time to stop, and reports.
  ///
  /// - Throws: When the run cannot start. What fails later ends it, and is said; everything up to there is reported.
  mutating func run(_ captures: [LiveCapture]) throws -> ExitStatus {
    let configuration = command.options.configuration
    let report = try command.options.output.map { folder in
      try LiveCSVReport(folder: folder, grouping: configuration.grouping, redaction: command.options.redaction)
    }
    let writer = try command.write.map { path in
      try PcapngFileWriter(
        path: path, interfaces: captures.map(PcapngFileWriter.Interface.init),
        application: "sniffer \(SnifferCommand.configuration.version)", rotation: command.rotation)
    }
    var reader = try LiveCaptureReader(captures, queue: .init(capacity: command.queue << 20))
    let signals = Signals(onStop: { [stop = reader.stop] in stop() }, onAbort: display.emergencyEnd)
    var pipeline = Pipeline(
      configuration: configuration, decoders: SystemContentDecoders(configuration: configuration),
      sink: LiveSink(report: report))
    if !command.options.quiet, !display.isView {
      ErrorOutput.write("capturing on \(reader.interfaces.joined(separator: ", "))")
    }

    takeAll(&reader, &pipeline, writer, signals)
    reader.stop()
    display.end()
    defer { metrics?.end() }
    return conclude(&reader, &pipeline, writer, report)
  }

  /// Takes packets until the capture ends.
  private mutating func takeAll(
    _ reader: inout LiveCaptureReader, _ pipeline: inout Pipeline<LiveSink>, _ writer: PcapngFileWriter?,
    _ signals: Signals
  ) {
    let clock = ContinuousClock()
    let started = clock.now
    var nextFlush = started + .seconds(command.interval)
    var nextLook = started
    var untilClock = Self.clockInterval
    while true {
      var isIdle = false
      do throws(CaptureError) {
        switch try reader.advance(waitingUpTo: Self.patience) {
        case .end: return
        case .idle: isIdle = true
        case .packet: try take(reader, &pipeline, writer)
        }
      } catch {
        // An interface that is gone ends only itself; a file that cannot be written ends the run.
        report(error)
        if error.file == writer?.path { return }
      }
      if written == command.packets || status == .failure && hasFailedReport { reader.stop() }
      untilClock -= 1
      guard isIdle || untilClock == 0 else { continue }
      untilClock = Self.clockInterval
      let now = clock.now
      if let duration = command.duration, now - started >= .seconds(duration) { reader.stop() }
      if display.takeKeys() { reader.stop() }
      let elapsed = (now - started).nanoseconds
      if now >= nextLook, display.isView || metrics != nil {
        look(reader, &pipeline, elapsed)
        nextLook = now + .seconds(1)
      }
      if signals.takeReopenRequest() { reopen(pipeline.sink.report, writer) }
      if now >= nextFlush || signals.takeSnapshotRequest() {
        flush(reader, &pipeline, writer, elapsed)
        nextFlush = clock.now + .seconds(command.interval)
      }
    }
  }

  private var hasFailedReport = false

  private mutating func take(
    _ reader: borrowing LiveCaptureReader, _ pipeline: inout Pipeline<LiveSink>, _ writer: PcapngFileWriter?
  ) throws(CaptureError) {
    // What came while the capture was being stopped is beyond the number that was asked for.
    if let limit = command.packets, written >= limit { return }
    written += 1
    try reader.withPacket { packet, octets, interface throws(CaptureError) in
      try writer?.append(packet, octets: octets, interface: interface)
      do throws(ReportError) { try pipeline.process(packet, octets) } catch { report(error) }
    }
  }

  /// Brings what is shown up to date.
  private func look(
    _ reader: borrowing LiveCaptureReader, _ pipeline: inout Pipeline<LiveSink>, _ elapsed: Int64
  ) {
    let statistics = reader.statistics.reduce(CaptureStatistics(), +)
    pipeline.setDropped(Int(clamping: statistics.dropped))
    let totals = pipeline.snapshot
    metrics?.update(totals, statistics, connections: pipeline.connectionCount)
    display.update(
      totals, elapsed: elapsed,
      health: health(totals, connections: pipeline.connectionCount, interfaces: reader.interfaces))
  }

  private func health(_ totals: Totals, connections: Int, interfaces: [String]) -> Reports.CaptureHealth {
    Reports.CaptureHealth(
      packets: totals.ledger.packets, octets: totals.ledger.original, dropped: totals.ledger.droppedPackets,
      connections: connections, pending: totals.ledger.pending, interfaces: interfaces)
  }

  /// Brings everything that is on disk up to date.
  private mutating func flush(
    _ reader: borrowing LiveCaptureReader, _ pipeline: inout Pipeline<LiveSink>, _ writer: PcapngFileWriter?,
    _ elapsed: Int64
  ) {
    let statistics = reader.statistics
    let dropped = statistics.reduce(CaptureStatistics(), +).dropped
    pipeline.setDropped(Int(clamping: dropped))
    if let writer {
      writer.update(statistics)
      do throws(CaptureError) { try writer.flush() } catch { report(error) }
    }
    let totals = pipeline.snapshot
    if let files = pipeline.sink.report {
      do throws(ReportError) {
        try files.flush(totals) { body in pipeline.forEachOpenMessage(body) }
      } catch {
        report(error)
      }
    }
    guard !command.options.quiet else { return }
    let health = health(totals, connections: pipeline.connectionCount, interfaces: reader.interfaces)
    if let line = display.line(totals, elapsed: elapsed, health: health) { ErrorOutput.write(line) }
  }

  private mutating func reopen(_ files: LiveCSVReport?, _ writer: PcapngFileWriter?) {
    do throws(ReportError) { try files?.reopen() } catch { report(error) }
    do throws(CaptureError) { try writer?.reopen() } catch { report(error) }
  }

  private mutating func conclude(
    _ reader: inout LiveCaptureReader, _ pipeline: inout Pipeline<LiveSink>, _ writer: PcapngFileWriter?,
    _ files: LiveCSVReport?
  ) -> ExitStatus {
    let statistics = reader.statistics
    pipeline.setDropped(Int(clamping: statistics.reduce(CaptureStatistics(), +).dropped))
    if let writer {
      writer.update(statistics)
      do throws(CaptureError) { try writer.close() } catch { report(error) }
    }
    do throws(ReportError) { try pipeline.finishConnections() } catch { report(error) }
    let totals = pipeline.totals
    do throws(ReportError) { try files?.finish(totals) } catch { report(error) }
    if totals.ledger.difference != 0 { status = .exceeded }
    if command.options.quiet {
      if status == .exceeded { ErrorOutput.write(Summary.lastLine(totals.ledger)) }
    } else {
      let summary = Summary(totals, redaction: command.options.redaction).text(for: .standardOutput)
      do throws(ReportError) { try StandardOutput.write(summary) } catch { report(error) }
    }
    return status
  }

  // MARK: Errors

  private mutating func report(_ error: CaptureError) {
    status = .failure
    ErrorOutput.write(error.description)
  }

  private mutating func report(_ error: ReportError) {
    status = .failure
    // Once is enough, however many rows it hits; what cannot be reported need not be captured.
    if !hasFailedReport { ErrorOutput.write(error.description) }
    hasFailedReport = true
  }
}

extension Duration {
  /// The duration in whole nanoseconds.
  fileprivate var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
