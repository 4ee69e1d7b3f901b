import HTTPReassembly

/// Finds out whether a log has figures in rows of other messages: an app that notes the figures of another request, or the last ones of
/// an API once more.
///
/// In such a log a figure says little about its row's message, and one of 0 may be another message's.
struct MisplacedFigures {
  /// A row of the log, its message, and the readings of its kind.
  typealias Pair = (entry: LogEntry, message: WireMessage, readings: LogReadings)

  private let pairs: [Pair]
  private var known: [Int: [[Int]]] = [:]

  /// The number of rows that are looked at, and of rows before and after a row whose messages may have its figure.
  private static let sampleLimit = 1_000
  private static let reach = 16
  /// The largest number of these rows that may have it.
  private static let mostRows = 4
  /// The fewest figures that show it: by chance one in twenty errors is a figure of a row nearby.
  private static let leastFigures = 5

  private init(_ pairs: [Pair]) { self.pairs = pairs.sorted { $0.entry.row < $1.entry.row } }

  /// Whether a column has at least a fourth of the figures beside 0 that no reading gives from another column or from a row nearby.
  static func areIn(_ pairs: [Pair]) -> Bool {
    var search = MisplacedFigures(pairs)
    let step = max(pairs.count / sampleLimit, 1)
    var columns: [Int: (misplaced: Int, strange: Int)] = [:]
    for index in stride(from: 0, to: search.pairs.count, by: step) where search.isTelling(index) {
      for (column, figure) in search.strangeFigures(index) {
        guard let isMisplaced = search.isMisplaced(figure, column, index) else { continue }
        columns[column, default: (0, 0)].strange += 1
        if isMisplaced { columns[column, default: (0, 0)].misplaced += 1 }
      }
    }
    return columns.values.contains { $0.misplaced >= leastFigures && $0.misplaced * 4 >= $0.strange }
  }

  /// Whether a row's figures are those of its own message alone: redirections and confirmed caches may have another one's content, and a
  /// coding that is not undone has an unknown length.
  private func isTelling(_ index: Int) -> Bool {
    let (entry, message, _) = pairs[index]
    return !entry.isAborted && message.row.exactness != .atLeast && !(300..<400).contains(message.row.status)
      && (message.codings.isEmpty || message.decodedLength != nil)
  }

  /// The figures beside 0 that the readings of their columns do not give.
  private mutating func strangeFigures(_ index: Int) -> [(column: Int, figure: Int)] {
    let (entry, message, _) = pairs[index]
    let figures = [entry.lineLength, entry.headerLength, entry.bodyLength, entry.lengthBeyondParts(message)]
    let expected = expected(index)
    return figures.indices.compactMap { column in
      guard let figure = figures[column], figure > 0, !expected[column].isEmpty, !expected[column].contains(figure)
      else { return nil }
      return (column, figure)
    }
  }

  /// The figures that the readings of a row's columns give for its message.
  private mutating func expected(_ index: Int) -> [[Int]] {
    if let known = known[index] { return known }
    let columns = pairs[index].readings.columns(of: pairs[index].message)
    known[index] = columns
    return columns
  }

  /// Whether a figure belongs to another column of its row, or to a few rows nearby: one that many have says nothing. Nil where a
  /// message with the row's key has it, because the row may be paired wrongly.
  private mutating func isMisplaced(_ figure: Int, _ column: Int, _ index: Int) -> Bool? {
    if expected(index).contains(where: { $0.contains(figure) }) { return true }
    let key = MatchKey(pairs[index].entry)
    var rows = 0
    for other in (index - Self.reach..<index + Self.reach + 1).clamped(to: pairs.indices) where other != index {
      let columns = expected(other)
      let isOwn = pairs[other].entry.kind == pairs[index].entry.kind && MatchKey(pairs[other].entry) == key
      if isOwn, columns[column].contains(figure) { return nil }
      if columns.contains(where: { $0.contains(figure) }) { rows += 1 }
    }
    return rows > 0 && rows <= Self.mostRows
  }
}
