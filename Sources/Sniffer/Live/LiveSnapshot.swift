import Capture
import HTTPReassembly

/// A snapshot of a live run, taken once for the view, the metrics and the files.
struct LiveSnapshot {
  /// Nanoseconds since the start of the run.
  let elapsed: Int64
  /// Captured and lost packets, by interface.
  let statistics: [CaptureStatistics]
  /// The totals, including messages that are not final yet.
  let totals: Totals
  /// Followed connections.
  let connections: Int
  /// Nanoseconds since the capture of the packets that are being analyzed.
  let behind: Int64

  /// Takes a snapshot, after it tells the analysis the number of lost packets. With `withTables` files are to be updated, and
  /// with `withHosts` hosts are included, too.
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
  /// The sum over all interfaces.
  var total: CaptureStatistics { reduce(CaptureStatistics(), +) }
}
