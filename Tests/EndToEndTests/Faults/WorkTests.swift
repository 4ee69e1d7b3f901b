import Foundation
import TestSupport
import Testing

/// Work is linear in the input: twice the packets take twice the instructions, for hostile traffic, too.
///
/// Instructions are counted by valgrind, not time measured: the figures are nearly the same on any machine at any load.
@Suite struct WorkTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Growth from 2n to 4n against that from n to 2n: 2 where work is linear, 4 where it is quadratic.
  private static let limit = 2.2

  @Test(arguments: WorkCapture.allCases)
  func isLinear(_ kind: WorkCapture) throws {
    guard let valgrind = Environment.tool("valgrind") else {
      return Environment.skip("isLinear", because: "valgrind is not installed")
    }
    // Debugging information is of no use here, and not every valgrind can read what this compiler writes.
    let program = scratch.url.appendingPathComponent("sniffer")
    let stripped = try Command.run(
      URL(fileURLWithPath: "/usr/bin/strip"), ["--strip-debug", "-o", program.path, Sniffer.url.path])
    try #require(stripped.status == 0, "\(stripped.error)")
    let counts = try [1, 2, 4].map { try instructions(of: kind, kind.size * $0, valgrind, program) }
    let (first, second) = (counts[1] - counts[0], counts[2] - counts[1])
    print("WORK \(kind): \(counts) instructions, growth \(Double(second) / Double(first))")
    // Enough work to be seen beside what every run does.
    #expect(first > 1_000_000)
    #expect(Double(second) <= Self.limit * Double(first), "\(counts)")
  }

  private func instructions(of kind: WorkCapture, _ size: Int, _ valgrind: URL, _ program: URL) throws -> Int {
    let file = try scratch.file("\(kind)-\(size).pcap", kind.octets(size))
    let outcome = try Command.run(
      valgrind,
      [
        "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", program.path, file.path,
        "--no-progress", "-o", scratch.path("report"),
      ])
    try #require(outcome.status == 0, "\(outcome.error)")
    try #require(outcome.outputLines.last?.hasPrefix("ledger balanced: ") == true)
    let line = try #require(outcome.errorLines.first { $0.contains("I   refs:") || $0.contains("I refs:") })
    return try #require(Int(line.split(separator: " ").last?.filter(\.isNumber) ?? ""))
  }
}
