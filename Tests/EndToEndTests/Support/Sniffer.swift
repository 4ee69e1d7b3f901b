import Foundation

/// The executable under test, run as a user runs it.
enum Sniffer {
  /// `sniffer` of the build that these tests are of: it lies beside the bundle of the tests.
  static let url = productsFolder.appendingPathComponent("sniffer")

  /// The test program that confines itself as a run does, and tries to break out.
  static let confinementAttempts = productsFolder.appendingPathComponent("ConfinementAttempts")

  /// Runs `sniffer`.
  static func run(
    _ arguments: [String], input: URL? = nil, output: URL? = nil, environment: [String: String] = [:]
  ) throws -> Outcome {
    // A terminal that could do all things, if only there was one.
    let terminal = ["TERM": "xterm-256color"].merging(environment) { $1 }
    return try Command.run(url, arguments, input: input, output: output, environment: terminal)
  }

  private static var productsFolder: URL {
    #if os(macOS)
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
      if let bundle { return bundle.bundleURL.deletingLastPathComponent() }
    #endif
    return Bundle.main.bundleURL
  }
}
