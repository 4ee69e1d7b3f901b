import Foundation

/// A run of `probe-client`, in a process of its own: what ends it ends no test.
struct ClientRun: CustomStringConvertible {
  /// The exit status; the number of the signal, below zero, if one ended it.
  let status: Int
  /// What it wrote, errors too.
  let output: String

  var description: String { "status \(status): \(output)" }

  /// The executable lies beside the bundle of the tests.
  static let executable: URL = {
    #if os(macOS)
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
      if let bundle { return bundle.bundleURL.deletingLastPathComponent().appendingPathComponent("probe-client") }
    #endif
    return Bundle.main.bundleURL.appendingPathComponent("probe-client")
  }()

  /// Runs it, and ends it after ten minutes.
  /// - Parameters:
  ///   - arguments: its arguments.
  ///   - wrapper: a program and its arguments, to which `probe-client` and its own are added.
  ///   - environment: variables that are set for it beside those of the tests.
  /// - Throws: when it cannot be started.
  init(_ arguments: [String], wrapper: [String] = [], environment: [String: String] = [:]) async throws {
    self = try await aside { try ClientRun(blocking: arguments, wrapper, environment) }
  }

  private init(blocking arguments: [String], _ wrapper: [String], _ environment: [String: String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = wrapper + [ClientRun.executable.path] + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let end = DispatchWorkItem { process.terminate() }
    DispatchQueue.global().asyncAfter(deadline: .now() + 600, execute: end)
    output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    end.cancel()
    status = Int(process.terminationStatus) * (process.terminationReason == .uncaughtSignal ? -1 : 1)
  }
}
