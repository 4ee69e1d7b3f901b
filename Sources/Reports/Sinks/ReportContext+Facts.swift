import HTTPReassembly
import Tabular

extension ReportContext {
  /// A report's facts about its making, a name and a value each. No fact depends on the time or place of the analysis.
  var facts: [(name: String, value: String)] {
    let keys =
      ["host"] + (grouping.path ? ["path"] : []) + (grouping.method ? ["method"] : [])
      + (grouping.process ? ["process"] : [])
    let facts = [
      ("tool", "sniffer"), ("tool_version", toolVersion), ("grouping", keys.joined(separator: ",")),
      ("redacted", redaction == nil ? "0" : "1"), ("template", choices.template), ("options", choices.options),
    ]
    // A filter may contain an address.
    guard redaction == nil else { return facts }
    return facts + [("filter", TextEscaping.string(Array(choices.filter.utf8)))]
  }
}
