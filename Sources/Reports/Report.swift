import HTTPReassembly

/// A report sink that writes files, and completes them when the analysis is finished.
///
/// A row that cannot be written throws the first time only; the report goes on with whatever else it can write,
/// later rows of the same table are left out, and `finish` throws the first error again. So a caller that stops at
/// an error and one that goes on both get every file that could be written.
public protocol Report: ReportSink where Failure == ReportError {
  /// What the pipeline is to tell what messages say; nil for a report that needs their lengths only.
  var observer: (any MessageObserver)? { get }
  /// Writes what is known only at the end, and completes every file.
  ///
  /// - Throws: the first error of the whole report; everything that could be written has been.
  mutating func finish(_ totals: Totals) throws(ReportError)
}

extension Report {
  /// Most reports need lengths only.
  public var observer: (any MessageObserver)? { nil }
}
