import Foundation
import TrafficProbe

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Measures the cost of the probe: the same requests with and without it, in turns, so that both meet the same machine.
struct Benchmark {
  let server: String
  /// Requests in each turn.
  let requests: Int
  private static let turns = 7

  init(server: String, requests: Int) {
    self.server = server
    self.requests = requests
  }

  func run() async throws {
    guard let url = URL(string: server + "/bytes/1000") else { return }
    let store = FileManager.default.temporaryDirectory.appendingPathComponent("benchmark-\(UUID().uuidString).sqlite")
    defer { try? FileManager.default.removeItem(at: store) }
    let probe = TrafficProbe(store: store)
    let probed = URLSessionConfiguration.ephemeral
    probe.inject(into: probed)
    let sessions = [URLSession(configuration: .ephemeral), URLSession(configuration: probed)]
    for session in sessions { _ = try await turn(url, session) }
    var times: [[Double]] = [[], []]
    for turn in 0..<Benchmark.turns {
      for index in turn.isMultiple(of: 2) ? [0, 1] : [1, 0] {
        times[index].append(try await self.turn(url, sessions[index]))
      }
    }
    let (plain, with) = (median(times[0]), median(times[1]))
    probe.flush()
    print(
      "\(requests) GET of 1000 octets a turn, one after the other, \(Benchmark.turns) turns each; medians per request:")
    print(
      String(format: "without %.1f us, with %.1f us: %.1f us more, ratio %.3f", plain, with, with - plain, with / plain)
    )
    print("records: \(probe.statistics.written) written, \(probe.statistics.dropped) dropped")
  }

  /// Microseconds per request.
  private func turn(_ url: URL, _ session: URLSession) async throws -> Double {
    let start = DispatchTime.now().uptimeNanoseconds
    for _ in 0..<requests { _ = try await session.data(from: url) }
    return Double(DispatchTime.now().uptimeNanoseconds - start) / 1000 / Double(requests)
  }

  private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
