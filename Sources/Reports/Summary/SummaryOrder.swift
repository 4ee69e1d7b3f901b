import HTTPReassembly
import Tabular

/// The number of rows in the tables of the summary, and their order (`--top`, `--sort`, `--by`).
public struct SummaryChoices: Sendable {
  /// The grouping of traffic; nil for APIs.
  public var grouping: SummaryGrouping?
  /// The column that rows are sorted by; nil for `ip_bytes`.
  public var sort: String?
  /// The largest number of rows; 0 for all, nil for the number that fits.
  public var top: Int?
  /// The grouping of APIs, which decides on their columns.
  public var apiGrouping: Configuration.Grouping
  /// Whether the table of APIs groups paths by template where most of them look alike.
  public var groupsLookAlikes = false

  /// By default, the APIs with the most bytes that fit.
  public init(
    grouping: SummaryGrouping? = nil, sort: String? = nil, top: Int? = nil,
    apiGrouping: Configuration.Grouping = Configuration().grouping
  ) {
    self.grouping = grouping
    self.sort = sort
    self.top = top
    self.apiGrouping = apiGrouping
  }

  /// The columns that rows can be sorted by: those of `apis.csv` and the sums of both directions, or the groups' columns.
  public var columns: [String] {
    guard let grouping else { return APIRow.columns(apiGrouping).map(\.name) + APISum.allCases.map(\.rawValue) }
    return [grouping.rawValue, "connections", "requests", "responses", "up_bytes", "down_bytes", Self.standard]
  }

  /// The fault of the column to sort by; nil for a valid column.
  public var fault: String? {
    guard let sort, let column, !columns.contains(column) else { return nil }
    return Self.fault(of: sort, among: (grouping == nil ? Self.headings : Array(Self.headings.prefix(3))) + columns)
  }

  /// The headings of the summary's tables that rows can be sorted by, besides names of columns. Groups have the first three.
  private static let headings = ["total", "up", "down", "header", "p95"]

  /// The name of the column to sort by, where `sort` may be a heading of the summary.
  var column: String? {
    guard let sort, !columns.contains(sort) else { return sort }
    let isByGroup = grouping != nil
    switch sort.lowercased() {
    case "total", "share", "bytes": return Self.standard
    case "up": return isByGroup ? "up_bytes" : "request_ip_bytes"
    case "down": return isByGroup ? "down_bytes" : "response_ip_bytes"
    case "up_bytes": return "request_ip_bytes"
    case "down_bytes": return "response_ip_bytes"
    case "header", "headers": return APISum.header.rawValue
    case "body": return APISum.body.rawValue
    case "p50": return "wait_ms_p50"
    case "p95", "wait", "wait_p95": return "wait_ms_p95"
    case "api", "name": return grouping?.rawValue ?? "host"
    default: return sort
    }
  }

  /// The fault of a column's name, which should be in `columns`; nil for a valid name.
  package static func fault(of sort: String, among columns: [String]) -> String? {
    if columns.contains(sort) { return nil }
    let near = columns.map { (name: $0, distance: EditDistance.between(sort, $0)) }.min { $0.distance < $1.distance }
    let name = TextEscaping.string(Array(sort.utf8)).shortened(to: 60)
    let hint = near.flatMap { $0.distance <= 3 ? "; did you mean \($0.name)?" : nil } ?? "."
    return "there is no column '\(name)'\(hint) The columns are \(columns.joined(separator: ", "))."
  }

  /// The default column that rows are sorted by: bytes both ways.
  static let standard = "ip_bytes"

  /// The number of shown rows: `standard` unless `top` says otherwise.
  func limit(standard: Int) -> Int { top.map { $0 == 0 ? .max : $0 } ?? standard }

  /// The positions of APIs in their order. Each has the cell that it is sorted by if the table lacks that column.
  func arranged(_ totals: Totals, _ redaction: Redaction?) -> [(position: Int, cell: Cell)] {
    let sort = column
    let column = sort.flatMap { name in APIRow.columns(apiGrouping).firstIndex { $0.name == name } }
    let sum = sort.flatMap { APISum(rawValue: $0) } ?? .ip
    let cells = totals.apis.map { api in
      guard let column else { return Cell.integer(APICounts(api)[sum]) }
      var reader = CellReader([column], of: APIRow.columns(apiGrouping).count, redaction: redaction)
      reader.begin()
      APIRow.append(api, texts: totals.texts, grouping: apiGrouping, to: &reader)
      return reader.cells[column]
    }
    return Self.sorted(cells)
  }

  /// The groups in their order.
  func arranged(_ groups: [(name: String, totals: GroupTotals)]) -> [(name: String, totals: GroupTotals)] {
    guard let sort = column, sort != Self.standard else { return groups }
    let cells = groups.map { name, totals -> Cell in
      switch sort {
      case "connections": .integer(totals.connections)
      case "requests": .integer(totals.requests)
      case "responses": .integer(totals.responses)
      case "up_bytes": .integer(totals.up)
      case "down_bytes": .integer(totals.down)
      default: .text(Array(name.utf8))
      }
    }
    return Self.sorted(cells).map { groups[$0.position] }
  }

  /// Positions of cells in their order; equal cells keep their order.
  private static func sorted(_ cells: [Cell]) -> [(position: Int, cell: Cell)] {
    cells.indices.sorted { a, b in
      if cells[a].precedes(cells[b]) { return true }
      return !cells[b].precedes(cells[a]) && a < b
    }.map { ($0, cells[$0]) }
  }
}
