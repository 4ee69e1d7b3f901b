import Dispatch
import HTTPReassembly
import Shared
import Tabular

/// Reports that are written on a thread of their own, while the analysis goes on.
///
/// Rows are handed over in batches, in order, and written by one thread: what comes out is the same, octet for octet. A few
/// batches may wait; then the analysis does. An error is thrown with a later row than the one that could not be written.
public final class ConcurrentReports: ReportSink {
  /// Batches at most: one that is filled, one that is written, and those between.
  private static let limit = 4

  private final class Writer: Sendable {
    private let reports: Locked<ReportSet>
    /// The first error that nobody was told of yet.
    private let failure = Locked<ReportError?>(nil)
    /// Batches to be filled.
    private let free: Handover<RowBatch>
    private let full = Handover<RowBatch>(wakesAt: ConcurrentReports.limit / 2)
    private let queue = DispatchQueue(label: "sniffer.rows")

    init(_ reports: sending ReportSet) {
      self.reports = Locked(reports)
      free = Handover(
        (1..<ConcurrentReports.limit).map { _ in RowBatch() }, wakesAt: ConcurrentReports.limit / 2)
      queue.async { self.write() }
    }

    /// Has a batch written. Returns another to fill, once there is one, and the first error since the last call.
    func exchange(_ batch: RowBatch) -> (batch: RowBatch, failure: ReportError?) {
      full.give(batch)
      let next = free.take() ?? RowBatch()
      return (next, failure.withLock { $0.take() })
    }

    private func write() {
      while var batch = full.take() {
        if let thrown = reports.withLock({ batch.drain(into: &$0) }) {
          failure.withLock { $0 = $0 ?? thrown }
        }
        free.give(consume batch)
      }
    }

    /// Has the last batch written, waits until every one is, and completes the reports.
    func finish(_ last: RowBatch, _ totals: Totals) throws(ReportError) {
      full.give(last)
      end()
      queue.sync {}
      try reports.withLock { reports throws(ReportError) in try reports.finish(totals) }
    }

    var leftOut: LeftOutRows { reports.withLock { $0.leftOut } }

    /// Ends the thread when every batch is written.
    func end() { full.end() }
  }

  private let writer: Writer
  private var batch = RowBatch()

  /// Writes to `reports`. They may not observe what messages say: the analysis would call them from its own thread.
  public init(_ reports: sending ReportSet) {
    precondition(reports.observer == nil)
    writer = Writer(reports)
  }

  deinit { writer.end() }

  /// Passes a message on.
  public func message(_ message: Message, texts: borrowing TextPool) throws(ReportError) {
    if batch.append(message, texts: texts) { try handOver() }
  }

  /// Passes an exchange on.
  public func exchange(_ exchange: Exchange, texts: borrowing TextPool) throws(ReportError) {
    if batch.append(exchange, texts: texts) { try handOver() }
  }

  /// Passes a connection on.
  public func connection(_ connection: Connection, texts: borrowing TextPool) throws(ReportError) {
    if batch.append(connection, texts: texts) { try handOver() }
  }

  /// The rows that were left out; all of them are counted once the reports are finished.
  public var leftOut: LeftOutRows { writer.leftOut }

  /// Waits until all rows are written, and finishes the reports.
  public func finish(_ totals: Totals) throws(ReportError) {
    try writer.finish(batch, totals)
  }

  private func handOver() throws(ReportError) {
    var full = RowBatch()
    swap(&full, &batch)
    let exchanged = writer.exchange(full)
    batch = exchanged.batch
    if let failure = exchanged.failure { throw failure }
  }
}
