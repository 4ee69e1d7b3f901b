import Foundation

/// The executable under test, run as a user runs it.
enum Sniffer {
  /// `SNIFFER_PROGRAM`, as `make test` sets it to the release build; else `sniffer` of the build that these tests are of.
  static let url: URL = {
    guard let program = ProcessInfo.processInfo.environment["SNIFFER_PROGRAM"], !program.isEmpty else {
      return productsFolder.appendingPathComponent("sniffer")
    }
    return URL(fileURLWithPath: program).standardizedFileURL
  }()

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

  /// The folder of the build that these tests are of: the bundle of the tests lies there.
  static var productsFolder: URL {
    #if os(macOS)
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
      if let bundle { return bundle.bundleURL.deletingLastPathComponent() }
    #endif
    return Bundle.main.bundleURL
  }
}
