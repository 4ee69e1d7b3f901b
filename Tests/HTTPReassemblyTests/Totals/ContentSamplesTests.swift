import ContentCodings
import TestSupport
import Testing

@testable import HTTPReassembly

/// Contents that gzip is tried on: their own octets choose them.
@Suite struct ContentSamplesTests {
  /// A content of a row, which came so many times.
  private struct Content {
    var octets: [UInt8]
    var place: Int
    var size: Int
  }

  /// Contents of all sizes that gzip makes smaller by different shares; some come several times, and in several rows.
  private static func contents(_ count: Int, seed: Int) -> [Content] {
    var random = SeededRandom(seed: UInt64(seed))
    var contents: [Content] = []
    for _ in 0..<count {
      let letters = random.number(1..<40)
      let size = 1 << random.number(4..<13) + random.number(0..<16)
      let octets = (0..<size).map { _ in UInt8(random.number(0..<letters)) &* 7 }
      for _ in 0..<(random.chance(0.2) ? random.number(2..<5) : 1) {
        contents.append(Content(octets: octets, place: random.number(0..<20), size: size))
      }
    }
    return contents
  }

  private static func totals(
    _ contents: [Content], limit: Int
  ) -> (rows: [SampledOctets], all: SampledOctets, samples: ContentSamples) {
    var samples = ContentSamples(limit: limit)
    for content in contents {
      var note = ContentNotes.Note()
      note.sample = content.octets
      samples.offer(&note, size: content.size, place: content.place)
    }
    let totals = samples.totals(rows: 20, GzipEstimate())
    return (totals.rows, totals.all, samples)
  }

  /// With room for all, every content stands for itself.
  @Test func allContents() {
    let contents = Self.contents(300, seed: 1)
    let (rows, all, _) = Self.totals(contents, limit: 10_000)
    let gzip = GzipEstimate()
    for row in 0..<20 {
      let own = contents.filter { $0.place == row }
      #expect(rows[row].octets == own.reduce(0) { $0 + $1.size })
      #expect(rows[row].compressed == own.reduce(0) { $0 + $1.octets.withOctets { gzip.compressedLength(of: $0) } })
    }
    #expect(all.octets == contents.reduce(0) { $0 + $1.size } && all.estimate(of: all.octets) == all.compressed)
  }

  /// In any order, the same contents are samples, and the figures are the same.
  @Test func orderDoesNotMatter() {
    for seed in RandomCases.seeds(0..<40) {
      let contents = Self.contents(400, seed: seed)
      let first = Self.totals(contents, limit: 32)
      var random = SeededRandom(seed: UInt64(seed))
      for _ in 0..<3 {
        let other = Self.totals(contents.shuffled(using: &random), limit: 32)
        #expect(other.rows == first.rows && other.all == first.all, "seed \(seed)")
      }
    }
  }

  /// What is already known of a content, as in a part of an analysis, counts as its octets do.
  @Test func partsOfAnalyses() {
    let contents = Self.contents(200, seed: 3)
    let gzip = GzipEstimate()
    var samples = ContentSamples(limit: 16)
    for content in contents {
      var note = ContentNotes.Note()
      note.given = ContentFacts(
        sample: content.octets.count, compressed: content.octets.withOctets { gzip.compressedLength(of: $0) },
        choice: OctetMark.steady(of: content.octets))
      samples.offer(&note, size: content.size, place: content.place)
    }
    let (rows, all, _) = Self.totals(contents, limit: 16)
    let given = samples.totals(rows: 20, gzip)
    #expect(given.rows == rows && given.all == all)
  }

  /// The estimates of many captures are right on average, and none is far off.
  @Test func estimates() {
    let gzip = GzipEstimate()
    var (sum, worst) = (0.0, 0.0)
    let seeds = RandomCases.seeds(0..<120)
    for seed in seeds {
      let contents = Self.contents(600, seed: seed)
      let length = contents.reduce(0) { $0 + $1.size }
      let compressed = contents.reduce(0) { $0 + min($1.octets.withOctets { gzip.compressedLength(of: $0) }, $1.size) }
      let estimate = length - (Self.totals(contents, limit: 32).all.estimate(of: length) ?? 0)
      let error = Double(estimate - (length - compressed)) / Double(length - compressed)
      sum += error
      worst = max(worst, abs(error))
    }
    #expect(abs(sum / Double(seeds.count)) < 0.05 && worst < 0.4, "\(sum / Double(seeds.count)) \(worst)")
  }

  /// A content that very many rows have is a sample for the total only.
  @Test func aContentOfManyRows() {
    let octets = [UInt8](repeating: 1, count: 500)
    var samples = ContentSamples(limit: 4)
    for place in 0..<ContentSamples.rowLimit + 1 {
      var note = ContentNotes.Note()
      note.sample = octets
      samples.offer(&note, size: 500, place: place)
      let totals = samples.totals(rows: 100, GzipEstimate())
      #expect(totals.all.octets == 500 * (place + 1))
      #expect(totals.rows.count { $0.octets > 0 } == (place < ContentSamples.rowLimit ? place + 1 : 0))
    }
  }

  /// Lengths that chosen octets make immense leave estimates in bounds.
  @Test func immenseLengths() {
    var samples = ContentSamples(limit: 2)
    for size in [Int.max, Int.max - 1, 1 << 60, 3, 2, 1] {
      var note = ContentNotes.Note()
      note.sample = [UInt8](repeating: UInt8(size & 0xff), count: 3)
      for _ in 0..<3 { samples.offer(&note, size: size, place: 0) }
    }
    let totals = samples.totals(rows: 1, GzipEstimate())
    #expect(totals.rows[0].octets > 0 && totals.rows[0].compressed >= 0)
    #expect((totals.all.estimate(of: .max) ?? -1) >= 0)
    samples.close()
    #expect(samples.memory > 0)
  }
}
