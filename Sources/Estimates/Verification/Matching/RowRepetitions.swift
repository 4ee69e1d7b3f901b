/// The rows of a log that say the same at nearly the same time, found by their figures.
struct RowRepetitions {
  /// A row with a time.
  private struct Place {
    /// A digest of the figures: rows that say the same have the same one.
    var figures: Int
    var time: Int64
    var row: Int

    static func precedes(_ a: Place, _ b: Place) -> Bool {
      (a.figures, a.time, a.row) < (b.figures, b.time, b.row)
    }
  }

  /// The rows by figures, and among these by time.
  private let places: [Place]

  init(_ log: [LogEntry]) {
    places = log.indices.compactMap { row in Self.place(row, log) }.sorted(by: Place.precedes)
  }

  private static func place(_ row: Int, _ log: [LogEntry]) -> Place? {
    let entry = log[row]
    guard let time = entry.time, entry.hasFigure else { return nil }
    var hasher = Hasher()
    hasher.combine(entry.kind)
    hasher.combine(entry.status)
    for figure in [entry.length, entry.headerLength, entry.bodyLength] { hasher.combine(figure) }
    return Place(figures: hasher.finalize(), time: time, row: row)
  }

  /// The row that a row repeats: of those that `isOriginal` takes, the nearest in time.
  func original(of row: Int, _ log: [LogEntry], where isOriginal: (Int) -> Bool) -> Int? {
    guard let own = Self.place(row, log) else { return nil }
    let middle = places.partitioningIndex { !Place.precedes($0, own) }
    func nearest(_ indices: some Sequence<Int>) -> Int? {
      for place in indices.prefix(Self.reach).lazy.map({ places[$0] }) {
        guard place.figures == own.figures, log[row].distance(to: log[place.row]) <= Self.longest else { return nil }
        if place.row != row, log[row].saysTheSame(as: log[place.row]), isOriginal(place.row) { return place.row }
      }
      return nil
    }
    let found = [nearest((0..<middle).reversed()), nearest(middle..<places.count)].compactMap { $0 }
    return found.min { log[row].distance(to: log[$0]) < log[row].distance(to: log[$1]) }
  }

  /// The number of rows that are looked at before and after a row.
  private static let reach = 128
  /// The longest time from a row to its repetition, in nanoseconds.
  private static let longest: UInt64 = 1_000_000_000
}
