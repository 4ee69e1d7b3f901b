/// How many rows of an oracle are equal, by class of capture.
struct Agreement {
  private struct Count {
    var files: Set<String> = []
    var rows = 0
    var equal = 0
    var listed = 0

    /// Rounded down, so that 100.00 % means every row.
    var rate: String {
      guard rows > 0 else { return "-" }
      let rate = equal * 10_000 / rows
      return "\(rate / 100).\(rate % 100 / 10)\(rate % 10) %"
    }
  }

  private let title: String
  private var counts: [String: Count] = [:]

  /// No rows yet.
  init(title: String) { self.title = title }

  /// Counts rows of one capture: all, those without a disagreement, and those whose disagreements are all listed.
  mutating func add(file: String, rows: Int, equal: Int, listed: Int) {
    let name = Corpus.className(of: file)
    counts[name, default: Count()].files.insert(file)
    counts[name, default: Count()].rows += rows
    counts[name, default: Count()].equal += equal
    counts[name, default: Count()].listed += listed
  }

  /// Counts one row.
  mutating func add(file: String, _ disagreements: [Disagreement], known: KnownDisagreements) {
    let isListed = !disagreements.isEmpty && disagreements.allSatisfy(known.contains)
    add(file: file, rows: 1, equal: disagreements.isEmpty ? 1 : 0, listed: isListed ? 1 : 0)
  }

  /// The table, one line a class and one for all.
  var table: String {
    var total = Count()
    var lines = ["", title, Self.line("class", "files", "rows", "equal", "listed", "other", "rate")]
    for (name, count) in counts.sorted(by: { $0.key < $1.key }) {
      lines.append(Self.line(name, count))
      total.files.formUnion(count.files)
      total.rows += count.rows
      total.equal += count.equal
      total.listed += count.listed
    }
    lines.append(Self.line("all", total))
    return lines.joined(separator: "\n") + "\n"
  }

  private static func line(_ name: String, _ count: Count) -> String {
    line(
      name, "\(count.files.count)", "\(count.rows)", "\(count.equal)", "\(count.listed)",
      "\(count.rows - count.equal - count.listed)", count.rate)
  }

  private static func line(_ name: String, _ fields: String...) -> String {
    let padding = String(repeating: " ", count: max(16 - name.count, 1))
    return "  " + name + padding
      + fields.map { String(repeating: " ", count: max(9 - $0.count, 1)) + $0 }.joined()
  }
}
