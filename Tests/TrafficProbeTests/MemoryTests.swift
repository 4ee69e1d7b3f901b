import Foundation
import Testing

@testable import TrafficProbe

#if os(Linux)
  /// What loads leave in memory: no more with a probe than without.
  @Suite("Memory", .enabled(if: ProbeServer.isThere, "python3 is missing: nothing was measured"), .serialized)
  struct MemoryTests {
    struct Case: CustomTestStringConvertible {
      var kind: String
      var loads = 10_000
      var octets = 500
      var isShared = false

      var testDescription: String { "\(loads) \(kind) of \(octets)\(isShared ? ", shared session" : "")" }
    }

    static let cases = [
      Case(kind: "gets"), Case(kind: "downloads", loads: 2500), Case(kind: "uploads", loads: 2500),
      Case(kind: "gets", loads: 1000, isShared: true), Case(kind: "downloads", loads: 2000, isShared: true),
      Case(kind: "uploads", loads: 1000, isShared: true),
      // Those that end otherwise, and bodies of which a few would show.
      Case(kind: "posts", loads: 1000), Case(kind: "redirects", loads: 1000), Case(kind: "refused", loads: 2000),
      Case(kind: "cancelled", loads: 500), Case(kind: "gzip-chunked", loads: 100, octets: 300_000),
      Case(kind: "downloads", loads: 100, octets: 3_000_000), Case(kind: "uploads", loads: 200, octets: 1_000_000),
    ]

    /// What the probe takes once, mostly the code of itself and of SQLite, is there before the first measure; a tenth of the
    /// memory without a probe may come on top.
    @Test("Thousands of loads leave no more than without a probe", arguments: cases)
    func loads(_ measured: Case) async throws {
      async let with = MemoryTests.measure(measured, isProbed: true)
      async let without = MemoryTests.measure(measured, isProbed: false)
      let (probed, plain) = try await (with, without)
      #expect(plain.records == 0)
      #expect(plain.answered == probed.answered)
      // Of a load that is cancelled before it was sent there is no record.
      #expect(probed.records >= (measured.kind == "cancelled" ? 1 : measured.loads))
      let once = probed.before - plain.before
      // The client makes four loads at once: their bodies may be there at any moment, and four times where each is received,
      // held for the app, compressed again and given to it.
      let bodies = Double(4 * measured.octets) / 1024
      #expect(plain.before > 10_000, "with \(probed), without \(plain)")
      // Measured: 4,500 to 10,900 KiB, and the bodies; malloc keeps more of them where more threads have run.
      #expect(Double(once) < 12_288 + 4 * bodies, "with \(probed), without \(plain)")
      #expect(Double(probed.after - once) < Double(plain.after) * 1.1 + bodies, "with \(probed), without \(plain)")
      // Records wait for a store that other programs hold up: 10,000 at most, of some 600 octets.
      let waiting = 6_000.0
      #expect(
        Double(probed.peak - once) < Double(plain.peak) * 1.1 + bodies + waiting, "with \(probed), without \(plain)")
    }

    /// What the client printed. KiB.
    struct Measure {
      var answered: Int
      var records: Int
      var before: Int
      var after: Int
      var peak: Int
    }

    /// By default malloc keeps freed memory for each thread. How many threads run at once, and so how much is kept, depends on
    /// what else the machine does. With one arena, from which freed memory goes back to the system, the process is as large as
    /// what is held.
    private static let plainMemory = [
      "MALLOC_ARENA_MAX": "1", "MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536",
    ]

    private static func measure(_ measured: Case, isProbed: Bool) async throws -> Measure {
      let server = try ProbeServer()
      let run = try await ClientRun(
        [
          "--server", server.base, "--memory", measured.kind, "--requests", "\(measured.loads)", "--octets",
          "\(measured.octets)", "--shared", measured.isShared ? "yes" : "no", "--probe", isProbed ? "yes" : "no",
        ], environment: plainMemory)
      try #require(run.status == 0, "\(run)")
      let numbers = run.output.split { !$0.isNumber }.compactMap { Int($0) }
      // Loads, answered, records, dropped, before, after, peak. A probe whose store is slower than the loads drops records, and counts them.
      try #require(numbers.count == 7 && numbers[0] == measured.loads, "\(run)")
      return Measure(
        answered: numbers[1], records: numbers[2], before: numbers[4], after: numbers[5], peak: numbers[6])
    }
  }
#endif
