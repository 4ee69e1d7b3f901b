import HTTPReassembly
import Packets
import Tabular

/// A cell of a row, for code that compares rows and does not write them.
package enum Cell: Sendable, Equatable {
  /// Unknown, or not applicable.
  case unknown
  /// A number: its whole part, and the millionths above it, from 0 to 999,999.
  case number(Int, millionths: Int)
  /// Text: octets from the wire, without escapes.
  case text([UInt8])

  /// A whole number.
  package static func integer(_ value: Int) -> Cell { .number(value, millionths: 0) }

  /// Whether it is known.
  package var isKnown: Bool { self != .unknown }
}

/// Keeps the wanted cells of a row. `RowWriter`s define the content of rows in one place. So conditions and orders know every
/// column of the reports, with the same values.
package struct CellReader: RowWriter, ~Copyable {
  /// The facts to leave out of hosts, paths and endpoints.
  package let redaction: Redaction?
  /// The cells of the last row, one a column; unwanted ones are unknown.
  package private(set) var cells: [Cell]
  private let isWanted: [Bool]
  private var column = 0

  /// Reads some of `count` columns, given by their positions.
  package init(_ wanted: [Int], of count: Int, redaction: Redaction? = nil) {
    self.redaction = redaction
    var isWanted = [Bool](repeating: false, count: count)
    for position in wanted { isWanted[position] = true }
    self.isWanted = isWanted
    cells = Array(repeating: .unknown, count: count)
  }

  package mutating func begin() {
    column = 0
    for position in cells.indices { cells[position] = .unknown }
  }

  package mutating func end() {}

  package mutating func empty() { column += 1 }

  package mutating func integer(_ value: Int) { take { .integer(value) } }

  package mutating func milliseconds(_ nanoseconds: Int64?) {
    guard let nanoseconds else { return empty() }
    take { Self.number(Int(nanoseconds), unit: 1_000_000) }
  }

  package mutating func thousandths(_ value: Int?) {
    guard let value else { return empty() }
    take { Self.number(value, unit: 1000) }
  }

  package mutating func name(_ name: StaticString) {
    take { name.utf8CodeUnitCount == 0 ? .unknown : .text(Array("\(name)".utf8)) }
  }

  package mutating func name(_ name: String) { take { name.isEmpty ? .unknown : .text(Array(name.utf8)) } }

  package mutating func flags(_ bits: UInt64, names: @autoclosure () -> [String]) {
    take {
      let set = names().enumerated().filter { bits >> UInt64($0.offset) & 1 == 1 }.map(\.element)
      return .text(Array(set.joined(separator: " ").utf8))
    }
  }

  package mutating func endpoint(_ endpoint: Endpoint) { take { .text(Array("\(endpoint)".utf8)) } }

  package mutating func text(_ octets: RawSpan) {
    guard isWantedNow, !octets.isEmpty else { return empty() }
    cells[column] = .text((0..<octets.byteCount).map { octets.octet($0) })
    column += 1
  }

  package mutating func cutText(_ start: RawSpan, leavingOut count: Int) { text(start) }

  /// An unwanted cell needs no text.
  package func cell(of octets: RawSpan) -> Int? { isWantedNow ? nil : 0 }

  package mutating func append(cell: Int) { column += 1 }

  private var isWantedNow: Bool { isWanted.indices.contains(column) && isWanted[column] }

  private mutating func take(_ cell: () -> Cell) {
    if isWantedNow { cells[column] = cell() }
    column += 1
  }

  private static func number(_ value: Int, unit: Int) -> Cell {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: unit)
    let isBelow = remainder < 0
    return .number(
      isBelow ? quotient - 1 : quotient, millionths: (isBelow ? remainder + unit : remainder) * (1_000_000 / unit))
  }
}

extension Cell {
  /// Whether a cell precedes another one in a table that is sorted by it. The largest numbers come first, texts are in the order
  /// of their octets, and unknown cells come last.
  package func precedes(_ other: Cell) -> Bool {
    switch (self, other) {
    case (.number(let mine, let myRest), .number(let its, let itsRest)): (mine, myRest) > (its, itsRest)
    case (.text(let mine), .text(let its)): mine.lexicographicallyPrecedes(its)
    case (.unknown, _): false
    case (_, .unknown): true
    case (.number, .text): true
    case (.text, .number): false
    }
  }

  /// The text for people: numbers with separators and up to three decimals, text escaped, nothing if unknown.
  package var shown: String {
    switch self {
    case .unknown: return ""
    case .text(let octets): return TextEscaping.string(octets)
    case .number(let whole, let millionths):
      guard millionths > 0 else { return Numerals.grouped(whole) }
      guard whole >= 0 else { return "\(Double(whole) + Double(millionths) / 1e6)" }
      let decimals = String(millionths / 1000)
      return Numerals.grouped(whole) + "." + String(repeating: "0", count: 3 - decimals.count) + decimals
    }
  }
}
