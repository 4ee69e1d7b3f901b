/// One value of a table, as the file has it.
enum LogCell: Equatable {
  /// No value: NULL, or an empty cell of a CSV file.
  case absent
  /// Text, never empty in a CSV file.
  case text(String)
  /// A whole number.
  case integer(Int64)
  /// A floating-point number.
  case real(Double)
  /// A blob.
  case octets

  /// The value for people.
  var quoted: String {
    switch self {
    case .absent: "nothing"
    case .text(let text): "'\(text.shortened())'"
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .octets: "a blob"
    }
  }

  /// More octets than any message has. The sum of two million such lengths still fits an `Int`.
  static let largestLength: Int64 = 1 << 40

  /// A whole number within ± `largestLength`; nil when absent. Throws for other values.
  ///
  /// It may be written as a decimal with nothing behind its point, as many languages write a sum of floating-point numbers.
  func length(_ column: LogColumn) throws(RowProblem) -> Int? {
    let number: Int64?
    switch self {
    case .absent: return nil
    case .text(let text): number = Int64(text) ?? Self.decimal(text).flatMap(Int64.init(exactly:))
    case .integer(let integer): number = integer
    case .real(let real): number = Int64(exactly: real)
    case .octets: number = nil
    }
    guard let number else { throw RowProblem(column, expected: "a whole number of bytes", found: self) }
    guard number.magnitude <= Self.largestLength.magnitude else {
      throw RowProblem(column, expected: "at most 2^40 bytes", found: self)
    }
    return Int(number)
  }

  /// A decimal number, with a point and an exponent or without; nil for other texts that `Double` takes, as `0x10` and `inf`.
  private static func decimal(_ text: String) -> Double? {
    guard text.utf8.count <= longestDecimal, text.utf8.allSatisfy(Array("0123456789.+-eE".utf8).contains) else {
      return nil
    }
    return Double(text)
  }

  /// The length of the longest number that is read as a decimal: what `Double` prints at most, and some zeros.
  private static let longestDecimal = 40

  /// A duration in nanoseconds, from a number of units of `unit` nanoseconds. Nil when absent, and when negative, which means
  /// unknown. Throws for other values than numbers, and for more than a day.
  func duration(unit: Double, _ column: LogColumn) throws(RowProblem) -> Int64? {
    let number: Double?
    switch self {
    case .absent: return nil
    case .text(let text): number = Double(text)
    case .integer(let integer): number = Double(integer)
    case .real(let real): number = real
    case .octets: number = nil
    }
    guard let number, number * unit <= 86_400e9 else {
      throw RowProblem(column, expected: "a duration of at most a day", found: self)
    }
    return number < 0 ? nil : Int64((number * unit).rounded())
  }

  /// The text; throws when the cell has none.
  func text(_ column: LogColumn, expected: String) throws(RowProblem) -> String {
    guard case .text(let text) = self else { throw RowProblem(column, expected: expected, found: self) }
    return text
  }

  /// A yes or no; an absent value is no.
  func flag(_ column: LogColumn) throws(RowProblem) -> Bool {
    switch self {
    case .absent, .integer(0), .real(0): return false
    case .integer(1), .real(1): return true
    case .text(let text):
      switch text.lowercased() {
      case "", "0", "false", "no": return false
      case "1", "true", "yes": return true
      default: break
      }
    default: break
    }
    throw RowProblem(column, expected: "true or false", found: self)
  }

  /// Whether it is text that contains this word of letters.
  func hasWord(_ word: String) -> Bool {
    guard case .text(let text) = self else { return false }
    return text.split { !$0.isLetter }.contains { $0 == word }
  }

  /// Whether it names an error: any value but an absent one, 0 and false.
  var namesError: Bool {
    switch self {
    case .absent, .integer(0), .real(0): false
    case .text(let text): !["", "0", "false", "no", "null", "nil"].contains(text.lowercased())
    default: true
    }
  }
}
