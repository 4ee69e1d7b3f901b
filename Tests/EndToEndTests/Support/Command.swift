import Dispatch
import Foundation

/// What a program that ran left behind.
struct Outcome: Sendable {
  /// The exit status, or the number of the signal that ended it.
  let status: Int32
  /// Whether a signal ended it.
  let wasKilled: Bool
  /// Standard output as it was written.
  let outputOctets: [UInt8]
  /// Standard error as it was written.
  let errorOctets: [UInt8]

  /// Standard output.
  var output: String { String(decoding: outputOctets, as: UTF8.self) }
  /// Standard error.
  var error: String { String(decoding: errorOctets, as: UTF8.self) }
  /// Standard output without the names of captures and written files: what runs over the same packets have alike.
  var summary: [String] {
    // Names of captures can take several lines.
    var isInNames = false
    return outputLines.filter { line in
      if line.hasPrefix("capture: ") || line.hasPrefix("captures: ") { isInNames = true }
      if line.hasPrefix("span: ") || line.hasPrefix("packets: ") { isInNames = false }
      return !isInNames && !line.hasPrefix("wrote ") && !line.hasPrefix("  ")
    }
  }
  /// The lines of standard output.
  var outputLines: [String] { Self.lines(output) }
  /// The lines of standard error.
  var errorLines: [String] { Self.lines(error) }

  private static func lines(_ text: String) -> [String] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    return lines
  }
}

/// A program ended with an error where its output is needed.
struct CommandFailed: Error {
  /// What it wrote to standard error.
  let errorOutput: String
}

/// Runs programs.
enum Command {
  /// A program that takes longer than this hangs.
  private static let patience: TimeInterval = 300

  /// Runs a program to its end. Its output goes through files, so that neither side waits for the other.
  static func run(
    _ executable: URL, _ arguments: [String], input: URL? = nil, output: URL? = nil,
    environment: [String: String] = [:]
  ) throws -> Outcome {
    let scratch = try Scratch()
    let process = Process()
    process.executableURL = executable
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let inputHandle = try input.map { try FileHandle(forReadingFrom: $0) }
    process.standardInput = inputHandle ?? FileHandle.nullDevice
    let outputFile = try output ?? scratch.file("stdout")
    let errorFile = try scratch.file("stderr")
    let outputHandle = try FileHandle(forWritingTo: outputFile)
    let errorHandle = try FileHandle(forWritingTo: errorFile)
    process.standardOutput = outputHandle
    process.standardError = errorHandle
    let ended = DispatchSemaphore(value: 0)
    process.terminationHandler = { _ in ended.signal() }
    try start(process, lending: [inputHandle, outputHandle, errorHandle])
    if ended.wait(timeout: .now() + patience) == .timedOut {
      process.terminate()
      ended.wait()
    }
    return Outcome(
      status: process.terminationStatus, wasKilled: process.terminationReason != .exit,
      outputOctets: output == nil ? try [UInt8](Data(contentsOf: outputFile)) : [],
      errorOctets: try [UInt8](Data(contentsOf: errorFile)))
  }

  /// Starts a program, and closes what it was given: it has copies of its own.
  ///
  /// A `Process` outlives its program, and with it would its handles. Past some 1,300 descriptors Foundation reads beyond
  /// the list of them that it closes in the next child, which can end these tests.
  static func start(_ process: Process, lending handles: [FileHandle?]) throws {
    defer { for handle in handles { try? handle?.close() } }
    try withAllSignals { try process.run() }
  }

  /// Starts a program from a thread that blocks no signal, as a shell would. The threads that tests run on block most
  /// of them; a child inherits that, and could not be interrupted.
  ///
  /// Unsafe as calls of C functions are that are given memory: each is given a whole set of signals of its own.
  private static func withAllSignals<Failure: Error>(_ start: () throws(Failure) -> Void) throws(Failure) {
    var none = sigset_t()
    var before = sigset_t()
    _ = unsafe sigemptyset(&none)
    _ = unsafe pthread_sigmask(SIG_SETMASK, &none, &before)
    defer { _ = unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    try start()
  }

  /// Runs a line of the shell; `arguments` are its `$1`, `$2` and so on.
  static func shell(_ line: String, _ arguments: [String], environment: [String: String] = [:]) throws -> Outcome {
    try run(
      URL(fileURLWithPath: "/bin/sh"), ["-c", line, "sh"] + arguments, environment: environment)
  }
}
