import Capture
import HTTPReassembly

/// A look at a run that goes on: taken once, for the view, the metrics and the files alike.
struct LiveSnapshot {
  /// Nanoseconds since the start of the run.
  let elapsed: Int64
  /// What was captured and lost, by interface.
  let statistics: [CaptureStatistics]
  /// What was counted, with what is not final yet.
  let totals: Totals
  /// Connections that are being followed.
  let connections: Int
  /// Nanoseconds since the packets were captured that are analysed now.
  let behind: Int64

  /// Tells the analysis first how many packets were lost. `withTables` says whether files are to be brought up to date, and `withHosts`
  /// whether hosts are looked at, too.
  init(
    _ reader: borrowing LiveCaptureReader, _ pipeline: inout Pipeline<LiveSink>, elapsed: Int64,
    withTables: Bool = false, withHosts: Bool = false
  ) {
    self.elapsed = elapsed
    statistics = reader.statistics
    pipeline.setDropped(Int(clamping: statistics.total.dropped))
    var totals = pipeline.snapshot
    if withTables { pipeline.addTables(to: &totals) } else if withHosts { pipeline.addHosts(to: &totals) }
    self.totals = totals
    connections = pipeline.connectionCount
    behind = Int64(reader.backlog.delay / .nanoseconds(1))
  }
}

extension [CaptureStatistics] {
  /// Those of all interfaces together.
  var total: CaptureStatistics { reduce(CaptureStatistics(), +) }
}
