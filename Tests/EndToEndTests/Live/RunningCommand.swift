import Dispatch
import Foundation
import Testing

/// A program that runs while a test goes on. It is ended with the value that stands for it.
final class RunningCommand {
  private let process = Process()
  private let ended = DispatchSemaphore(value: 0)
  private let scratch: Scratch
  private let outputFile: URL
  private let errorFile: URL

  /// Starts a program, with environment variables set, or removed where they are nil. Its output goes through files, so that nobody has to read it for it to go on.
  init(_ executable: URL, _ arguments: [String], setting variables: [String: String?] = [:]) throws {
    scratch = try Scratch()
    outputFile = try scratch.file("stdout")
    errorFile = try scratch.file("stderr")
    process.executableURL = executable
    process.arguments = arguments
    var environment = ProcessInfo.processInfo.environment
    for (name, value) in variables { environment[name] = value }
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    let outputHandle = try FileHandle(forWritingTo: outputFile)
    let errorHandle = try FileHandle(forWritingTo: errorFile)
    process.standardOutput = outputHandle
    process.standardError = errorHandle
    process.terminationHandler = { [ended] _ in ended.signal() }
    try Command.start(process, lending: [outputHandle, errorHandle])
  }

  deinit {
    guard process.isRunning else { return }
    signal(SIGKILL)
    ended.wait()
  }

  /// The process's number.
  var identifier: Int32 { process.processIdentifier }
  /// Whether the process has not ended.
  var isRunning: Bool { process.isRunning }
  /// Standard output up to now.
  var output: String { (try? String(contentsOf: outputFile, encoding: .utf8)) ?? "" }
  /// Standard error up to now.
  var error: String { (try? String(contentsOf: errorFile, encoding: .utf8)) ?? "" }

  /// Waits for the first line of standard output, and returns it without its end.
  func firstLine() throws -> String {
    _ = eventually { output.contains("\n") || !isRunning }
    return String(try #require(output.split(separator: "\n", omittingEmptySubsequences: false).first, "\(error)"))
  }

  /// Waits until standard error has a text. False when the program ends without having said it.
  func says(_ text: String) -> Bool {
    _ = eventually { error.contains(text) || !isRunning }
    return error.contains(text)
  }

  /// Sends a signal, if the process has not ended.
  func signal(_ number: Int32) {
    if process.isRunning { kill(identifier, number) }
  }

  /// Whether the first thread waits for room in a pipe (proc_pid_wchan(5)).
  var waitsForPipe: Bool {
    ((try? String(contentsOfFile: "/proc/\(identifier)/wchan", encoding: .utf8)) ?? "").contains("pipe")
  }

  /// What Linux says of the signals that the process waits for, blocks, ignores and takes, and of its threads.
  private var state: String {
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(identifier)/task")) ?? []
    return threads.map { thread in
      let folder = "/proc/\(identifier)/task/\(thread)"
      let status = (try? String(contentsOfFile: folder + "/status", encoding: .utf8)) ?? ""
      let lines = status.split(separator: "\n").filter {
        ["Name", "Stat", "SigP", "ShdP", "SigB", "SigI", "SigC"].contains($0.prefix(4))
      }
      let wait = (try? String(contentsOfFile: folder + "/wchan", encoding: .utf8)) ?? ""
      return (lines + [wait[...]]).joined(separator: " ").replacing("\t", with: "")
    }.joined(separator: "; ")
  }

  /// Processor time that all threads of the process have taken up to now, in seconds.
  var processorTime: Double {
    let text = (try? String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8)) ?? ""
    // Behind the name in parentheses, from the third on; the 14th and 15th are ticks of user and system (proc_pid_stat(5)).
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    return fields.dropFirst(11).prefix(2).compactMap { Double($0) }.reduce(0, +) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// Waits for the end; after `seconds` the process hangs and is killed, which shows in the outcome.
  func wait(upTo seconds: Double = 300) throws -> Outcome {
    if ended.wait(timeout: .now() + seconds) == .timedOut {
      print("NOT ENDED in \(seconds) s: \(state)")
      signal(SIGKILL)
      ended.wait()
    }
    ended.signal()
    return Outcome(
      status: process.terminationStatus, wasKilled: process.terminationReason != .exit,
      outputOctets: try [UInt8](Data(contentsOf: outputFile)),
      errorOctets: try [UInt8](Data(contentsOf: errorFile)))
  }
}

/// Asks again and again until something holds that comes sooner or later; false when it still does not after `seconds`, which no machine
/// takes.
func eventually(within seconds: Double = 300, _ holds: () throws -> Bool) rethrows -> Bool {
  let end = ContinuousClock.now + .seconds(seconds)
  while ContinuousClock.now < end {
    if try holds() { return true }
    Thread.sleep(forTimeInterval: 0.01)
  }
  return try holds()
}
