import Dispatch
import HTTPReassembly
import Locks

/// Reports that are written on a thread of their own, while the analysis goes on.
///
/// Rows are handed over in batches, in order, and written by one thread: what comes out is the same, octet for octet. A few
/// batches may wait; then the analysis does. An error is thrown with a later row than the one that could not be written.
public final class ConcurrentReports: Report {
  /// Batches that wait to be written or are being written, at most: a few MiB.
  private static let limit = 4

  /// What the thread that writes gives back.
  private struct Returned {
    /// Batches that were written, for their memory.
    var batches: [RowBatch] = []
    /// The first error that nobody was told of yet.
    var failure: ReportError?
  }

  private final class Writer: Sendable {
    private let reports: Locked<ReportSet>
    private let returned = Locked(Returned())
    private let room = DispatchSemaphore(value: ConcurrentReports.limit)
    private let queue = DispatchQueue(label: "sniffer.rows")

    init(_ reports: sending ReportSet) { self.reports = Locked(reports) }

    /// Has a batch written, once there is room for it. Returns another to fill.
    func exchange(_ batch: RowBatch) -> (batch: RowBatch, failure: ReportError?) {
      room.wait()
      queue.async { self.write(batch) }
      return returned.withLock { returned in
        defer { returned.failure = nil }
        return (returned.batches.popLast() ?? RowBatch(), returned.failure)
      }
    }

    private func write(_ batch: consuming RowBatch) {
      let failure = reports.withLock { batch.drain(into: &$0) }
      let written = batch
      returned.withLock { returned in
        returned.batches.append(written)
        returned.failure = returned.failure ?? failure
      }
      room.signal()
    }

    /// Waits until every batch is written, and completes the reports.
    func finish(_ totals: Totals) throws(ReportError) {
      queue.sync {}
      try reports.withLock { reports throws(ReportError) in try reports.finish(totals) }
    }
  }

  private let writer: Writer
  private var batch = RowBatch()

  /// Writes to `reports`, none of which may observe what messages say: the analysis would call them, too.
  public init(_ reports: sending ReportSet) {
    precondition(reports.observer == nil)
    writer = Writer(reports)
  }

  /// Passes a message on.
  public func message(_ message: Message, texts: borrowing TextPool) throws(ReportError) {
    batch.append(message, texts: texts)
    try handOverIfFull()
  }

  /// Passes an exchange on.
  public func exchange(_ exchange: Exchange, texts: borrowing TextPool) throws(ReportError) {
    batch.append(exchange, texts: texts)
    try handOverIfFull()
  }

  /// Passes a connection on.
  public func connection(_ connection: Connection, texts: borrowing TextPool) throws(ReportError) {
    batch.append(connection)
    try handOverIfFull()
  }

  /// Waits until all rows are written, and finishes the reports.
  public func finish(_ totals: Totals) throws(ReportError) {
    if !batch.isEmpty { batch = writer.exchange(batch).batch }
    try writer.finish(totals)
  }

  @inline(__always)
  private func handOverIfFull() throws(ReportError) {
    if batch.isFull { try handOver() }
  }

  private func handOver() throws(ReportError) {
    var full = RowBatch()
    swap(&full, &batch)
    let exchanged = writer.exchange(full)
    batch = exchanged.batch
    if let failure = exchanged.failure { throw failure }
  }
}
