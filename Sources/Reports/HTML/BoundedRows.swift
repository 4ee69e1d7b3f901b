/// Sums of figures by name, for a limited number of names.
struct AddedRows<Name: Hashable, Figures> {
  private let limit: Int
  private let none: Figures
  private(set) var rows: [Name: Figures] = [:]
  /// The figures of all names beyond the limit.
  private(set) var others: Figures
  /// Whether there are such names.
  private(set) var hasOthers = false

  init(limit: Int = PageLimits.addedRows, _ none: Figures) {
    self.limit = limit
    self.none = none
    others = none
  }

  /// Adds to the figures of a name.
  mutating func add(_ name: Name, _ change: (inout Figures) -> Void) {
    if rows.count < limit || rows[name] != nil {
      let none = none
      change(&rows[name, default: none])
    } else {
      hasOthers = true
      change(&others)
    }
  }
}

/// The rows with the largest weights, of any number; among equal ones, those with the lowest numbers.
struct TopRows<Row> {
  private struct Weighed {
    var weight: Int
    var number: Int
    var row: Row

    static func precedes(_ a: Weighed, _ b: Weighed) -> Bool {
      a.weight == b.weight ? a.number < b.number : a.weight > b.weight
    }
  }

  private let limit: Int
  /// At most twice the limit, so that sorting out is rare.
  private var kept: [Weighed] = []
  /// A row with less weight is no longer among the largest.
  private var leastWeight = Int.min
  /// The number of rows, kept or not.
  private(set) var count = 0

  init(limit: Int) { self.limit = limit }

  /// Adds a row, which is made only if it may stay.
  mutating func add(weight: Int, number: Int, _ row: () -> Row) {
    count += 1
    guard weight >= leastWeight else { return }
    kept.append(Weighed(weight: weight, number: number, row: row()))
    guard kept.count >= 2 * limit else { return }
    kept = Array(kept.sorted(by: Weighed.precedes).prefix(limit))
    leastWeight = kept.last?.weight ?? .min
  }

  /// The largest rows, largest first.
  var rows: [Row] { kept.sorted(by: Weighed.precedes).prefix(limit).map(\.row) }
}
