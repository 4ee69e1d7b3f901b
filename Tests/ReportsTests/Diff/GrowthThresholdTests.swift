import Testing

@testable import Reports

@Suite struct GrowthThresholdTests {
  @Test func sharesAreReadExactly() {
    #expect(Proportion("5%")?.millionths == 50_000)
    #expect(Proportion("0.05")?.millionths == 50_000)
    #expect(Proportion("0.0001%")?.millionths == 1)
    #expect(Proportion("29.000000%")?.millionths == 290_000)
    #expect(Proportion("0")?.millionths == 0)
    #expect(Proportion("1000")?.millionths == 1_000_000_000)
    #expect(Proportion("100000%")?.millionths == 1_000_000_000)
    for wrong in [
      "", "%", "-5%", "5 %", "5%%", ".5", "5.", "1e3", "nan", "0x1p3", "+5%", "0.00001%", "0.0000001", "1000.000001",
      "99999999999999999999", "1.2.3", "٣%",
    ] { #expect(Proportion(wrong) == nil, "\(wrong)") }
  }

  /// In floating point 0.29 × 100 is less than 29, and 29 would be beyond 29% of 100.
  @Test(arguments: 1...99) func exactlyAtTheShareIsNotBeyond(_ percent: Int) throws {
    let threshold = GrowthThreshold(share: try share("\(percent)%"))
    let base = counts([.requestIP: 40, .responseIP: 60])
    #expect(!threshold.isExceeded(from: base, to: counts([.responseIP: 100 + percent])))
    #expect(threshold.isExceeded(from: base, to: counts([.responseIP: 101 + percent])))
    #expect(!threshold.isExceeded(from: base, to: counts([.requestIP: 1])))
  }

  @Test func bothThresholdsHaveToBePassed() throws {
    let threshold = GrowthThreshold(share: try share("10%"), octets: 500)
    func exceeds(_ base: Int, _ new: Int) -> Bool {
      threshold.isExceeded(from: counts([.responseIP: base]), to: counts([.responseIP: new]))
    }
    // 50% but few octets; many octets but 5%; both at the edge; both beyond.
    #expect(!exceeds(100, 150))
    #expect(!exceeds(20_000, 21_000))
    #expect(!exceeds(5000, 5500))
    #expect(exceeds(5000, 5501))
    // What is new grew from nothing.
    #expect(!exceeds(0, 500))
    #expect(exceeds(0, 501))
  }

  @Test func withoutAShareOctetsDecide() {
    let threshold = GrowthThreshold(share: nil, octets: 10)
    #expect(!threshold.isExceeded(from: counts([.responseIP: 5]), to: counts([.responseIP: 15])))
    #expect(threshold.isExceeded(from: counts([.responseIP: 5]), to: counts([.responseIP: 16])))
  }

  @Test func perRequestComparesAverages() throws {
    let threshold = GrowthThreshold(share: try share("50%"), isPerRequest: true)
    func exceeds(_ base: (Int, Int), _ new: (Int, Int)) -> Bool {
      threshold.isExceeded(
        from: counts([.responseIP: base.0, .requests: base.1]), to: counts([.responseIP: new.0, .requests: new.1]))
    }
    // 100 by request, then 150 and a little more, although the sum is far more or far less.
    #expect(!exceeds((300, 3), (15_000, 100)))
    #expect(exceeds((300, 3), (15_001, 100)))
    #expect(exceeds((300, 3), (151, 1)))
    // 100/3 by request: 50 is exactly half more.
    #expect(!exceeds((100, 3), (50, 1)))
    #expect(!exceeds((0, 0), (100, 1)) && !exceeds((100, 1), (100, 0)))
  }

  @Test func theLargestFiguresDoNotOverflow() throws {
    let most = counts([
      .requestIP: APIColumn.requestIP.limit, .responseIP: APIColumn.responseIP.limit,
      .requests: APIColumn.requests.limit,
    ])
    let one = counts([.requestIP: 1, .requests: 1])
    for isPerRequest in [true, false] {
      let threshold = GrowthThreshold(
        share: try share("1000"), octets: GrowthThreshold.octetLimit, isPerRequest: isPerRequest)
      #expect(!threshold.isExceeded(from: most, to: most))
      #expect(threshold.isExceeded(from: one, to: most) == !isPerRequest)
      #expect(!threshold.isExceeded(from: most, to: one))
    }
    #expect(most.thousandthsPerRequest == 2_048_000)
  }
}
