import Capture
import HTTPReassembly
import Reports

/// Finds captures of one run from the same time, for a notice: packets in both count twice.
struct SimultaneousCaptures {
  /// The notice, if there are such captures.
  private(set) var note: String?
  private var first: Int64?
  private var last: Int64?
  /// The capture that ended last, and the current one.
  private var latest = ""
  private var current = ""

  /// Notes that a capture ended with a packet at `end`, and the capture `name` begins with one at `start`. Times are nanoseconds
  /// since the Unix epoch.
  mutating func begin(_ name: String, at start: Int64?, after end: Int64?) {
    if let end, end > last ?? .min { (last, latest) = (end, current) }
    current = name
    guard let start else { return }
    defer { first = first ?? start }
    guard let first, let last, start < last else { return }
    let whole = last.subtractingReportingOverflow(first)
    // A stream is not in the order of time: its start may be further away than a number can say.
    let shared = last.subtractingReportingOverflow(start)
    // Rotated files overlap for a moment.
    guard
      whole.overflow || shared.overflow || shared.partialValue > min(CaptureSeries.overlap, whole.partialValue / 2)
    else { return }
    let length = RunFacts.duration(start...last)
    note =
      note
      ?? "\(name) begins \(length) before \(latest) ends: packets that both have count twice; --deduplicate counts each once"
  }
}
