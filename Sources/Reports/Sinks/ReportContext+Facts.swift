import HTTPReassembly
import Tabular

extension ReportContext {
  /// What a report says of how it was made, a name and a value each. Nothing in it depends on when or where the analysis ran.
  var facts: [(name: String, value: String)] {
    let keys =
      ["host"] + (grouping.path ? ["path"] : []) + (grouping.method ? ["method"] : [])
      + (grouping.process ? ["process"] : [])
    let facts = [
      ("tool", "sniffer"), ("tool_version", toolVersion), ("grouping", keys.joined(separator: ",")),
      ("redacted", redaction == nil ? "0" : "1"), ("template", choices.template), ("options", choices.options),
    ]
    // A filter may have an address.
    guard redaction == nil else { return facts }
    return facts + [("filter", TextEscaping.string(Array(choices.filter.utf8)))]
  }
}
