import Foundation
import TrafficProbe

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Loads with `URLSession.shared`, before and after the probe is stopped: in a process that has not used that session
/// before, because on Linux it asks for registered protocols only once.
struct SharedSession {
  let server: String

  func run() async throws {
    guard let url = URL(string: server + "/bytes/3") else { return }
    let probe = TrafficProbe(store: nil)
    let isRegistered = probe.registerForSharedSession()
    let metered = try await URLSession.shared.data(from: url).0.count
    // A load is recorded before the app has its data.
    let recorded = probe.statistics.recorded
    probe.stop()
    let unmetered = try await URLSession.shared.data(from: url).0.count
    print("registered \(isRegistered), \(metered) octets with \(recorded) records, ", terminator: "")
    print("\(unmetered) octets with \(probe.statistics.recorded - recorded) more")
  }
}
