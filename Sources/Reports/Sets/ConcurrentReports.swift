import HTTPReassembly
import Packets
import Shared
import Tabular

/// Reports that are written on a thread of their own while the analysis continues.
///
/// Rows are handed over in batches, in order, and one thread writes them, so the result is the same, octet for octet. A few
/// batches may wait; then the analysis waits. An error is thrown with a later row than the one that could not be written.
public final class ConcurrentReports: ReportSink {
  /// The largest number of batches: one is filled, one is written, and the others are between them.
  private static let limit = 4

  private let writer: BatchThread<RowBatch, ReportSet>
  /// The first error that is not thrown yet.
  private let failure: Locked<ReportError?>
  /// In memory of its own: overlapping access to a property of a class would be looked for at each row. Only the analysis has it.
  private let batch = OwnMemory(RowBatch())

  /// Writes to `reports`. They must not observe messages, because the analysis would call them on its own thread.
  public init(_ reports: sending ReportSet) {
    precondition(reports.observer == nil)
    let failure = Locked<ReportError?>(nil)
    self.failure = failure
    writer = BatchThread("sniffer.rows", reports, batches: (1..<Self.limit).map { _ in RowBatch() }) { batch, reports in
      if let thrown = batch.drain(into: &reports) { failure.withLock { $0 = $0 ?? thrown } }
    }
  }

  deinit { writer.end() }

  /// Passes a message on.
  public func message(_ message: Message, texts: borrowing TextPool) throws(ReportError) {
    if batch.value.append(message, texts: texts) { try handOver() }
  }

  /// Passes an exchange on.
  public func exchange(_ exchange: Exchange, texts: borrowing TextPool) throws(ReportError) {
    if batch.value.append(exchange, texts: texts) { try handOver() }
  }

  /// Passes a connection on.
  public func connection(_ connection: Connection, texts: borrowing TextPool) throws(ReportError) {
    if batch.value.append(connection, texts: texts) { try handOver() }
  }

  /// Passes a row of details on.
  public func detail(_ row: DetailRow, texts: borrowing TextPool) throws(ReportError) {
    if batch.value.append(row) { try handOver() }
  }

  /// The rows that were left out; the counts are complete after the reports are finished.
  public var leftOut: LeftOutRows { writer.withState { $0.leftOut } }

  /// Waits until all rows are written, and finishes the reports.
  public func finish(_ totals: Totals) throws(ReportError) {
    writer.finish(batch.value)
    try writer.withState { reports throws(ReportError) in try reports.finish(totals) }
  }

  private func handOver() throws(ReportError) {
    var full = RowBatch()
    swap(&full, &batch.value)
    batch.value = writer.exchange(full) ?? RowBatch()
    if let thrown = failure.withLock({ $0.take() }) { throw thrown }
  }
}
