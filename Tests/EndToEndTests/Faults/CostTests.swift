import Foundation
import Testing

/// What traffic costs the release build, in instructions: a change that makes it dearer by more than 3 % fails.
///
/// Instructions and not time, so that the figures can be committed. A change that makes it cheaper by more than 3 % fails, too,
/// and says to which number to lower the figure: else the next change could give away what this one has gained.
@Suite struct CostTests {
  /// Instructions for one more unit of each kind of traffic, reports included, on x86-64 with Swift 6.3: a connection with one
  /// exchange of 1,000 octets, a connection of a SYN alone, a segment of one octet, one of 1,400, one that is captured again,
  /// a hole, an exchange without fields to speak of, a field line, a chunk, an exchange with a gzip content that is decoded,
  /// one whose content came before, an interim response to a request with a long path, with `--template`, and a WebSocket frame of one
  /// octet in a compressed message.
  private static let expected: [(kind: WorkCapture, instructions: Int)] = [
    (.ordinary, 109_900), (.connections, 12_300), (.tinySegments, 3_452), (.largeSegments, 4_393),
    (.overlaps, 6_000), (.holes, 5_267), (.pipelinedRequests, 19_513), (.fields, 954), (.tinyChunks, 813),
    (.codedContents, 46_007), (.familiarContents, 29_283), (.repeatedPaths, 39_748), (.tinyFrames, 3_132),
  ]

  /// How far a count may be from its figure: more than two runs of one program differ by, less than a change that matters.
  private static let tolerance = 0.03

  #if arch(x86_64)
    private static let isX86 = true
  #else
    private static let isX86 = false
  #endif

  @Test(
    .enabled(if: isX86, "the figures are of x86-64"),
    .enabled(if: InstructionCount.valgrind != nil, "valgrind is not installed"), arguments: expected.indices)
  func isAsCommitted(_ index: Int) async throws {
    let (kind, expected) = Self.expected[index]
    var counts = try await InstructionCount.counts(of: kind)
    for _ in 0..<2 where Double(counts.cost) > Double(expected) * (1 + Self.tolerance) {
      counts = try await InstructionCount.recount(counts)
    }
    let cost = counts.cost
    print("COST \(kind): \(cost) instructions, expected \(expected)")
    #expect(Double(cost) <= Double(expected) * (1 + Self.tolerance), "\(kind) is dearer: \(cost), not \(expected)")
    #expect(
      Double(cost) >= Double(expected) * (1 - Self.tolerance),
      "\(kind) is cheaper: lower the number here from \(expected) to \(cost)")
  }
}
