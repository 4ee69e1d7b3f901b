/// The numbers in a column that may count the requests of each row. A column of running numbers counts none.
struct RowCounts {
  private var rows = 0
  private var largest = 0
  private var newest: Int?
  /// The rows whose number is less than the one before.
  private var falls = 0

  mutating func add(_ count: Int) {
    if let newest, count < newest { falls += 1 }
    rows += 1
    largest = max(largest, count)
    newest = count
  }

  /// Whether rows are sums: running numbers rise, and begin anew a few times.
  var areSums: Bool { largest > 1 && falls * 5 >= rows }
}
