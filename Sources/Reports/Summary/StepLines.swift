import HTTPReassembly
import Tabular

/// The summary's table of the steps between marks. Labels are escaped.
struct StepLines {
  /// The largest number of steps in the table; `steps.csv` has all.
  private static let limit = 100
  private let steps: [StepTotals]

  init(_ steps: [StepTotals]) { self.steps = steps }

  /// The lines; none without marks.
  func lines(width: Int, colour: Bool) -> [String] {
    guard !steps.isEmpty else { return [] }
    let sum = steps.reduce(0) { $0 + $1.total }
    var table = TextTable(columns: [
      .init(title: "step", isRight: false, minimum: min(max(width * 2 / 5, 12), 32)),
      .init(title: "packets", importance: 1), .init(title: "up", importance: 2), .init(title: "down", importance: 3),
      .init(title: "bytes"), .init(title: "share", importance: 0),
    ])
    func add(_ name: String, _ steps: ArraySlice<StepTotals>, _ style: Style) {
      let octets = steps.reduce(0) { $0 + $1.total }
      table.rows.append(
        (
          [
            name, Numerals.grouped(steps.reduce(0) { $0 + $1.packets }),
            Numerals.grouped(steps.reduce(0) { $0 + $1[.up] }), Numerals.grouped(steps.reduce(0) { $0 + $1[.down] }),
            Numerals.grouped(octets), Numerals.percent(octets, of: sum),
          ], style
        ))
    }
    for index in steps.indices.prefix(Self.limit) { add(steps[index].name, steps[index...index], .plain) }
    let rest = steps.dropFirst(Self.limit)
    if !rest.isEmpty { add("… and \(Numerals.grouped(rest.count)) more", rest, .faint) }
    add("total", steps[...], .heading)
    return table.lines(width: width, colour: colour)
  }
}

extension StepTotals {
  /// The label for people, escaped.
  var name: String {
    if number == 0 { return "(before the first mark)" }
    return label.isEmpty ? "(no label)" : TextEscaping.string(label)
  }
}
