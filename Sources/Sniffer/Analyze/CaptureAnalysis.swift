import Capture
import ContentCodings
import HTTPReassembly
import Logging
import Reports

/// One run over capture files: reads, analyses, reports, and keeps going where something fails.
struct CaptureAnalysis {
  private let options: CommonOptions
  private let paths: [String]
  private let filter: PacketFilter?
  private let logger: Logger
  /// Packets between two looks at the clock for the progress bar.
  private static let progressInterval = 4096

  private var status = ExitStatus.success
  private var lastFailure: ReportError?
  private var progress: ProgressBar<ContinuousClock>?

  init(options: CommonOptions, paths: [String], filter: PacketFilter?) {
    self.options = options
    self.paths = paths
    self.filter = filter
    logger = options.logger
    if !options.quiet, !options.noProgress { progress = ProgressBar(clock: ContinuousClock()) }
  }

  /// Runs to the end.
  mutating func run() -> ExitStatus {
    guard let output = options.output else { return analyze(into: NullReport()) { _, _ in } }
    do throws(ReportError) {
      let reports = try ReportSet(
        options.format.names, folder: output, grouping: options.configuration.grouping, redaction: options.redaction)
      return analyze(into: reports) { reports, totals throws(ReportError) in try reports.finish(totals) }
    } catch {
      // Without the folder there is still the summary.
      report(error)
      return analyze(into: NullReport()) { _, _ in }
    }
  }

  private mutating func analyze<Sink: ReportSink>(
    into sink: consuming Sink, completing: (inout Sink, Totals) throws(ReportError) -> Void
  ) -> ExitStatus {
    let configuration = options.configuration
    var pipeline = Pipeline(
      configuration: configuration, decoders: SystemContentDecoders(configuration: configuration), sink: sink)
    readAll(&pipeline)
    do throws(Sink.Failure) { try pipeline.finishConnections() } catch { report(sinkError: error) }
    progress?.clear()
    let totals = pipeline.totals
    do throws(ReportError) { try completing(&pipeline.sink, totals) } catch { report(error) }
    return conclude(totals)
  }

  private mutating func readAll<Sink: ReportSink>(_ pipeline: inout Pipeline<Sink>) {
    var series = CaptureSeries(paths: paths, filter: filter)
    var untilProgress = Self.progressInterval
    reading: while true {
      do throws(CaptureError) {
        switch try series.advance() {
        case .end: break reading
        case .capture(let continues):
          logger.info("reading \(series.name ?? "")")
          if !continues {
            do throws(Sink.Failure) { try pipeline.finishConnections() } catch { report(sinkError: error) }
          }
        case .packet:
          do throws(Sink.Failure) {
            try series.withPacket { packet, octets throws(Sink.Failure) in try pipeline.process(packet, octets) }
          } catch {
            report(sinkError: error)
          }
          untilProgress -= 1
          if untilProgress == 0 {
            untilProgress = Self.progressInterval
            progress?.update(bytes: series.octetsRead, of: series.size)
          }
        }
      } catch {
        report(error)
      }
      for record in series.takeNames() { pipeline.learn(name: record.name, for: record.address) }
    }
    pipeline.setDropped(Int(clamping: series.dropped ?? 0))
  }

  private mutating func conclude(_ totals: Totals) -> ExitStatus {
    if totals.ledger.difference != 0 {
      status = .exceeded
      if options.quiet { ErrorOutput.write(Summary.lastLine(totals.ledger)) }
    }
    if !options.quiet {
      let summary = Summary(totals, redaction: options.redaction).text(for: .standardOutput)
      do throws(ReportError) { try StandardOutput.write(summary) } catch { report(error) }
    }
    return status
  }

  // MARK: Errors

  private mutating func report(_ error: CaptureError) {
    status = .failure
    progress?.clear()
    ErrorOutput.write(error.description)
  }

  private mutating func report(_ error: ReportError) {
    status = .failure
    // One line for one cause, however many rows it hits.
    guard error != lastFailure else { return }
    lastFailure = error
    progress?.clear()
    ErrorOutput.write(error.description)
  }

  private mutating func report(sinkError error: any Error) {
    if let error = error as? ReportError { report(error) }
  }
}
