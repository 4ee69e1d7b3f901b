/// The lines of each row of a set of series: one for each figure, in a fixed order.
struct SeriesFigures {
  /// A figure's line.
  struct Line {
    /// The metric's name; its lines stand together.
    let family: String
    /// The suffix of the name in the line: `_bucket`, `_sum`, `_count`, or nothing.
    var suffix = ""
    /// The labels beside the row's own.
    var labels: [(String, String)] = []
    /// The index of the figure that it shows.
    let figure: Int
    /// The index of the line among all lines of a row.
    let head: Int
    /// Whether the figure is nanoseconds, which are shown as seconds.
    var isNanoseconds = false
  }

  /// A metric: its name, and the lines of a row in it.
  struct Family {
    let name: String
    let type: String
    let help: String
    let lines: [Line]
  }

  /// The metrics, in the order of the page.
  private(set) var families: [Family] = []
  private var lineCount = 0
  /// The number of figures of a row.
  private(set) var count = 0
  /// The figures of histograms: none may be less than the one before.
  private(set) var cumulative: [Range<Int>] = []

  /// Adds a counter with a line for each set of labels.
  mutating func addCounter(_ name: String, _ help: String, _ labels: [[(String, String)]] = [[]]) {
    let lines = labels.enumerated().map { index, labels in
      Line(family: name, labels: labels, figure: count + index, head: lineCount + index)
    }
    lineCount += lines.count
    families.append(Family(name: name, type: "counter", help: help, lines: lines))
    count += lines.count
  }

  /// Adds a histogram of durations. Its figures are a count for each bound, the count of all, and their sum in nanoseconds.
  mutating func addHistogram(_ name: String, _ help: String, bounds: [Int64]) {
    var lines = bounds.enumerated().map { index, bound in
      Line(
        family: name, suffix: "_bucket", labels: [("le", ExpositionText.number(Double(bound) / 1e9))],
        figure: count + index, head: lineCount + index)
    }
    let all = count + bounds.count
    let next = lineCount + bounds.count
    lines.append(Line(family: name, suffix: "_bucket", labels: [("le", "+Inf")], figure: all, head: next))
    lines.append(Line(family: name, suffix: "_sum", figure: all + 1, head: next + 1, isNanoseconds: true))
    lines.append(Line(family: name, suffix: "_count", figure: all, head: next + 2))
    lineCount += lines.count
    families.append(Family(name: name, type: "histogram", help: help, lines: lines))
    cumulative.append(count..<all + 1)
    count = all + 2
  }
}

/// The figures of one row. No figure ever goes back.
///
/// A counter that goes back looks to Prometheus like a restart, and all of it would be counted again. So if a total shrinks,
/// the figure waits until the total has caught up. A total shrinks when the analysis moves octets to another class, or an
/// open message to another API.
struct HighestFigures {
  private(set) var values: [Int]

  init(count: Int) { values = Array(repeating: 0, count: count) }

  /// Takes the current totals.
  mutating func follow(_ totals: [Int], _ cumulative: [Range<Int>]) {
    for index in values.indices { values[index] = max(values[index], totals[index]) }
    for range in cumulative {
      for index in range.dropFirst() { values[index] = max(values[index], values[index - 1]) }
    }
  }
}
