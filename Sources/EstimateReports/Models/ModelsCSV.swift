import Estimates
import HTTPReassembly
import Reports
import Tabular

/// `models.csv`: one row for each API and model. The order is by API as in `apis.csv`, then by model. Lengths are octets.
enum ModelsCSV {
  /// The file's name.
  static let fileName = "models.csv"

  /// The columns; new ones only at the end. `method` is present when errors are grouped by it.
  static func columns(_ grouping: Configuration.Grouping) -> [String] {
    ["host", "path"] + (grouping.method ? ["method"] : []) + ["model", "requests", "responses", "interim"]
      + directionColumns("request") + directionColumns("response")
  }

  private static func directionColumns(_ direction: String) -> [String] {
    let names =
      ["messages", "unknown"] + MessagePart.allCases.map { "\($0)_bytes" }
      + MessagePart.allCases.map { "\($0)_estimate" } + MessagePart.allCases.map { "\($0)_error" }
      + ["worst_error", "worst_message"]
    return names.map { "\(direction)_\($0)" }
  }

  /// Appends the cells of an API and one of the models, given by its position.
  static func append(
    _ api: APIErrors, _ name: ModelName, _ model: Int, grouping: Configuration.Grouping, to row: inout CSVRow
  ) {
    row.host(api.host)
    row.path(api.path)
    if grouping.method { row.text(api.method) }
    row.name(name.rawValue)
    row.integer(api.requests)
    row.integer(api.responses)
    row.integer(api.interim)
    append(api.request[model], to: &row)
    append(api.response[model], to: &row)
  }

  private static func append(_ sums: ErrorSums, to row: inout CSVRow) {
    row.integer(sums.messages)
    row.integer(sums.unknown)
    for lengths in [sums.wire, sums.estimate, sums.error] { append(lengths, to: &row) }
    row.integer(sums.worst.number == nil ? nil : sums.worst.error)
    row.integer(sums.worst.number)
  }

  /// Appends a cell for each part.
  static func append(_ lengths: PartLengths?, to row: inout CSVRow) {
    for part in MessagePart.allCases { row.integer(lengths?[part]) }
  }

  /// The APIs in the order of their rows. Redaction changes names and so the order.
  static func sorted(_ errors: ModelErrors, redaction: Redaction?) -> [APIErrors] {
    guard let redaction else { return errors.sortedAPIs }
    return errors.sortedAPIs.sorted(redaction: redaction) { APIKey(host: $0.host, path: $0.path, method: $0.method) }
  }
}

/// `model_messages.csv`: one row for each message and model. The order is by the message's number as in `messages.csv`, then by
/// model. Lengths are octets.
enum ModelMessagesCSV {
  /// The file's name.
  static let fileName = "model_messages.csv"

  /// The columns; new ones only at the end.
  static let columns =
    ["message", "model", "type", "method", "host", "path", "status"] + MessagePart.allCases.map { "\($0)_bytes" }
    + MessagePart.allCases.map { "\($0)_estimate" } + MessagePart.allCases.map { "\($0)_error" }

  /// Appends the cells of a message and one model's estimate; these are empty without an estimate.
  static func append(_ message: WireMessage, _ name: ModelName, _ estimate: PartLengths?, to row: inout CSVRow) {
    let wire = PartLengths(message.row.octets)
    row.integer(message.row.number)
    row.name(name.rawValue)
    row.name(message.row.kind.name)
    row.text(Array(message.method.utf8))
    row.host(message.hostOctets, isRepeated: message.row.kind == .interim)
    row.path(message.pathOctets, isRepeated: message.row.kind == .interim)
    row.integerUnlessZero(message.row.status)
    ModelsCSV.append(wire, to: &row)
    ModelsCSV.append(estimate, to: &row)
    ModelsCSV.append(estimate.map { $0 - wire }, to: &row)
  }
}
