import HTTPReassembly
import Tabular

/// Learns the columns of a table from what writes its rows, which so says of each field in one place its name, what its cells are, and
/// where it comes from.
struct ColumnList: RowWriter, ~Copyable {
  let redaction: Redaction? = nil
  private var columns: [TableColumn] = []
  private var cells = 0

  /// The columns of the rows that `write` writes: of any row, since all of a table have the same ones.
  static func of(_ write: (inout ColumnList) -> Void) -> [TableColumn] {
    var list = ColumnList()
    write(&list)
    precondition(list.cells == list.columns.count, "a cell without a column, or a column without a cell")
    return list.columns
  }

  mutating func note(_ columns: () -> [TableColumn]) { self.columns += columns() }

  /// A cell, which is of the kind of its column.
  private mutating func take(_ kinds: TableColumn.Kind...) {
    precondition(kinds.contains(columns[cells].kind), columns[cells].name)
    cells += 1
  }

  mutating func begin() {}
  mutating func end() {}
  mutating func empty() { take(.integer, .time, .real, .text) }
  mutating func integer(_ value: Int) { take(.integer, .time) }
  mutating func milliseconds(_ nanoseconds: Int64?) { take(.real) }
  mutating func thousandths(_ value: Int?) { take(.real) }
  mutating func name(_ name: StaticString) { take(.text) }
  mutating func name(_ name: String) { take(.text) }
  mutating func flags(_ bits: UInt64, names: @autoclosure () -> [String]) { take(.text) }
  mutating func endpoint(_ endpoint: Endpoint) { take(.text) }
  mutating func text(_ octets: RawSpan) { take(.text) }
  mutating func cutText(_ start: RawSpan, leavingOut count: Int) { take(.text) }
}
