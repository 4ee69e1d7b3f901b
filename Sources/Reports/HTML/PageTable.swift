import Tabular

/// Rows of the page's data with the names of their columns.
struct PageTable {
  let columns: [String]
  /// The shown rows, of `total`.
  let rows: [[PageValue]]
  /// The number of all rows; nil when there are more, of an unknown number.
  let total: Int?
  /// The sums of the other rows, by column; nil when all are shown.
  var rest: [PageValue]?

  /// A table of `total` rows, by default the given ones. With `hasUncounted` there are more, and their number is unknown.
  init(
    _ columns: [String], _ rows: [[PageValue]], total: Int? = nil, hasUncounted: Bool = false,
    rest: [PageValue]? = nil
  ) {
    self.columns = columns
    self.rows = rows
    self.total = hasUncounted ? nil : total ?? rows.count
    self.rest = rest
  }

  /// Rows of summed figures, the largest first; rows beyond the limits are in the sums only.
  init<Name: Hashable, Figures: SummedFigures>(
    _ names: [String], _ figureNames: [String], _ added: AddedRows<Name, Figures>,
    weight: (Figures) -> Int, name: (Name) -> [PageValue], figures: (Figures) -> [PageValue]
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

/// Figures of a row that others are added to.
protocol SummedFigures {
  /// Adds all figures of another row.
  mutating func add(_ other: Self)
}

extension WebSocketFigures: SummedFigures {}

extension AddedFigures: SummedFigures {
  mutating func add(_ other: AddedFigures) {
    add(
      count: other.count, other.octets, partCount: other.partCount, partOctets: other.partOctets, time: other.time)
  }
}

extension ShownAPI: Comparable {
  static func < (a: ShownAPI, b: ShownAPI) -> Bool {
    if a.host != b.host { return a.host < b.host }
    if a.path != b.path { return a.path < b.path }
    return a.status < b.status
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

  /// Writes the value as JSON that is safe in a `script` element (`JSONWriter.inScript`).
  func write(to json: inout JSONWriter) {
    switch self {
    case .null: json.null()
    case .flag(let flag): json.boolean(flag)
    case .integer(let integer): json.integer(integer)
    case .milliseconds(let nanoseconds): json.milliseconds(nanoseconds)
    case .text(let text): json.inScript(text)
    case .list(let values):
      json.open("[")
      for value in values { value.write(to: &json) }
      json.close("]")
    case .object(let members):
      json.open("{")
      for member in members {
        json.key(inScript: member.name)
        member.value.write(to: &json)
      }
      json.close("}")
    }
  }
}
