import Estimates
import HTTPReassembly
import Reports
import Tabular

/// The output of `sniffer verify` for programs: one JSON object (RFC 8259), described in `docs/json.md`.
struct VerifyDocument {
  let known: VerifyCoverage
  let totals: Totals
  let facts: RunFacts
  let redaction: Redaction?
  let written: (folder: String, files: [String])?

  private var summary: VerificationSummary { known.summary }

  /// The document, with a line break at its end.
  var text: String {
    var json = JSONWriter()
    json.open("{")
    facts.writeHead(to: &json, span: totals.span)
    json.key("verdict")
    json.escaped(Array(known.verdict.utf8))
    json.key("exact")
    json.boolean(known.isExact)
    Self.write("warnings", known.warnings, to: &json)
    json.key("matched")
    json.open("{")
    for (name, balance) in known.balances {
      json.key(name.replacing(" ", with: "_").replacing("-", with: "_"))
      Self.write(balance, to: &json)
    }
    json.close("}")
    for (name, balance) in [
      ("not_on_wire", summary.appOnly), ("not_in_log", summary.wireOnly), ("other_hosts", summary.otherHosts),
      ("ambiguous", summary.ambiguous),
    ] {
      json.key(name)
      Self.write(balance, to: &json)
    }
    Self.write("readings", known.readings, to: &json)
    json.key("causes")
    json.open("[")
    for total in summary.causes { Self.write(total, to: &json) }
    json.close("]")
    json.key("unexplained")
    json.open("[")
    for figure in known.unexplainedFigures(redaction) { Self.write(figure, to: &json) }
    json.close("]")
    json.key("unexplained_messages")
    json.integer(summary.unexplainedRows.count)
    json.key("unexplained_bytes")
    json.integer(summary.unexplained)
    json.key("bias_percent")
    if let bias = summary.bias ?? summary.partsBias {
      json.thousandths(Int((max(min(bias, 1e9), -1e9) * 100_000).rounded()))
    } else {
      json.null()
    }
    Self.write("notes", known.lines + known.phases + facts.keyLogs, to: &json)
    RunFacts.write(totals.ledger, to: &json)
    RunFacts.write(written, to: &json)
    json.close("}")
    json.newline()
    return String(decoding: json.octets, as: UTF8.self)
  }

  private static func write(_ name: String, _ sentences: [String], to json: inout JSONWriter) {
    json.key(name)
    json.open("[")
    for sentence in sentences { json.escaped(Array(sentence.utf8)) }
    json.close("]")
  }

  private static func write(_ balance: VerificationSummary.Balance, to json: inout JSONWriter) {
    json.open("{")
    for (name, value) in [
      ("messages", balance.count), ("app_bytes", balance.app), ("wire_bytes", balance.wire),
      ("difference", balance.difference), ("unexplained_bytes", balance.unexplained),
    ] {
      json.key(name)
      json.integer(value)
    }
    json.close("}")
    json.newline()
  }

  private static func write(_ total: VerificationSummary.CauseTotal, to json: inout JSONWriter) {
    json.open("{")
    json.key("cause")
    json.escaped(Array(total.cause.name.utf8))
    json.key("messages")
    json.integer(total.rows)
    json.key("bytes")
    json.integer(total.cause.octets)
    json.key("remedy")
    if let remedy = total.cause.kind.remedy { json.escaped(Array(remedy.utf8)) } else { json.null() }
    json.close("}")
    json.newline()
  }

  private static func write(_ figure: UnexplainedFigure, to json: inout JSONWriter) {
    json.open("{")
    json.key("row")
    json.integer(orNull: figure.row)
    json.key("type")
    json.name(figure.type)
    json.key("host")
    json.escaped(figure.host)
    json.key("path")
    json.escaped(figure.path)
    json.key("figure")
    json.name(figure.figure)
    json.key("app_bytes")
    json.integer(orNull: figure.app)
    json.key("wire_bytes")
    json.integer(orNull: figure.wire)
    json.key("unexplained_bytes")
    json.integer(figure.unexplained)
    json.close("}")
    json.newline()
  }
}
