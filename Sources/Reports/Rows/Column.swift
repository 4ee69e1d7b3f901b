/// A column of a table: its name, which is the same in every format, and what its cells are.
struct Column: Sendable {
  /// What cells are.
  enum Kind: Sendable {
    /// A whole number: octets, nanoseconds, a number or a count.
    case integer
    /// Milliseconds.
    case real
    /// Text.
    case text
  }

  /// The name, in lower case with underscores.
  let name: String
  /// What cells are.
  let kind: Kind
  /// Whether a cell may be unknown or not apply.
  var isOptional = false

  /// A column of whole numbers.
  static func integer(_ name: String) -> Column { Column(name: name, kind: .integer) }
  /// A column of milliseconds.
  static func real(_ name: String) -> Column { Column(name: name, kind: .real) }
  /// A column of text.
  static func text(_ name: String) -> Column { Column(name: name, kind: .text) }

  /// The same column, whose cells may be unknown.
  var orUnknown: Column { Column(name: name, kind: kind, isOptional: true) }
}
