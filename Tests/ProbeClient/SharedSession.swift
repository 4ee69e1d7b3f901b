import Foundation
import TrafficProbe

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Loads with `URLSession.shared`, before and after the probe is stopped. The process must not have used that session before,
/// because on Linux it asks for registered protocols only once.
struct SharedSession {
  let server: String

  func run() async throws {
    guard let url = URL(string: server + "/bytes/3") else { return }
    let probe = TrafficProbe(store: nil)
    let isRegistered = probe.registerForSharedSession()
    let metered = try await URLSession.shared.data(from: url).0.count
    // The app may have its data before the records are counted.
    for _ in 0..<1200 where probe.statistics.recorded < 2 { try await Task.sleep(nanoseconds: 50_000_000) }
    let recorded = probe.statistics.recorded
    probe.stop()
    let unmetered = try await URLSession.shared.data(from: url).0.count
    try await Task.sleep(nanoseconds: 200_000_000)
    print("registered \(isRegistered), \(metered) octets with \(recorded) records, ", terminator: "")
    print("\(unmetered) octets with \(probe.statistics.recorded - recorded) more")
  }
}
