import HTTPReassembly
import Tabular

/// `steps`: one row a step, in order of time. Lengths are octets, times nanoseconds since the Unix epoch.
enum StepRow {
  /// The columns; new ones only at the end, where a new class is, too.
  static let columns: [TableColumn] =
    [
      .integer("step"), .text("label").orUnknown, .time("start"), .time("end"), .integer("packets"),
      .integer("up_bytes"), .integer("down_bytes"), .integer("unknown_bytes"), .integer("bytes"),
    ] + OctetClass.allCases.map { .integer($0.name + "_bytes") }

  /// Writes every row; `write` is called after each.
  static func forEach<Row: RowWriter & ~Copyable>(
    of totals: Totals, _ row: inout Row, _ write: (inout Row) throws(ReportError) -> Void
  ) throws(ReportError) {
    for step in totals.steps {
      row.begin()
      row.integer(step.number)
      row.text(step.label)
      row.time(step.start)
      row.time(step.end)
      row.integer(step.packets)
      for direction: OctetDirection in [.up, .down, .unknown] { row.integer(step[direction]) }
      row.integer(step.total)
      for octetClass in OctetClass.allCases { row.integer(step[octetClass]) }
      row.end()
      try write(&row)
    }
  }
}
