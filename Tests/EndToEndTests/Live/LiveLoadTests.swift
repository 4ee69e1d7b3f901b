import Foundation
import Testing

/// Load and soak, only when asked for with `SNIFFER_LOAD=1`: `captures/record/live-load` drives them and prints figures.
@Suite(
  .enabled(if: ProcessInfo.processInfo.environment["SNIFFER_LOAD"] != nil, "runs only with SNIFFER_LOAD=1"),
  .serialized)
struct LiveLoadTests {
  /// No packet is dropped at a rate that tcpdump holds; the figures are printed.
  @Test func thirtySecondsOfLoad() throws {
    guard let figures = try figures("thirtySecondsOfLoad", ["30", "0"]) else { return }
    #expect(figures["sniffer_csv_status"] == "0" && figures["sniffer_csv_difference"] == "0")
    let dropped = try #require(figures["sniffer_csv_dropped_packets"].flatMap(Int.init))
    let byTcpdump = try #require(figures["tcpdump_dropped_packets"].flatMap(Int.init))
    #expect(dropped <= byTcpdump)
  }

  /// Memory stays flat after the first tenth of many short connections: within a tenth of what it was then.
  @Test func soak() throws {
    let count = ProcessInfo.processInfo.environment["SNIFFER_SOAK"] ?? "100000"
    guard let figures = try figures("soak", ["0", count]) else { return }
    #expect(figures["soak_status"] == "0" && figures["soak_difference"] == "0")
    let samples = (figures["soak_rss_kib"] ?? "").split(separator: ",")
      .map { $0.split(separator: " ").compactMap { Int($0) } }.filter { $0.count == 2 }
    let last = try #require(samples.last)
    let first = try #require(samples.first { $0[0] >= last[0] / 10 })
    #expect(last[1] <= first[1] + first[1] / 10 + 4096, "from \(first[1]) KiB to \(last[1]) KiB")
  }

  /// What the script prints; a name that comes more than once has its values in a list.
  private func figures(_ test: String, _ arguments: [String]) throws -> [String: String]? {
    let script = Corpus.folder.appendingPathComponent("record/live-load")
    let process = try RunningCommand(script, [Sniffer.url.path] + arguments)
    let outcome = try process.wait(upTo: 1200)
    if outcome.status == 77 {
      Environment.skip(test, because: outcome.errorLines.last ?? "")
      return nil
    }
    try #require(outcome.status == 0, "\(outcome.error)")
    print(outcome.output)
    let pairs = outcome.outputLines.compactMap { line in
      line.firstIndex(of: " ").map { (String(line[..<$0]), String(line[line.index(after: $0)...])) }
    }
    return Dictionary(pairs) { "\($0),\($1)" }
  }
}
