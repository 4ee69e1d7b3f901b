import HTTPReassembly
import Shared
import Tabular

/// The summary for programs: one JSON object (RFC 8259), described in `docs/json.md`.
///
/// `version` changes when a member changes its meaning or goes away; new members do not change it. Lengths are octets, times
/// nanoseconds since the Unix epoch. Unknown values are null. Text from the wire is escaped as in every report.
struct SummaryDocument {
  /// The name of this document's shape.
  static let format = "sniffer-summary"
  /// The version of the shape.
  static let version = 1

  let totals: Totals
  let redaction: Redaction?
  let leftOut: LeftOutRows
  let notes: [String]
  let choices: SummaryChoices
  let facts: RunFacts
  let selection: Selection?
  let written: (folder: String, files: [String])?

  /// The document, with a line break at its end.
  var text: String {
    var json = JSONWriter()
    json.open("{")
    facts.writeHead(to: &json, span: totals.span)
    json.key("where")
    Selection.write(selection, to: &json)
    json.key("totals")
    writeTotals(&json)
    json.key("apis")
    writeAPIs(&json)
    json.key("groups")
    writeGroups(&json)
    RunFacts.write(totals.ledger, to: &json)
    json.key("anomalies")
    writeAnomalies(&json)
    json.key("rows_left_out")
    json.open("{")
    json.integers([
      ("messages", leftOut.messages), ("exchanges", leftOut.exchanges), ("connections", leftOut.connections),
      ("totals", leftOut.totals),
    ])
    json.close("}")
    json.key("notes")
    json.open("[")
    for note in facts.keyLogs + notes { json.escaped(Array(note.utf8)) }
    json.close("]")
    RunFacts.write(written, to: &json)
    json.close("}")
    json.newline()
    return String(decoding: json.octets, as: UTF8.self)
  }

  private func writeTotals(_ json: inout JSONWriter) {
    var sum = APITotals()
    for api in totals.apis { sum.add(api) }
    json.open("{")
    json.integers([
      ("apis", totals.apis.count), ("requests", sum.requests), ("responses", sum.responses),
      ("request_bytes", sum.request.octets.total), ("response_bytes", sum.response.octets.total),
      ("request_ip_bytes", sum.request.ipLength), ("response_ip_bytes", sum.response.ipLength),
      ("ip_bytes", sum.ipLength), ("missing_bytes", sum.missing), ("inferred_bytes", sum.inferred),
      ("status_4xx", sum.status4xx), ("status_5xx", sum.status5xx), ("aborted", sum.aborted),
    ])
    json.close("}")
  }

  /// The default number of rows.
  private var limit: Int { choices.limit(standard: Summary.defaultAPILimit) }

  private func writeAPIs(_ json: inout JSONWriter) {
    let order = choices.arranged(totals, redaction)
    var row = JSONRow(APIRow.columns(choices.apiGrouping), redaction: redaction)
    json.open("{")
    json.key("count")
    json.integer(order.count)
    json.key("rows")
    json.open("[")
    for (position, _) in order.prefix(limit) {
      row.begin()
      APIRow.append(totals.apis[position], texts: totals.texts, grouping: choices.apiGrouping, to: &row)
      row.end()
      json.written(row.octets)
    }
    json.close("]")
    json.close("}")
  }

  private func writeGroups(_ json: inout JSONWriter) {
    guard let grouping = choices.grouping else { return json.null() }
    let groups = choices.arranged(grouping.groups(totals, redaction, isSelected: selection != nil))
    json.open("{")
    json.key("by")
    json.name(grouping.rawValue)
    json.key("count")
    json.integer(groups.count)
    json.key("rows")
    json.open("[")
    for (name, group) in groups.prefix(limit) {
      json.open("{")
      json.key("name")
      // It is escaped already: a backslash in it stands for itself.
      json.literal(Array(name.utf8))
      json.key("connections")
      if grouping.isOfConnections, selection == nil { json.integer(group.connections) } else { json.null() }
      json.integers([
        ("requests", group.requests), ("responses", group.responses), ("up_bytes", group.up),
        ("down_bytes", group.down), ("ip_bytes", group.ipLength),
      ])
      json.close("}")
      json.newline()
    }
    json.close("]")
    json.close("}")
  }

  private func writeAnomalies(_ json: inout JSONWriter) {
    var row = JSONRow(AnomalyRow.columns, redaction: redaction)
    json.open("[")
    for (anomaly, count) in totals.anomalies.all {
      row.begin()
      AnomalyRow.append(anomaly, count, to: &row)
      row.end()
      json.written(row.octets)
    }
    json.close("]")
  }
}

extension RunFacts {
  /// Writes the first members of every summary.
  package func writeHead(to json: inout JSONWriter, span: ClosedRange<Int64>?) {
    json.key("format")
    json.name(SummaryDocument.format)
    json.key("version")
    json.integer(SummaryDocument.version)
    json.key("tool_version")
    json.name(toolVersion)
    json.key("command")
    json.name(command)
    json.key("captures")
    json.open("[")
    for capture in captures { json.escaped(FileName.octets(of: capture)) }
    json.close("]")
    json.key("span")
    if let span {
      json.open("{")
      json.key("first_time")
      json.integer(Int(span.lowerBound))
      json.key("last_time")
      json.integer(Int(span.upperBound))
      json.key("duration_ms")
      json.milliseconds(span.upperBound.subtractingReportingOverflow(span.lowerBound).partialValue)
      json.close("}")
    } else {
      json.null()
    }
  }

  /// Writes the members for the ledger: every figure of `ledger.csv`, and whether it balances.
  package static func write(_ ledger: Ledger, to json: inout JSONWriter) {
    json.key("ledger")
    json.open("{")
    for (name, value) in LedgerRow.rows(ledger) {
      json.key(name)
      json.integer(value)
    }
    json.close("}")
    json.key("balanced")
    json.boolean(ledger.difference == 0)
  }

  /// Writes the member for the reports.
  package static func write(_ written: (folder: String, files: [String])?, to json: inout JSONWriter) {
    json.key("report")
    guard let written else { return json.null() }
    json.open("{")
    json.key("folder")
    json.escaped(Array(written.folder.utf8))
    json.key("files")
    json.open("[")
    for file in written.files { json.escaped(Array(file.utf8)) }
    json.close("]")
    json.close("}")
  }
}

extension JSONWriter {
  /// Writes members that are numbers, in this order.
  fileprivate mutating func integers(_ members: [(name: String, value: Int)]) {
    for (name, value) in members {
      key(name)
      integer(value)
    }
  }
}

extension Selection {
  /// Writes a condition's result as a member of a document; null without one.
  package static func write(_ selection: Selection?, to json: inout JSONWriter) {
    guard let selection else { return json.null() }
    json.open("{")
    json.key("condition")
    if let condition = selection.condition { json.escaped(Array(condition.utf8)) } else { json.null() }
    json.integers([
      ("exchanges", selection.exchanges), ("exchanges_left_out", selection.leftOut),
      ("ip_bytes_left_out", selection.leftOutLength), ("exchanges_not_asked", selection.unasked),
    ])
    json.close("}")
  }
}
