import TestSupport
import Testing

@testable import Estimates

/// The unit of a log's column, from its figures beside the octets.
@Suite struct FigureUnitTests {
  /// Octets of messages as they are, and the figures of a meter with one error in 30.
  private func column(_ seed: UInt64, _ figure: (Int) -> Int) -> (octets: [Int], figures: [Int]) {
    var random = SeededRandom(seed: seed)
    let octets = (0..<240).map { _ in
      Int.random(in: 0..<3, using: &random) == 0
        ? Int.random(in: 1000..<60_000, using: &random) : Int.random(in: 80..<500, using: &random)
    }
    let figures = octets.enumerated().map { index, octets in
      figure(octets) + (index % 30 == 29 ? Int.random(in: 1..<300, using: &random) : 0)
    }
    return (octets, figures)
  }

  private func fitted(_ column: (octets: [Int], figures: [Int]), shared: [FigureUnit] = []) -> FigureUnit {
    FigureUnit.fitted(column.figures, ways: 1, shared: shared) { _ in column.octets }
  }

  /// Errors change zeros, the divisor of all figures, and the largest figure.
  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func errorsHideNoUnit(_ seed: UInt64) {
    #expect(fitted(column(seed) { ($0 + 500) / 1000 }).words == "kB, rounded")
    #expect(fitted(column(seed) { ($0 + 1023) / 1024 }).words == "KiB, rounded up")
    #expect(fitted(column(seed) { $0 / 16 * 16 }).words == "rounded down to multiples of 16 bytes")
    #expect(fitted(column(seed) { ($0 + 5) / 10 * 10 }).words == "rounded to multiples of 10 bytes")
    #expect(fitted(column(seed) { $0 * 1000 / 1024 }).words == "bytes times 125/128, rounded down")
    #expect(fitted(column(seed) { $0 * 105 / 100 }).words == "bytes times 1.05, rounded down")
    #expect(fitted(column(seed) { ($0 + 2) / 3 * 4 }).words == "Base64")
    #expect(fitted(column(seed) { $0 * 8 }).words == "bits")
    #expect(fitted(column(seed) { $0 }) == .octets)
    #expect(fitted(column(seed) { $0 - 1 }) == .octets)
  }

  /// A unit of octets that nobody uses is a scale, and goes behind a form of fields.
  @Test func aUnitThatNobodyUsesIsAScale() {
    #expect(FigureUnit(denominator: 26).isScale && FigureUnit(numerator: 125, denominator: 128).isScale)
    #expect(!FigureUnit(denominator: 1024).isScale && !FigureUnit(denominator: 1000).isScale)
    #expect(!FigureUnit.base64.isScale && !FigureUnit.octets.isScale && !FigureUnit(numerator: 8).isScale)
    #expect(!FigureUnit(denominator: 16, step: 16).isScale)
  }

  @Test func figuresWithoutAnythingInCommonHaveNoUnit() {
    for seed in 1...20 as ClosedRange<UInt64> {
      var random = SeededRandom(seed: seed)
      #expect(fitted(column(seed) { _ in Int.random(in: 0..<2000, using: &random) }) == .octets)
    }
  }

  /// 31 octets times 125/128 are 30: as a line that ends with LF.
  @Test func aUnitOfAnotherColumnGoesBeforeAConstantDifference() {
    let octets = (0..<60).map { 15 + $0 % 25 }
    let lines = (octets: octets, figures: octets.map { $0 * 1000 / 1024 })
    #expect(fitted(lines) == .octets)
    let unit = FigureUnit(numerator: 125, denominator: 128)
    #expect(fitted(lines, shared: [unit]) == unit)
    #expect(fitted((octets, octets), shared: [unit]) == .octets)
  }

  /// Figures that kB and KiB give, both rounded up, show neither.
  @Test func twoUnitsThatFitAsManyAreBothNamed() {
    let octets = (0..<20).map { 1000 * ($0 % 5) + 300 + 20 * $0 }
    #expect(fitted((octets, octets.map { ($0 + 999) / 1000 })).words == "kB, rounded up, or KiB, rounded up")
  }
}
