import HTTPReassembly

/// A table whose rows are numbered, that takes no more rows after an error or after it was finished.
struct OrderedTable: ~Copyable {
  private var rows: OrderedRows
  /// Whether rows are still taken.
  private(set) var isOpen = true

  init(_ rows: consuming OrderedRows) { self.rows = rows }

  /// Adds the row of `number`; after the first error rows are left out.
  mutating func add(_ number: Int, _ row: RawSpan) throws(ReportError) {
    guard isOpen else { return }
    do throws(ReportError) { try rows.add(number, row) } catch {
      isOpen = false
      throw error
    }
  }

  /// Writes what waits and closes the file.
  mutating func finish() throws(ReportError) {
    guard isOpen else { return }
    isOpen = false
    try rows.finish()
  }
}
