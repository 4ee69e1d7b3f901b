import HTTPReassembly
import Tabular

extension Totals {
  /// A notice for people about segments that have too many values for an API each; nil without such segments.
  package func foldedSegmentText(_ redaction: Redaction?) -> String? {
    guard !foldedSegments.isEmpty else { return nil }
    var names = foldedSegments.prefix(3).map { APIKey(host: $0.host, path: $0.path).redacted(redaction).text }
    if foldedSegments.count > 3 { names.append("\(Numerals.grouped(foldedSegments.count - 3)) more") }
    return "paths with a segment of too many values are {…} behind the first ones: " + names.joined(separator: ", ")
  }
}
