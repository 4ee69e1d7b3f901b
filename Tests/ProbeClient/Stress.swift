import Foundation
import TrafficProbe

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Loads that are cancelled at random moments, many at once: before they start, on their way, and when they are about to end.
///
/// The app must hear of each one once: a second time ends the process, a missing time keeps it from ending. So does what a
/// loading system cannot bear. The moments are the same in each run.
struct Stress {
  let server: String
  /// How many loads.
  let loads: Int
  /// Whether the session has a probe.
  let isProbed: Bool
  private static let atOnce = 50
  /// Seconds within which a load is cancelled.
  private static let longest = 0.02
  /// Nothing listens on this port: a load that ends as fast as one can.
  static let nobody = "http://127.0.0.1:1"

  func run() async throws {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = Stress.atOnce
    let probe = isProbed ? TrafficProbe(store: nil) : nil
    probe?.inject(into: configuration)
    let session = URLSession(configuration: configuration)
    var (answered, next) = (0, 0)
    var moments = Moments()
    await withTaskGroup(of: Int?.self) { group in
      while next < loads {
        if next >= Stress.atOnce, let status = await group.next(), status != nil { answered += 1 }
        let load = Stress.load(next, moments.next(upTo: Stress.longest))
        let server = next.isMultiple(of: 5) ? Stress.nobody : server
        group.addTask { await load.run(server, session) }
        next += 1
      }
      for await status in group where status != nil { answered += 1 }
    }
    print("\(loads) loads with\(isProbed ? "" : "out") a probe, \(answered) answered, the others cancelled or refused")
  }

  private static func load(_ number: Int, _ moment: Double) -> Load {
    // Every fourth is cancelled at once.
    let cancelling = Load.Cancelling.after(number % 4 == 3 ? 0 : moment)
    switch number % 3 {
    case 0: return Load(path: "/bytes/\(number % 1000)", cancelling: cancelling)
    case 1: return Load(path: "/redirect/302/3", cancelling: cancelling)
    default: return Load(method: "POST", path: "/echo", body: Data(count: 300), cancelling: cancelling)
    }
  }
}

/// Moments that look random and are the same in each run: a linear congruential generator with the constants of Knuth's
/// MMIX, of which the upper bits are taken.
private struct Moments {
  private var state: UInt64 = 1

  mutating func next(upTo longest: Double) -> Double {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Double(state >> 32) / Double(UInt32.max) * longest
  }
}
