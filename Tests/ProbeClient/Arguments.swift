import Foundation

/// The command line: `--server URL --store FILE --log FILE [--requests N]`, or `--server URL --benchmark N`, or
/// `--server URL --stress N [--probe yes|no]`, or `--server URL --shared yes`, or `--server URL --store FILE --load PATH [--address ADDRESS]`, or
/// `--server URL --memory KIND [--requests N] [--octets N] [--probe yes|no] [--shared yes|no]`.
struct Arguments {
  var server = ""
  var store: URL?
  var log: URL?
  /// The least number of requests of the tour.
  var requests = 300
  /// The number of requests in each turn of the benchmark.
  var benchmark: Int?
  /// The number of loads that are cancelled at random moments.
  var stress: Int?
  /// The kind of loads whose memory is measured.
  var memory: Memory.Kind?
  /// Octets of their bodies.
  var octets = 1000
  /// Whether the loads of `stress` and `memory` have a probe.
  var isProbed = true
  /// A path to load once, with a probe that writes to `store`.
  var path: String?
  /// The address that the server's name leads to, for `load`.
  var address: String?
  /// Whether to load with the shared session.
  var isShared = false

  /// Parses the words. Ends the process with status 64 when they make no sense.
  init(_ words: [String]) {
    var rest = words[...]
    while let name = rest.popFirst() {
      guard let value = rest.popFirst() else { Arguments.fail("\(name) needs a value") }
      switch name {
      case "--server": server = value.hasSuffix("/") ? String(value.dropLast()) : value
      case "--store": store = URL(fileURLWithPath: value)
      case "--log": log = URL(fileURLWithPath: value)
      case "--requests": requests = Arguments.count(value, name)
      case "--benchmark": benchmark = Arguments.count(value, name)
      case "--stress": stress = Arguments.count(value, name)
      case "--load": path = value
      case "--address": address = value
      case "--octets": octets = Arguments.count(value, name)
      case "--memory":
        memory = Memory.Kind(rawValue: value)
        if memory == nil { Arguments.fail("\(name) needs one of \(Memory.Kind.allCases.map(\.rawValue))") }
      case "--probe":
        isProbed = Arguments.isYes(value, name)
      case "--shared": isShared = Arguments.isYes(value, name)
      default: Arguments.fail("unknown option \(name)")
      }
    }
    guard URL(string: server)?.host != nil else { Arguments.fail("--server needs a URL such as http://127.0.0.1:8080") }
    let isTour = benchmark == nil && stress == nil && memory == nil && path == nil && !isShared
    if isTour, log == nil { Arguments.fail("--log is missing") }
  }

  private static func isYes(_ value: String, _ name: String) -> Bool {
    guard value == "yes" || value == "no" else { fail("\(name) needs yes or no") }
    return value == "yes"
  }

  private static func count(_ value: String, _ name: String) -> Int {
    guard let count = Int(value), (1...10_000_000).contains(count) else {
      fail("\(name) needs a number from 1 to 10000000")
    }
    return count
  }

  private static func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data("probe-client: \(message)\n".utf8))
    exit(64)
  }
}
