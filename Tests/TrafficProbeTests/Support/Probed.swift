import Foundation

@testable import TrafficProbe

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A session with a probe, both of their own.
struct Probed {
  let probe: TrafficProbe
  let session: URLSession

  init(
    store: URL? = nil, options: ProbeOptions = ProbeOptions(), delegate: (any URLSessionDelegate)? = nil,
    _ change: (URLSessionConfiguration) -> Void = { _ in }
  ) {
    probe = TrafficProbe(store: store, options: options)
    let configuration = URLSessionConfiguration.ephemeral
    change(configuration)
    probe.inject(into: configuration)
    session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
  }

  /// The records, once there are this many: those of a cancelled load come after the app was told.
  func records(count: Int) async throws -> [TrafficRecord] {
    try await wait { probe.statistics.recorded >= count }
    return try probe.records()
  }
}

/// A folder that is removed with this value.
final class Folder {
  let url = FileManager.default.temporaryDirectory.appendingPathComponent("probe-\(UUID().uuidString)")

  init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String) -> URL { url.appendingPathComponent(name) }
}
