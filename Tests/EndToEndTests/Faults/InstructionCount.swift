import Foundation
import Testing

/// Counts the instructions that a program takes for a capture, with valgrind: nearly the same on any machine at any load.
struct InstructionCount {
  /// Nil where it is not installed.
  static let valgrind = Environment.tool("valgrind")

  private let valgrind: URL
  private let program: URL
  private let scratch: Scratch

  /// Makes ready to count what `executable` takes.
  init(of executable: URL) throws {
    valgrind = try #require(Self.valgrind)
    scratch = try Scratch()
    // Debugging information is of no use here, and not every valgrind can read what this compiler writes.
    program = scratch.url.appendingPathComponent("sniffer")
    let stripped = try Command.run(
      URL(fileURLWithPath: "/usr/bin/strip"), ["--strip-debug", "-o", program.path, executable.path])
    try #require(stripped.status == 0, "\(stripped.error)")
  }

  /// Instructions of a run over `size` units of a kind of traffic, with CSV reports, on one thread, and with the same hashes in each run.
  func instructions(of kind: WorkCapture, _ size: Int) throws -> Int {
    let file = try scratch.file("\(kind)-\(size).pcap", kind.octets(size))
    let outcome = try Command.run(
      valgrind,
      [
        "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", program.path, file.path,
        "--no-progress", "--jobs", "1", "-o", scratch.path("report"),
      ], environment: ["SWIFT_DETERMINISTIC_HASHING": "1"])
    try #require(outcome.status == 0, "\(outcome.error)")
    try #require(outcome.outputLines.last?.hasPrefix("ledger balanced: ") == true)
    let line = try #require(outcome.errorLines.first { $0.contains("I   refs:") || $0.contains("I refs:") })
    return try #require(Int(line.split(separator: " ").last?.filter(\.isNumber) ?? ""))
  }
}
