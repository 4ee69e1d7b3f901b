import Foundation
import TrafficProbe

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What many loads of one kind leave in memory, with or without a probe.
struct Memory {
  /// The kinds of loads that a probe treats in different ways.
  enum Kind: String, CaseIterable {
    /// Data tasks with a small response in gzip.
    case gets
    /// Data tasks with a response in gzip and in chunks, which the probe compresses again.
    case chunkedGets = "gzip-chunked"
    /// Data tasks with a body.
    case posts
    /// Download tasks.
    case downloads
    /// Upload tasks.
    case uploads
    /// Data tasks that are redirected once.
    case redirects
    /// Data tasks that fail: nothing listens.
    case refused
    /// Data tasks that are cancelled while their response is on its way.
    case cancelled
  }

  let server: String
  let kind: Kind
  /// How many loads.
  let loads: Int
  /// Octets of a body, where the kind has one.
  let octets: Int
  /// Whether the session has a probe.
  let isProbed: Bool
  /// Whether to load with `URLSession.shared`.
  let isShared: Bool
  private static let atOnce = 4
  /// Loads before anything is measured.
  private static let first = 50

  /// Makes the loads and prints the resident memory, in KiB, before and after them, and its peak.
  func run() async throws {
    let store = FileManager.default.temporaryDirectory.appendingPathComponent("memory-\(UUID().uuidString).sqlite")
    defer { try? FileManager.default.removeItem(at: store) }
    let probe = isProbed ? TrafficProbe(store: store) : nil
    let session: URLSession
    if isShared {
      probe?.registerForSharedSession()
      session = .shared
    } else {
      let configuration = URLSessionConfiguration.ephemeral
      probe?.inject(into: configuration)
      session = URLSession(configuration: configuration)
    }
    let load = self.load
    // What is made once, and the code of it, is there after these.
    _ = await all(load, session, count: Memory.first)
    probe?.flush()
    let before = Memory.resident()
    let answered = await all(load, session, count: loads)
    probe?.flush()
    let after = Memory.resident()
    print("\(loads) \(kind.rawValue), \(answered) answered, ", terminator: "")
    print("\(probe?.statistics.recorded ?? 0) records, \(probe?.statistics.dropped ?? 0) dropped: ", terminator: "")
    print("\(before.now) KiB before, \(after.now) KiB after, \(after.peak) KiB at most")
  }

  private var load: Load {
    switch kind {
    case .gets: Load(path: "/gzip/\(octets)")
    case .chunkedGets: Load(path: "/gzip-chunked/\(octets)")
    case .posts: Load(method: "POST", path: "/take", body: Data(count: octets))
    case .downloads: Load(path: "/bytes/\(octets)", isDownload: true)
    case .uploads: Load(method: "POST", path: "/take", body: Data(count: octets), isUpload: true)
    case .redirects: Load(path: "/redirect/302/1")
    case .refused: Load(path: "/")
    case .cancelled: Load(path: "/slow", cancelling: .after(0.005))
    }
  }

  /// Makes the loads, some at once.
  /// - Returns: how many were answered.
  private func all(_ load: Load, _ session: URLSession, count: Int) async -> Int {
    let server = kind == .refused ? Stress.nobody : server
    return await withTaskGroup(of: Int?.self) { group in
      var answered = 0
      for number in 0..<count {
        if number >= Memory.atOnce, let status = await group.next(), status != nil { answered += 1 }
        group.addTask { await load.run(server, session) }
      }
      for await status in group where status != nil { answered += 1 }
      return answered
    }
  }

  /// The resident memory of this process in KiB, now and at most; zeros where the system has no `/proc`.
  private static func resident() -> (now: Int, peak: Int) {
    let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    func value(_ name: String) -> Int {
      let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
      return line?.split { " \t".contains($0) }.lazy.compactMap { Int($0) }.first ?? 0
    }
    return (value("VmRSS"), value("VmHWM"))
  }
}
