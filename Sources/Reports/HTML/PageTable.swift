import Tabular

/// Rows of the page's data with the names of their columns.
struct PageTable {
  let columns: [String]
  /// Of `total` rows those that the page shows.
  let rows: [[PageValue]]
  /// Rows there are in all; nil when that is not known, only that there are more.
  let total: Int?
  /// The sums of the rows that are not shown, by column; nil when all are shown.
  var rest: [PageValue]?

  init(_ columns: [String], _ rows: [[PageValue]], total: Int? = nil, rest: [PageValue]? = nil) {
    self.columns = columns
    self.rows = rows
    self.total = total ?? rows.count
    self.rest = rest
  }

  /// Rows of added figures, the largest first: of those beyond the limits only the sums are shown.
  init<Name: Hashable>(
    _ names: [String], _ figureNames: [String], _ added: AddedRows<Name, AddedFigures>,
    weight: (AddedFigures) -> Int, name: (Name) -> [PageValue], figures: (AddedFigures) -> [PageValue]
  ) where Name: Comparable {
    let sorted = added.rows.filter { weight($0.value) > 0 }.sorted { a, b in
      let (mine, other) = (weight(a.value), weight(b.value))
      return mine == other ? a.key < b.key : mine > other
    }
    var rest = added.others
    for (_, row) in sorted.dropFirst(PageLimits.rows) { rest.add(row) }
    let isCut = added.hasOthers || sorted.count > PageLimits.rows
    columns = names + figureNames
    rows = sorted.prefix(PageLimits.rows).map { name($0.key) + figures($0.value) }
    total = added.hasOthers ? nil : sorted.count
    self.rest = isCut ? names.map { _ in .null } + figures(rest) : nil
  }

  /// The table as the page's script reads it.
  var value: PageValue {
    .object([
      ("columns", .list(columns.map { .text($0) })), ("rows", .list(rows.map { .list($0) })),
      ("total", .optional(total)), ("rest", rest.map { .list($0) } ?? .null),
    ])
  }
}

extension AddedFigures {
  /// Adds all of another row.
  mutating func add(_ other: AddedFigures) {
    add(
      count: other.count, other.octets, partCount: other.partCount, partOctets: other.partOctets, time: other.time)
  }
}

extension PlaceName: Comparable {
  static func < (a: PlaceName, b: PlaceName) -> Bool {
    if a.host != b.host { return a.host < b.host }
    if a.path != b.path { return a.path < b.path }
    if a.status != b.status { return a.status < b.status }
    return !a.isRequest && b.isRequest
  }
}

extension PageFigures.FieldName: Comparable {
  static func < (a: Self, b: Self) -> Bool {
    a.number == b.number ? !a.isRequest && b.isRequest : a.number < b.number
  }
}

/// A JSON value (RFC 8259) of the page's data.
enum PageValue {
  case null
  case flag(Bool)
  case integer(Int)
  /// A duration in nanoseconds, written in milliseconds.
  case milliseconds(Int64)
  case text(String)
  case list([PageValue])
  case object([(name: String, value: PageValue)])

  /// The value, or null.
  static func optional(_ integer: Int?) -> PageValue { integer.map { .integer($0) } ?? .null }

  /// The duration, or null.
  static func milliseconds(_ nanoseconds: Int64?) -> PageValue { nanoseconds.map { .milliseconds($0) } ?? .null }

  /// Appends the value as JSON that can stand in a `script` element: `<`, `>` and `&` are escaped, so that neither
  /// `</script` nor `<!--` can occur (HTML Living Standard §4.12.1.3).
  func append(to buffer: inout RowBuffer) {
    switch self {
    case .null: buffer.append("null")
    case .flag(let flag): buffer.append(flag ? "true" : "false")
    case .integer(let integer): buffer.append(integer)
    case .milliseconds(let nanoseconds): buffer.appendMilliseconds(nanoseconds)
    case .text(let text): Self.append(text, to: &buffer)
    case .list(let values):
      Self.append(values, "[", "]", to: &buffer) { value, buffer in value.append(to: &buffer) }
    case .object(let members):
      Self.append(members, "{", "}", to: &buffer) { member, buffer in
        Self.append(member.name, to: &buffer)
        buffer.append(UInt8(ascii: ":"))
        member.value.append(to: &buffer)
      }
    }
  }

  private static func append<Element>(
    _ elements: [Element], _ start: String, _ end: String, to buffer: inout RowBuffer,
    _ append: (Element, inout RowBuffer) -> Void
  ) {
    buffer.append(start)
    for (index, element) in elements.enumerated() {
      if index > 0 { buffer.append(UInt8(ascii: ",")) }
      append(element, &buffer)
    }
    buffer.append(end)
  }

  private static func append(_ text: String, to buffer: inout RowBuffer) {
    buffer.append(UInt8(ascii: "\""))
    for octet in text.utf8 {
      switch octet {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        buffer.append(UInt8(ascii: "\\"))
        buffer.append(octet)
      case 0..<0x20, 0x7f, UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"):
        buffer.append("\\u00")
        buffer.append(TextEscaping.hexadecimalDigit(octet >> 4))
        buffer.append(TextEscaping.hexadecimalDigit(octet & 0xf))
      default: buffer.append(octet)
      }
    }
    buffer.append(UInt8(ascii: "\""))
  }
}
