import HTTPReassembly
import Tabular

/// A condition on exchanges (`--where`): `host == "api.example.com" && status >= 400`.
///
/// ```
/// condition  = term *( "||" term )
/// term       = factor *( "&&" factor )
/// factor     = "!" factor / "(" condition ")" / comparison
/// comparison = column ( "==" / "!=" / "<" / "<=" / ">" / ">=" / "=~" ) value
/// value      = string / number / "unknown"
/// ```
///
/// A comparison with an unknown cell is false, with any operator. Only `== unknown` and `!= unknown` test for it. `=~` takes a
/// text. With `*` (any octets) or `?` (one octet) in it, it has to match the whole cell; else the cell has to contain it. `=~`
/// ignores the case of ASCII letters.
public struct Condition: Sendable {
  /// The largest number of octets of a condition.
  public static let lengthLimit = 4096
  /// The deepest nesting of parentheses and `!`.
  public static let depthLimit = 64

  /// The text as given.
  public let text: String
  /// The columns in it, each once.
  let columns: [ConditionColumn]
  private let root: ConditionNode

  /// Parses a condition.
  ///
  /// - Parameter text: The condition.
  /// - Throws: The fault and its place.
  public init(_ text: String) throws(ConditionError) {
    var parser = try ConditionParser(text)
    root = try parser.parse()
    columns = parser.columns
    self.text = text
  }

  /// Whether it holds for an exchange; `cells` are the values of `columns`.
  func holds(_ cells: [Cell]) -> Bool { root.holds(cells) }

  /// Whether it holds for an exchange with all its messages; `messageTexts` is what they refer to.
  func holds(
    for exchange: Exchange, _ texts: borrowing TextPool, _ messages: [Message], _ messageTexts: borrowing TextPool
  ) -> Bool {
    var cells = [Cell](repeating: .unknown, count: columns.count)
    func read(
      _ owners: [ConditionColumn.Owner], of row: [TableColumn], _ write: (inout CellReader) -> Void
    ) {
      let wanted = columns.indices.filter { owners.contains(columns[$0].owner) }
      guard !wanted.isEmpty else { return }
      var reader = CellReader(wanted.map { columns[$0].position }, of: row.count)
      write(&reader)
      for cell in wanted { cells[cell] = reader.cells[columns[cell].position] }
    }
    read([.exchange], of: ExchangeRow.columns) { ExchangeRow.write(exchange, texts: texts, to: &$0) }
    for message in messages where message.kind != .interim {
      read([message.kind == .request ? .request : .response, .message], of: MessageRow.columns) {
        MessageRow.write(message, texts: messageTexts, to: &$0)
      }
    }
    return holds(cells)
  }
}

/// The fault of a condition.
public struct ConditionError: Error, CustomStringConvertible, Equatable {
  /// The fault, without the place.
  public let reason: String
  /// The place: the number of Unicode scalars before it.
  public let position: Int
  /// The condition.
  private let text: String

  init(_ reason: String, at position: Int, in text: String) {
    self.reason = reason
    self.position = position
    self.text = text
  }

  /// The number of scalars that are shown on either side of the place.
  private static let context = 30

  /// The place and the fault. Below is the part of the condition around the place, with a mark under it.
  public var description: String {
    let scalars = Array(text.unicodeScalars)
    func shown(_ range: Range<Int>) -> String {
      let part = String(String.UnicodeScalarView(scalars[range]))
      return TextEscaping.string(Array(part.utf8))
    }
    let place = min(position, scalars.count)
    let start = max(place - Self.context, 0)
    let before = (start > 0 ? "…" : "") + shown(start..<place)
    let end = min(place + Self.context, scalars.count)
    let after = shown(place..<end) + (end < scalars.count ? "…" : "")
    let indent = String(repeating: " ", count: DisplayWidth.of(before))
    return "character \(place + 1): \(reason)\n  \(before)\(after)\n  \(indent)^"
  }
}

/// A parsed condition: a test of cells, which are given by their positions.
indirect enum ConditionNode: Sendable {
  case all([ConditionNode])
  case any([ConditionNode])
  case not(ConditionNode)
  /// Whether the cell is known, or unknown.
  case known(Int, Bool)
  case number(Int, ConditionOperator, Int, millionths: Int)
  case text(Int, ConditionOperator, [UInt8])
  case like(Int, TextPattern)

  func holds(_ cells: [Cell]) -> Bool {
    switch self {
    case .all(let nodes): return nodes.allSatisfy { $0.holds(cells) }
    case .any(let nodes): return nodes.contains { $0.holds(cells) }
    case .not(let node): return !node.holds(cells)
    case .known(let position, let isKnown): return cells[position].isKnown == isKnown
    case .number(let position, let comparison, let whole, let millionths):
      guard case .number(let mine, let myMillionths) = cells[position] else { return false }
      return comparison.holds((mine, myMillionths) < (whole, millionths), (mine, myMillionths) == (whole, millionths))
    case .text(let position, let comparison, let text):
      guard case .text(let mine) = cells[position] else { return false }
      return comparison.holds(mine.lexicographicallyPrecedes(text), mine == text)
    case .like(let position, let pattern):
      guard case .text(let mine) = cells[position] else { return false }
      return pattern.matches(mine)
    }
  }
}

/// The operators that compare a cell with a value.
enum ConditionOperator: String, Sendable, CaseIterable {
  case equal = "=="
  case notEqual = "!="
  case less = "<"
  case lessOrEqual = "<="
  case greater = ">"
  case greaterOrEqual = ">="
  case like = "=~"

  /// Whether the operator holds for a cell that is less than the value, or equal to it.
  func holds(_ isLess: Bool, _ isEqual: Bool) -> Bool {
    switch self {
    case .equal, .like: isEqual
    case .notEqual: !isEqual
    case .less: isLess
    case .lessOrEqual: isLess || isEqual
    case .greater: !isLess && !isEqual
    case .greaterOrEqual: !isLess
    }
  }
}

/// A text to be found in another one, or a pattern with `*` and `?` to match all of it.
struct TextPattern: Sendable {
  private let octets: [UInt8]

  /// A pattern; the case of ASCII letters is ignored.
  init(_ text: String) {
    let octets = text.utf8.map(Self.folded)
    let hasMarks = octets.contains(Self.any) || octets.contains(Self.one)
    self.octets = hasMarks ? octets : [Self.any] + octets + [Self.any]
  }

  private static let any = UInt8(ascii: "*")
  private static let one = UInt8(ascii: "?")

  /// Whether the pattern matches the whole text. The time is at most proportional to the product of both lengths.
  func matches(_ text: [UInt8]) -> Bool {
    // Only the last star ever has to match more octets, because an earlier star's match is as good as any.
    var (next, place) = (0, 0)
    var star: (next: Int, place: Int)?
    while place < text.count {
      if next < octets.count, octets[next] == Self.any {
        next += 1
        star = (next, place)
      } else if next < octets.count, octets[next] == Self.one || octets[next] == Self.folded(text[place]) {
        next += 1
        place += 1
      } else if let last = star {
        star = (last.next, last.place + 1)
        (next, place) = (last.next, last.place + 1)
      } else {
        return false
      }
    }
    return octets[next...].allSatisfy { $0 == Self.any }
  }

  private static func folded(_ octet: UInt8) -> UInt8 { 0x41...0x5a ~= octet ? octet | 0x20 : octet }
}
