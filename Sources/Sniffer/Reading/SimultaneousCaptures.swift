import Capture
import HTTPReassembly
import Reports

/// Finds captures of one run that were made at the same time, for a line that says so: what both have counts twice.
struct SimultaneousCaptures {
  /// What people are told, if there are such captures.
  private(set) var note: String?
  private var first: Int64?
  private var last: Int64?
  /// The capture that ended last, and the one that is being read.
  private var latest = ""
  private var current = ""

  /// A capture ends with a packet at `last`, and the next one, with a name, begins with one at `first`; in nanoseconds since the Unix epoch.
  mutating func begin(_ name: String, at start: Int64?, after end: Int64?) {
    if let end, end > last ?? .min { (last, latest) = (end, current) }
    current = name
    guard let start else { return }
    defer { first = first ?? start }
    guard let first, let last, start < last else { return }
    let whole = last.subtractingReportingOverflow(first)
    // Files that were rotated share a moment.
    guard whole.overflow || last - start > min(CaptureSeries.overlap, whole.partialValue / 2) else { return }
    let shared = RunFacts.duration(start...last)
    note =
      note
      ?? "\(name) begins \(shared) before \(latest) ends: packets that both have count twice; --deduplicate counts each once"
  }
}
