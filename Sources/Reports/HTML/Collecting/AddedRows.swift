/// Figures that are added up under names, of which a limited number is told apart.
struct AddedRows<Name: Hashable, Figures> {
  private let limit: Int
  private let none: Figures
  private(set) var rows: [Name: Figures] = [:]
  /// The figures of all names that came after the limit was reached.
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
