import HTTPReassembly

/// A report sink that writes files, and completes them when the analysis is finished.
///
/// A row that cannot be written throws the first time only; the report goes on with whatever else it can write,
/// later rows of the same table are left out, and `finish` throws the first error again. So a caller that stops at
/// an error and one that goes on both get every file that could be written.
public protocol Report: ReportSink where Failure == ReportError {
  /// Writes what is known only at the end, and completes every file.
  ///
  /// - Throws: the first error of the whole report; everything that could be written has been.
  mutating func finish(_ totals: Totals) throws(ReportError)
}

/// Several reports of one analysis, each of which gets everything.
public struct ReportSet: Report {
  private var reports: [any Report]

  /// Opens a report of each format in `folder`, which is created if need be.
  public init(
    _ formats: [ReportFormat], folder: String, grouping: Configuration.Grouping, redaction: Redaction? = nil
  ) throws(ReportError) {
    reports = []
    for format in formats {
      reports.append(try format.report(folder: folder, grouping: grouping, redaction: redaction))
    }
  }

  /// Passes a message on.
  public mutating func message(_ message: Message, texts: borrowing TextPool) throws(ReportError) {
    var failure: ReportError?
    for index in reports.indices {
      do throws(ReportError) { try reports[index].message(message, texts: texts) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }

  /// Passes an exchange on.
  public mutating func exchange(_ exchange: Exchange, texts: borrowing TextPool) throws(ReportError) {
    var failure: ReportError?
    for index in reports.indices {
      do throws(ReportError) { try reports[index].exchange(exchange, texts: texts) } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  /// Passes a connection on.
  public mutating func connection(_ connection: Connection, texts: borrowing TextPool) throws(ReportError) {
    var failure: ReportError?
    for index in reports.indices {
      do throws(ReportError) { try reports[index].connection(connection, texts: texts) } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  /// Finishes every report, also after an error of one of them.
  public mutating func finish(_ totals: Totals) throws(ReportError) {
    var failure: ReportError?
    for index in reports.indices {
      do throws(ReportError) { try reports[index].finish(totals) } catch { failure = failure ?? error }
    }
    if let failure { throw failure }
  }
}
