import Estimates
import HTTPReassembly

/// `model_messages.csv`: one row for each message and model, by the message's number as in `messages.csv`, then in the order
/// of the models. Lengths are octets.
enum ModelMessagesCSV {
  /// The file's name.
  static let fileName = "model_messages.csv"

  /// The columns; new ones only at the end.
  static let columns =
    ["message", "model", "type", "method", "host", "path", "status"] + MessagePart.allCases.map { "\($0)_bytes" }
    + MessagePart.allCases.map { "\($0)_estimate" } + MessagePart.allCases.map { "\($0)_error" }

  /// Appends the cells of a message and what one model says of it, which is empty when it says nothing.
  static func append(_ message: WireMessage, _ name: ModelName, _ estimate: PartLengths?, to row: inout CSVRow) {
    let wire = PartLengths(message.row.octets)
    row.integer(message.row.number)
    row.name(name.rawValue)
    row.name(message.row.kind.name)
    row.text(Array(message.method.utf8))
    row.host(message.hostOctets)
    row.path(message.pathOctets)
    row.integerUnlessZero(message.row.status)
    ModelsCSV.append(wire, to: &row)
    ModelsCSV.append(estimate, to: &row)
    ModelsCSV.append(estimate.map { $0 - wire }, to: &row)
  }
}
