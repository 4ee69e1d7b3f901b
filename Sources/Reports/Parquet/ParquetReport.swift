import HTTPReassembly
import Packets
import Parquet
import Tabular

/// Parquet files in a folder: messages, exchanges and connections, and every table of totals (`TotalTable`).
///
/// All of them exist from the start, without rows. Messages, exchanges and connections are in the order of their numbers
/// (`ParquetTable`). The totals are replaced whole; in a live run, they exist from the first flush on.
public final class ParquetReport: Report {
  /// The files.
  static let fileNames =
    [
      [MessageRow.name, ExchangeRow.name, ConnectionRow.name], DetailTable.allCases.map(\.rawValue),
      TotalTable.allCases.map(\.rawValue),
    ].joined().map { ParquetTable.fileName($0) }

  private let context: ReportContext
  private let folder: OutputFolder
  /// In memory of its own, because a check for overlapping access is expensive with each row.
  private let tables: OwnMemory<NumberedTables<ParquetRow, ParquetTable>>
  private var facts: ParquetFacts
  private var isFinished = false
  /// Whether the disk was full from the start: rows are of no use then.
  private let isFull: Bool
  /// The first error, which `finish` throws.
  private var failure: ReportError?

  /// Opens the report in `folder`, which is created if need be; files of the same names are replaced.
  ///
  /// - Parameters:
  ///   - path: The folder of the files.
  ///   - context: The grouping of totals, the redaction, and the facts about the run.
  ///   - isLive: Whether the run is live, and its rows are read before it ends.
  /// - Throws: When the folder or one of the files cannot be created or written.
  public init(folder path: String, _ context: ReportContext, isLive: Bool = false) throws(ReportError) {
    self.context = context
    let folder = try OutputFolder(path)
    let facts = ParquetFacts(context)
    self.folder = folder
    self.facts = facts
    var full: ReportError?
    func create(_ name: String, _ columns: [TableColumn]) throws(ReportError) {
      do throws(ReportError) {
        try ParquetTable.createEmpty(name, columns.ofParquet, in: folder, facts)
      } catch {
        // As with other formats, a disk that is full ends the report and not the run.
        guard error.isDiskFull else { throw error }
        full = full ?? error
      }
    }
    tables = OwnMemory(
      try NumberedTables(
        row: ParquetRow(redaction: context.redaction), allowance: context.allowance
      ) { name, columns throws(ReportError) in
        let hasEndpoints = name == MessageRow.name || name == ConnectionRow.name
        let columns = hasEndpoints ? columns.withEndpointParts : columns
        try create(name, columns)
        return try ParquetTable(name, columns, in: folder, isLive: isLive)
      })
    // In a live run, a ledger without rows would look like one that does not balance.
    if !isLive {
      for table in TotalTable.allCases { try create(table.rawValue, table.columns(context.grouping)) }
    }
    failure = full
    isFull = full != nil
  }

  /// Adds a message's row.
  public func message(_ message: Message, texts: borrowing TextPool) throws(ReportError) {
    guard !isFull else { return }
    do throws(ReportError) { try tables.value.add(message, texts: texts) } catch { throw noted(error) }
  }

  /// Adds an exchange's row.
  public func exchange(_ exchange: Exchange, texts: borrowing TextPool) throws(ReportError) {
    guard !isFull else { return }
    do throws(ReportError) { try tables.value.add(exchange, texts: texts) } catch { throw noted(error) }
  }

  /// Adds a connection's row.
  public func connection(_ connection: Connection, texts: borrowing TextPool) throws(ReportError) {
    guard !isFull else { return }
    do throws(ReportError) { try tables.value.add(connection, texts: texts) } catch { throw noted(error) }
  }

  /// Adds a row of details.
  public func detail(_ row: DetailRow, texts: borrowing TextPool) throws(ReportError) {
    guard !isFull else { return }
    do throws(ReportError) { try tables.value.add(row) } catch { throw noted(error) }
  }

  /// Brings the totals up to date, and the other tables while they are short (`ParquetTable.flush`). Messages that are not final
  /// are in no table.
  public func flush(
    _ totals: Totals, openMessages: ((Message, borrowing TextPool) -> Void) -> Void
  ) throws(ReportError) {
    var first = FirstError()
    facts.span = totals.span
    tables.value.attemptEach(&first) { table throws(ReportError) in try table.flush(facts) }
    write(totals, &first)
    try first.check()
  }

  /// Writes the tables of all rows so far, and starts anew those that were moved away (SIGHUP).
  public func reopen() throws(ReportError) {
    var first = FirstError()
    tables.value.attemptEach(&first) { table throws(ReportError) in try table.reopen(facts) }
    try first.check()
  }

  /// Writes every table. Later rows are left out.
  ///
  /// - Throws: The first error of the whole report.
  public func finish(_ totals: Totals) throws(ReportError) {
    if !isFinished {
      isFinished = true
      var first = FirstError(failure)
      facts.span = totals.span
      facts.isComplete = !totals.isStopped
      tables.value.attemptEach(&first) { table throws(ReportError) in try table.finish(facts) }
      write(totals, &first)
      failure = first.error
    }
    if let failure { throw failure }
  }

  private func write(_ totals: Totals, _ first: inout FirstError) {
    let (grouping, allowance, facts) = (context.grouping, context.allowance, facts)
    let leftOut = allowance.totalsLeftOut
    for table in TotalTable.allCases {
      let totals = table == .anomalies ? totals.noting(totalsLeftOut: allowance.totalsLeftOut - leftOut) : totals
      let name = table.rawValue
      let columns = table.columns(grouping).ofParquet
      let kinds = columns.map(\.kind)
      first.attempt { () throws(ReportError) in
        try folder.replace(ParquetTable.fileName(name)) { file throws(ReportError) in
          var parquet = try ParquetFile(file, columns)
          try table.forEach(of: totals, grouping: grouping, &tables.value.row) { row throws(ReportError) in
            try row.withOctets { octets throws(ReportError) in
              guard allowance.takeTotal(octets.byteCount, isNeeded: table.isNeeded) else { return }
              try parquet.append(octets, kinds: kinds)
            }
          }
          try parquet.finish(creator: facts.creator, facts: facts.all(of: name))
        }
      }
    }
  }

  private func noted(_ error: ReportError) -> ReportError {
    failure = failure ?? error
    return error
  }
}
