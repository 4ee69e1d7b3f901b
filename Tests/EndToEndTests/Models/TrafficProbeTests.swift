import TestSupport
import Testing

/// TrafficProbe is nearer to the wire than every other model that an app can compute.
@Suite struct TrafficProbeTests {
  /// The sizes of a model's errors beside those of TrafficProbe, over the messages that both say something of: of whole
  /// messages, and of their parts.
  private struct Sizes {
    var total = (other: 0, probe: 0)
    var parts = (other: 0, probe: 0)
  }

  private func sizes(_ capture: CaptureFile) throws -> [String: Sizes] {
    let rows = try ModelsRun.of(capture).messages.rows
    var sizes: [String: Sizes] = [:]
    for start in stride(from: 0, to: rows.count, by: ModelsRun.names.count) {
      let figures = rows[start..<start + ModelsRun.names.count].map { row -> (total: Int, parts: Int)? in
        guard row["total_estimate"] != "" else { return nil }
        return (
          abs(row.integer("total_error")),
          ModelsRun.parts.dropLast().reduce(0) { $0 + abs(row.integer("\($1)_error")) }
        )
      }
      guard let probe = figures.last ?? nil else { continue }
      for (name, other) in zip(ModelsRun.names.dropLast(), figures) {
        guard let other else { continue }
        sizes[name, default: Sizes()].total.other += other.total
        sizes[name, default: Sizes()].total.probe += probe.total
        sizes[name, default: Sizes()].parts.other += other.parts
        sizes[name, default: Sizes()].parts.probe += probe.parts
      }
    }
    return sizes
  }

  /// Of every capture of HTTP/1, no model that sees what a URLProtocol sees is nearer. Of all captures together it is by far the
  /// nearest of them, and part by part the nearest of all models: only task metrics and Chrome's HAR, which count at the
  /// socket, have nearer totals.
  @Test func isTheNearestInsideAnApp() throws {
    var all: [String: Sizes] = [:]
    // What apps see of HTTP/2 is spelt as HTTP/1, and no monitor knows what its fields cost compressed.
    for capture in Corpus.captures where !capture.name.hasPrefix("http2") {
      for (name, sizes) in try sizes(capture) {
        if ModelsRun.namesInURLProtocol.contains(name) {
          #expect(sizes.total.probe <= sizes.total.other, "\(name) of \(capture.name)")
        }
        all[name, default: Sizes()].total.other += sizes.total.other
        all[name, default: Sizes()].total.probe += sizes.total.probe
        all[name, default: Sizes()].parts.other += sizes.parts.other
        all[name, default: Sizes()].parts.probe += sizes.parts.probe
      }
    }
    #expect(Set(all.keys) == Set(ModelsRun.names.dropLast()))
    for (name, sizes) in all {
      #expect(sizes.parts.probe < sizes.parts.other, "\(name)")
      #expect(
        (sizes.total.probe < sizes.total.other) == !["urlsession_metrics", "har_chrome"].contains(name), "\(name)")
      if ModelsRun.namesInURLProtocol.contains(name) { #expect(sizes.total.probe * 10 < sizes.total.other, "\(name)") }
    }
  }
}
