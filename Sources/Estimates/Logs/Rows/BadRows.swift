/// Collects rows that are invalid. One is enough to refuse a log: sums over the others would look right.
struct BadRows {
  private(set) var count = 0
  private var first = ""

  /// Takes note of a row. `position` names its place, as in `line 3`.
  mutating func note(_ position: String, _ problem: RowProblem) {
    if count == 0 { first = "\(position), \(problem.description)" }
    count += 1
  }

  /// Throws when there was a bad row among `rows`.
  func check(file: String, rows: Int) throws(LogError) {
    guard count > 0 else { return }
    throw LogError(file: file, count == 1 ? first : "\(first); \(count) of \(rows) rows are wrong")
  }
}
