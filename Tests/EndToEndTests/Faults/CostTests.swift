import Foundation
import Testing

/// What traffic costs the release build, in instructions: a change that makes it dearer by a tenth fails, and says so here.
///
/// Instructions and not time, so that the figures can be committed. A change that makes it cheaper should lower them.
@Suite struct CostTests {
  /// Instructions for one more unit of each kind of traffic, reports included, on x86-64 with Swift 6.3: a connection with one
  /// exchange of 1,000 octets, a connection of a SYN alone, a segment of one octet, one of 1,400, one that is captured again,
  /// a hole, an exchange without fields to speak of, a field line, a chunk, an exchange with a gzip content that is decoded,
  /// and one whose content came before.
  private static let expected: [(kind: WorkCapture, instructions: Int)] = [
    (.ordinary, 37_600), (.connections, 12_000), (.tinySegments, 1_980), (.largeSegments, 1_980),
    (.overlaps, 4_550), (.holes, 3_460), (.pipelinedRequests, 16_900), (.fields, 420), (.tinyChunks, 500),
    (.codedContents, 40_600), (.familiarContents, 25_800),
  ]

  @Test(arguments: expected.indices)
  func isNotExceeded(_ index: Int) throws {
    let (kind, expected) = Self.expected[index]
    let release = Document.root.appendingPathComponent(".build/release/sniffer")
    guard FileManager.default.isExecutableFile(atPath: release.path) else {
      return Environment.skip("isNotExceeded", because: "there is no release build: make build makes it")
    }
    #if arch(x86_64)
      guard let counting = try InstructionCount(of: release) else {
        return Environment.skip("isNotExceeded", because: "valgrind is not installed")
      }
      let size = kind.size * 4
      let counts = try [size, 2 * size].map { try counting.instructions(of: kind, $0) }
      let cost = (counts[1] - counts[0]) / size
      print("COST \(kind): \(cost) instructions, expected \(expected)")
      #expect(cost > 0)
      #expect(Double(cost) <= Double(expected) * 1.1, "\(kind): \(cost) instructions, not \(expected)")
    #else
      Environment.skip("isNotExceeded", because: "the figures are of x86-64")
    #endif
  }
}
