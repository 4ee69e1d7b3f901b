/// The number of letters to insert, delete, exchange or swap to turn one word into another.
package enum EditDistance {
  /// The distance of two words (optimal string alignment).
  package static func between(_ first: String, _ second: String) -> Int {
    let (first, second) = (Array(first), Array(second))
    guard !first.isEmpty, !second.isEmpty else { return max(first.count, second.count) }
    var rows = [Array(0...second.count)]
    for row in 1...first.count {
      var next = [row]
      for column in 1...second.count {
        let cost = first[row - 1] == second[column - 1] ? 0 : 1
        var least = min(rows[row - 1][column] + 1, next[column - 1] + 1, rows[row - 1][column - 1] + cost)
        if row > 1, column > 1, first[row - 1] == second[column - 2], first[row - 2] == second[column - 1] {
          least = min(least, rows[row - 2][column - 2] + 1)
        }
        next.append(least)
      }
      rows.append(next)
    }
    return rows[first.count][second.count]
  }
}
