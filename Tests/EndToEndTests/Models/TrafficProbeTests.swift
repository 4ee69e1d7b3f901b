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

  /// Those that count at the socket, where HTTP/2 has encoded fields.
  private static let namesAtSocket: Set = ["urlsession_metrics", "har_chrome"]

  /// What an app can know of messages on HTTP/2, by their numbers: their parts in the spelling of HTTP/1.1. No app is told what its
  /// fields cost compressed, nor frame headers.
  private func spelled(_ capture: CaptureFile) throws -> [String: [Int]] {
    var spelled: [String: [Int]] = [:]
    for row in try FileAnalysis.of(capture).report.messages.rows where row["stream"] != "" {
      guard row["expanded_header_bytes"] != "" else { continue }
      let parts = ["expanded_start_line_bytes", "expanded_header_bytes", "body_bytes"].map { row.integer($0) } + [0]
      spelled[row["message"]] = parts + [parts.reduce(0, +)]
    }
    return spelled
  }

  private func sizes(_ capture: CaptureFile) throws -> [String: Sizes] {
    let rows = try ModelsRun.of(capture).messages.rows
    let spelled = try spelled(capture)
    var sizes: [String: Sizes] = [:]
    /// The errors of the parts and of the total.
    func errors(_ row: CSVFile.Row) -> [Int] {
      guard let truth = spelled[row["message"]], !Self.namesAtSocket.contains(row["model"]) else {
        return ModelsRun.parts.map { row.integer("\($0)_error") }
      }
      return zip(ModelsRun.parts, truth).map { row.integer("\($0)_estimate") - $1 }
    }
    for start in stride(from: 0, to: rows.count, by: ModelsRun.names.count) {
      let figures = rows[start..<start + ModelsRun.names.count].map { row -> (total: Int, parts: Int)? in
        guard row["total_estimate"] != "" else { return nil }
        let errors = errors(row)
        return (abs(errors[4]), errors.dropLast().reduce(0) { $0 + abs($1) })
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

  /// Of every capture, no model that sees what a URLProtocol sees is nearer: to the wire over HTTP/1, and over HTTP/2 to what the
  /// message is in the spelling of HTTP/1.1. Of all captures together it is by far the nearest of them, and part by part the nearest
  /// of all models: only task metrics and Chrome's HAR, which count at the socket, have nearer totals.
  @Test func isTheNearestInsideAnApp() throws {
    var all: [String: Sizes] = [:]
    let browsers = ["chromium-h2", "okhttp-h2"].map { name in
      CaptureFile(name: name, url: Corpus.folder.appendingPathComponent("verify/\(name)/capture.pcapng.gz"))
    }
    for capture in Corpus.captures + browsers {
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
        (sizes.total.probe < sizes.total.other) == !Self.namesAtSocket.contains(name), "\(name)")
      if ModelsRun.namesInURLProtocol.contains(name) { #expect(sizes.total.probe * 10 < sizes.total.other, "\(name)") }
    }
  }
}
