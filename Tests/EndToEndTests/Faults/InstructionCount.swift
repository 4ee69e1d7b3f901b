import Foundation
import Shared
import Testing

/// Instructions that the program takes for each kind of traffic, counted by valgrind: nearly the same on any machine at any load.
enum InstructionCount {
  /// Nil where it is not installed.
  static let valgrind = Environment.tool("valgrind")

  /// The program that users run, where there is one: the program under test if it was given, else what `make build` leaves.
  static let release: URL? = {
    guard (ProcessInfo.processInfo.environment["SNIFFER_PROGRAM"] ?? "").isEmpty else { return Sniffer.url }
    let built = Document.root.appendingPathComponent(".build/sniffer")
    return FileManager.default.isExecutableFile(atPath: built.path) ? built : nil
  }()

  /// What runs of one kind of traffic took, of `size`, twice and four times as many units.
  struct Counts {
    let kind: WorkCapture
    fileprivate(set) var instructions: [Int]

    /// What two times and four times the size took more than half of it.
    var growth: (first: Int, second: Int) { (instructions[1] - instructions[0], instructions[2] - instructions[1]) }
    /// Instructions for one more unit.
    var cost: Int { growth.second / (2 * kind.size) }
  }

  /// Counts of all kinds, made once in a run of the tests, for all of them.
  private static let all = Task {
    try await aside { try counts(of: WorkCapture.allCases) }
  }

  /// The counts of a kind.
  static func counts(of kind: WorkCapture) async throws -> Counts {
    try #require(try await all.value[kind]).get()
  }

  /// Counts once more. The least is what the program takes: where other programs keep all processors busy, a thread that waits for
  /// another one can take some instructions to do so.
  static func recount(_ counts: Counts) async throws -> Counts {
    let again = try await aside { try #require(try Self.counts(of: [counts.kind])[counts.kind]).get() }
    var least = counts
    least.instructions = zip(counts.instructions, again.instructions).map(min)
    return least
  }

  /// Runs at once: each keeps one processor busy.
  private static let atOnce = 2

  private static func counts(of kinds: [WorkCapture]) throws -> [WorkCapture: Result<Counts, any Error>] {
    let scratch = try Scratch()
    // Debugging information is of no use here, and not every valgrind can read what this compiler writes.
    let program = scratch.path("sniffer")
    let stripped = try Command.run(
      URL(fileURLWithPath: "/usr/bin/strip"), ["-o", program, Sniffer.url.path])
    try #require(stripped.status == 0, "\(stripped.error)")

    let counted = Locked<[String: Result<Int, any Error>]>([:])
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = atOnce
    for kind in kinds {
      for size in kind.sizes {
        let name = "\(kind)-\(size)"
        queue.addOperation {
          let count = Result { try instructions(of: program, scratch.file(name, kind.octets(size)), kind.options) }
          counted.withLock { $0[name] = count }
        }
      }
    }
    queue.waitUntilAllOperationsAreFinished()
    return Dictionary(
      uniqueKeysWithValues: kinds.map { kind in
        let counts = Result {
          try kind.sizes.map { size in try #require(counted.withLock { $0["\(kind)-\(size)"] }).get() }
        }
        return (kind, counts.map { Counts(kind: kind, instructions: $0) })
      })
  }

  /// Instructions of a run over a capture, with CSV reports, on one thread, and with the same hashes in each run.
  private static func instructions(of program: String, _ capture: URL, _ options: [String]) throws -> Int {
    let outcome = try Command.run(
      try #require(valgrind),
      [
        "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", program, capture.path,
        "--no-progress", "--jobs", "1", "-o", capture.path + "-report",
      ] + options, environment: ["SWIFT_DETERMINISTIC_HASHING": "1"])
    try #require(outcome.status == 0, "\(outcome.error)")
    try #require(outcome.outputLines.last?.hasPrefix("ledger balanced: ") == true)
    let line = try #require(outcome.errorLines.first { $0.contains("I   refs:") || $0.contains("I refs:") })
    return try #require(Int(line.split(separator: " ").last?.filter(\.isNumber) ?? ""))
  }
}
