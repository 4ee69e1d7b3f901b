import Tabular

/// A column that a condition can name.
///
/// An exchange has the columns of `exchanges.csv`. It also has its messages' columns in `messages.csv`, with `request_` or
/// `response_` before the name, except interim responses. `client`, `server` and `scheme` are the same for both messages, and
/// need no prefix.
struct ConditionColumn: Sendable, Equatable {
  /// The owner of a column.
  enum Owner: Sendable, Equatable {
    case exchange, request, response, message
  }

  /// The owner.
  let owner: Owner
  /// Its position in the owner's row.
  let position: Int
  /// Whether its cells are text.
  let isText: Bool

  /// The column with a name; nil without one.
  init?(_ name: String) {
    if let column = Self(name, of: .exchange, ExchangeRow.columns) {
      self = column
    } else if Self.common.contains(name), let column = Self(name, of: .message, MessageRow.columns) {
      self = column
    } else if name.hasPrefix(Self.request),
      let column = Self(String(name.dropFirst(Self.request.count)), of: .request, MessageRow.columns)
    {
      self = column
    } else if name.hasPrefix(Self.response),
      let column = Self(String(name.dropFirst(Self.response.count)), of: .response, MessageRow.columns)
    {
      self = column
    } else {
      return nil
    }
  }

  private init?(_ name: String, of owner: Owner, _ columns: [TableColumn]) {
    guard let position = columns.firstIndex(where: { $0.name == name }) else { return nil }
    self.owner = owner
    self.position = position
    isText = columns[position].kind == .text
  }

  private static let request = "request_"
  private static let response = "response_"
  /// Columns that are the same in both messages of an exchange.
  private static let common = ["client", "server", "scheme"]

  /// All names.
  static var names: [String] {
    let messages = MessageRow.columns.map(\.name)
    return ExchangeRow.columns.map(\.name) + common + messages.map { request + $0 } + messages.map { response + $0 }
  }

  /// A suggestion for a name that no column has.
  static func hint(for name: String) -> String {
    if MessageRow.columns.contains(where: { $0.name == name }) {
      return "; did you mean \(request)\(name) or \(response)\(name)?"
    }
    let near = names.map { (name: $0, distance: EditDistance.between(name, $0)) }.min { $0.distance < $1.distance }
    if let near, near.distance <= 3, near.distance < near.name.count { return "; did you mean \(near.name)?" }
    return "; it knows " + ExchangeRow.columns.map(\.name).joined(separator: ", ")
      + ", client, server, scheme, and the columns of messages.csv with request_ or response_ before them"
  }
}
