import Estimates
import HTTPReassembly
import Reports
import Tabular

/// The output of `sniffer models` for programs: one JSON object (RFC 8259), described in `docs/json.md`. Its head, its ledger and
/// its facts about reports are the same in every summary.
struct ModelDocument {
  let errors: ModelErrors
  /// The positions of its models, in their order.
  let shown: [Int]
  let totals: Totals
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
    json.key("apis")
    json.integer(errors.apis.count)
    json.key("models")
    json.open("[")
    for position in shown {
      json.open("{")
      json.key("model")
      json.name(errors.models[position].rawValue)
      json.key("requests")
      Self.write(errors.requests[position], to: &json)
      json.key("responses")
      Self.write(errors.responses[position], to: &json)
      json.close("}")
      json.newline()
    }
    json.close("]")
    json.key("messages_counted_by_host")
    json.integer(errors.messagesBeyondLimit)
    RunFacts.write(totals.ledger, to: &json)
    RunFacts.write(written, to: &json)
    json.close("}")
    json.newline()
    return String(decoding: json.octets, as: UTF8.self)
  }

  private static func write(_ overall: ModelErrors.Overall, to json: inout JSONWriter) {
    let sums = overall.sums
    json.open("{")
    json.key("messages")
    json.integer(sums.messages)
    json.key("unknown")
    json.integer(sums.unknown)
    for (name, lengths) in [("wire", sums.wire), ("estimate", sums.estimate), ("error", sums.error)] {
      json.key(name)
      json.open("{")
      for part in MessagePart.allCases {
        json.key("\(part)_bytes")
        json.integer(lengths[part])
      }
      json.close("}")
    }
    json.key("worst_error")
    if sums.worst.number == nil { json.null() } else { json.integer(sums.worst.error) }
    json.key("worst_message")
    json.integer(orNull: sums.worst.number)
    json.close("}")
  }
}
