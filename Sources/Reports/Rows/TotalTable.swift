import HTTPReassembly
import Tabular

/// The tables that are made of totals, and so are replaced whole, by their names.
enum TotalTable: String, CaseIterable {
  case apis
  case hosts
  case timeline
  case steps
  case contents
  case fields
  case ledger
  case anomalies

  /// The tables that no other table's rows lead to: NDJSON has them besides its messages.
  static let refinements: [TotalTable] = [.hosts, .timeline, .steps, .contents, .fields]

  /// Whether every row is written, whatever `RowAllowance` says. Sums over APIs and hosts are those of the ledger, and `diff` compares them:
  /// one that is missing would be taken for one that is gone.
  var isNeeded: Bool {
    switch self {
    case .apis, .hosts, .steps, .ledger, .anomalies: true
    case .timeline, .contents, .fields: false
    }
  }

  /// The columns.
  func columns(_ grouping: Configuration.Grouping) -> [TableColumn] {
    switch self {
    case .apis: APIRow.columns(grouping)
    case .hosts: HostRow.columns
    case .timeline: TimelineRow.columns
    case .steps: StepRow.columns
    case .contents: ContentRow.columns(grouping)
    case .fields: FieldRow.columns(grouping)
    case .ledger: LedgerRow.columns
    case .anomalies: AnomalyRow.columns
    }
  }

  /// Writes every row; `write` is called after each.
  func forEach<Row: RowWriter & ~Copyable>(
    of totals: Totals, grouping: Configuration.Grouping, _ row: inout Row,
    _ write: (inout Row) throws(ReportError) -> Void
  ) throws(ReportError) {
    switch self {
    case .apis: try APIRow.forEach(of: totals, grouping: grouping, &row, write)
    case .hosts: try HostRow.forEach(of: totals, &row, write)
    case .timeline: try TimelineRow.forEach(of: totals, &row, write)
    case .steps: try StepRow.forEach(of: totals, &row, write)
    case .contents: try ContentRow.forEach(of: totals, grouping: grouping, &row, write)
    case .fields: try FieldRow.forEach(of: totals, grouping: grouping, &row, write)
    case .ledger: try LedgerRow.forEach(of: totals.ledger, &row, write)
    case .anomalies: try AnomalyRow.forEach(of: totals.anomalies, &row, write)
    }
  }
}
