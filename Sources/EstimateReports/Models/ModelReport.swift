import Estimates
import HTTPReassembly
import Reports
import Tabular

/// Two CSV files in a folder: each model's estimate of each message, and its errors by API.
///
/// Both exist with their header row from the start. Messages come in any order and are written in the order of their numbers;
/// memory stays within limits (`OrderedRows`).
public final class ModelReport: EstimateConsumer {
  /// The files.
  public static let fileNames = [ModelsCSV.fileName, ModelMessagesCSV.fileName]

  private let models: [ModelName]
  private let grouping: Configuration.Grouping
  private var row: CSVRow
  private var messages: OrderedRows
  private let apis: OutputFile
  private var rows: [UInt8] = []
  private let allowance: RowAllowance
  /// Messages that are not in `model_messages.csv`, because they exceed `RowAllowance`.
  public private(set) var messagesLeftOut = 0
  /// The first error; nothing is written to `model_messages.csv` after it.
  private var failure: ReportError?

  /// Opens the report in `folder`, which is created if need be; files of the same names are replaced.
  ///
  /// - Parameters:
  ///   - models: The models whose estimates come, in order.
  ///   - path: The folder of the files.
  ///   - grouping: The grouping of errors, which decides on the columns of `models.csv`.
  ///   - redaction: The facts to leave out; nil keeps all.
  ///   - allowance: The limits of the messages' rows.
  /// - Throws: When the folder or one of the files cannot be created or opened.
  public init(
    _ models: [ModelName], folder path: String, grouping: Configuration.Grouping, redaction: Redaction? = nil,
    allowance: RowAllowance = RowAllowance()
  ) throws(ReportError) {
    self.models = models
    self.allowance = allowance
    self.grouping = grouping
    let folder = try OutputFolder(path)
    func file(_ name: String, _ columns: [String]) throws(ReportError) -> OutputFile {
      let file = try folder.file(name)
      try file.append(CSVRow.header(columns))
      return file
    }
    messages = OrderedRows(file: try file(ModelMessagesCSV.fileName, ModelMessagesCSV.columns), folder: folder)
    apis = try file(ModelsCSV.fileName, ModelsCSV.columns(grouping))
    row = CSVRow(redaction: redaction)
  }

  /// Writes a message's rows, one a model.
  public func take(_ message: WireMessage, _ estimates: [PartLengths?]) throws(ReportError) {
    guard failure == nil else { return }
    rows.removeAll(keepingCapacity: true)
    for (name, estimate) in zip(models, estimates) {
      row.begin()
      ModelMessagesCSV.append(message, name, estimate, to: &row)
      row.end()
      rows += row.octets
    }
    guard allowance.take(rows.count) else {
      messagesLeftOut += 1
      return
    }
    do throws(ReportError) {
      try rows.withOctets { rows throws(ReportError) in try messages.add(message.row.number, rows) }
    } catch { throw noted(error) }
  }

  /// Writes the errors by API, and completes both files.
  ///
  /// - Throws: The first error of the whole report; all rows that could be written are written.
  public func finish(_ errors: ModelErrors) throws(ReportError) {
    if failure == nil {
      do throws(ReportError) { try messages.finish() } catch { _ = noted(error) }
    }
    do throws(ReportError) { try write(errors) } catch { _ = noted(error) }
    if let failure { throw failure }
  }

  private func write(_ errors: ModelErrors) throws(ReportError) {
    for api in ModelsCSV.sorted(errors, redaction: row.redaction) {
      for (model, name) in models.enumerated() {
        row.begin()
        ModelsCSV.append(api, name, model, grouping: grouping, to: &row)
        row.end()
        try apis.append(row.octets)
      }
    }
    try apis.close()
  }

  private func noted(_ error: ReportError) -> ReportError {
    if failure == nil { failure = error }
    return error
  }
}
