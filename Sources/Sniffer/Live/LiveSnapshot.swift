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

  /// Tells the analysis first how many packets were lost.
  init(_ reader: borrowing LiveCaptureReader, _ pipeline: inout Pipeline<LiveSink>, elapsed: Int64) {
    self.elapsed = elapsed
    statistics = reader.statistics
    pipeline.setDropped(Int(clamping: statistics.total.dropped))
    totals = pipeline.snapshot
    connections = pipeline.connectionCount
  }
}

extension [CaptureStatistics] {
  /// Those of all interfaces together.
  var total: CaptureStatistics { reduce(CaptureStatistics(), +) }
}
