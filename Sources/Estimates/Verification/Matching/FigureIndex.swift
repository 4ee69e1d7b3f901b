import HTTPReassembly

/// Exchanges on the wire by figures that an app may have for them.
///
/// A log may have thousands of rows that fit no message. Each row is compared with those exchanges alone that have its largest figure.
struct FigureIndex {
  /// A figure of a request or a response, by its column.
  private struct Figure: Hashable {
    var kind: MessageKind
    var column: Int
    var octets: Int?
  }

  private let all: [Int]
  /// The places of exchanges in `all`. A column without a known figure has those exchanges under nil.
  private var places: [Figure: [Int]] = [:]
  /// The columns with any known figure.
  private var known: Set<Figure> = []
  private let kinds: [MessageKind]

  /// The index of some exchanges, in order, by the app's known way to count.
  init(_ exchanges: [Int], _ matcher: Matcher, _ sizes: MessageSizes) {
    self.init(exchanges, matcher, [.request, .response].filter(sizes.isLearned), columns: sizes.columns)
  }

  /// The same by the figures that `columns` gives for messages of some kinds: start-line, header section, body and whole message.
  init(_ exchanges: [Int], _ matcher: Matcher, _ kinds: [MessageKind], columns: (Int) -> [[Int]]) {
    (all, self.kinds) = (exchanges, kinds)
    for (place, exchange) in exchanges.enumerated() {
      for kind in kinds {
        let own = matcher.exchanges[exchange]
        guard let message = kind == .request ? own.request : own.response else { continue }
        for (column, figures) in columns(message).enumerated() {
          if figures.isEmpty { places[Figure(kind: kind, column: column), default: []].append(place) }
          if !figures.isEmpty { known.insert(Figure(kind: kind, column: column)) }
          for octets in Set(figures) {
            places[Figure(kind: kind, column: column, octets: octets), default: []].append(place)
          }
        }
      }
    }
  }

  /// The exchanges that may have all figures of a row, in order.
  func exchanges(for row: Int, _ matcher: Matcher) -> [Int] {
    let figures = kinds.flatMap { kind -> [Figure] in
      let entry = kind == .request ? matcher.rows[row].request : matcher.rows[row].response
      return (entry.map { matcher.log[$0].figuresByColumn } ?? []).enumerated().compactMap { column, octets in
        octets.map { Figure(kind: kind, column: column, octets: $0) }
      }
    }
    guard !figures.isEmpty else { return all }
    // Where no way to count is known for any of its figures, a row fits nothing.
    let telling = figures.filter { known.contains(Figure(kind: $0.kind, column: $0.column)) }
    guard let largest = telling.max(by: { ($0.octets ?? 0) < ($1.octets ?? 0) }) else { return [] }
    let unknown = places[Figure(kind: largest.kind, column: largest.column)] ?? []
    return ((places[largest] ?? []) + unknown).sorted().map { all[$0] }
  }
}

extension LogEntry {
  /// The figures of start-line, header section, body and whole message; nil where there is none, or its parts change it.
  fileprivate var figuresByColumn: [Int?] {
    [lineLength, headerLength, bodyLength, bodyLength == nil && !lengthIsSum ? length : nil]
  }
}
