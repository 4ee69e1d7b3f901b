import Foundation
import FuzzTargets
import TestSupport
import Testing

/// Each target, with inputs that are made of seeds by a number: a fixed count of executions, the same in each run. libFuzzer, which
/// finds more (`make fuzz`, `make smoke`), needs a build of its own.
@Suite struct GeneratedInputTests {
  private static let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardizedFileURL
  private static let seeds = Result { try Seeds(of: root, limit: 100) }

  /// Executions of each target: more of what is fast.
  private static let counts: [(name: String, count: Int)] = FuzzTarget.all.map { target in
    let count =
      switch target.name {
      case "tcp", "http1", "http2", "hpack", "chunked": 1000
      case "tls", "quic", "quic-frames": 300
      case "websocket", "event-stream": 1000
      case "capture", "fragments", "csv", "sqlite", "json", "har", "metrics", "curl", "netlog": 2000
      default: 10_000
      }
    return (target.name, RandomCases.count(count))
  }

  @Test func everyTargetHasSeeds() throws {
    let seeds = try Self.seeds.get()
    for target in FuzzTarget.all { #expect(seeds.inputs[target.name]?.isEmpty == false, "\(target.name)") }
  }

  @Test(arguments: counts)
  func nothingBreaks(_ name: String, count: Int) throws {
    let target = try #require(FuzzTarget.named(name))
    let seeds = try Self.seeds.get().inputs[name] ?? []
    for seed in seeds {
      let fault = target.fault(seed)
      #expect(fault == nil, "a seed of \(seed.count) octets")
    }
    var inputs = InputMutation(target, seeds: seeds, seed: 2026)
    for number in 0..<count {
      let input = inputs.next()
      guard let fault = target.fault(input) else { continue }
      Issue.record("\(name), input \(number), \(Data(input).base64EncodedString()): \(fault)")
      return
    }
  }
}
