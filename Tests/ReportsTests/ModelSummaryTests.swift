import HTTPReassembly
import Testing

@testable import EstimateReports
@testable import Estimates
@testable import Reports

/// What `sniffer models` prints.
@Suite struct ModelSummaryTests {
  private func errors(hostile: Bool = false) -> ModelErrors {
    var errors = ModelErrors(ModelName.allCases, configuration: Configuration())
    for number in 1...40 {
      var row = Message()
      row.number = number
      row.kind = number % 2 == 0 ? .response : .request
      row.octets.startLine = 30
      row.octets.header = 1_000_000
      row.octets.body = number * 123_456
      var message = WireMessage(row: row)
      message.hostOctets = Array((hostile ? "\u{1b}[31m\u{202e}h" : "a.example").utf8)
      message.pathOctets = Array("/a/rather/long/path/that/goes/on/\(number / 4)".utf8)
      let said = ModelName.allCases.indices.map { model in
        number == 7 ? nil : PartLengths(line: 31, header: 999_000 + model, body: number * 123_000)
      }
      errors.add(message, said)
    }
    return errors
  }

  private func totals() -> Totals { emptyTotals() }

  @Test(arguments: [40, 60, 80, 100, 132, 200], [false, true])
  func fitsTheWidth(_ width: Int, _ showsParts: Bool) {
    let text = ModelSummary(errors(), totals: totals(), showsParts: showsParts).text(width: width)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.allSatisfy { DisplayWidth.of(String($0)) <= width })
    for name in ModelName.allCases where width >= 60 { #expect(text.contains(name.rawValue)) }
    #expect(text.contains("total"))
    #expect(text.hasSuffix("ledger balanced: 0 bytes\n"))
  }

  @Test func showsSignsSumsMeansAndTheWorst() throws {
    let text = ModelSummary(errors(), totals: totals()).text(width: 200)
    let lines = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    let own = lines.filter { $0.first == "networkeye" }
    try #require(own.count == 4)
    // 19 of 20 requests: 1, -1000, and -456 for each of 1 + 3 + … + 39 less 7 = 393.
    #expect(own[0] == ["networkeye", "19", "+19", "-19,000", "-179,208", "0", "-198,189", "-0.3%"])
    // Worst: message 39 with 1 - 1000 - 456 * 39. Paths 0 to 9 have two requests each, but 1 has 5 alone.
    #expect(own[1].prefix(4) == ["networkeye", "-10,431.0", "-18,783", "39"])
    #expect(own[1][4] == "-19,818.9")
    #expect(own[1][5] == "-36,654")
    #expect(own[1][6].hasSuffix("/9"))
    #expect(text.contains("messages that a model can say nothing of: networkeye 1, hertz 1"))
  }

  @Test func escapesWhatComesFromTheWire() {
    let text = ModelSummary(errors(hostile: true), totals: totals()).text(width: 200)
    #expect(!text.unicodeScalars.contains { $0.value == 0x1b || $0.value == 0x202e })
    #expect(text.contains("\\x1b[31m"))
  }

  @Test func numbersKeepTheirSigns() {
    #expect(Numerals.signed(1234) == "+1,234")
    #expect(Numerals.signed(-1234) == "-1,234")
    #expect(Numerals.signed(0) == "0")
    #expect(Numerals.mean(-1, of: 4) == "-0.3")
    #expect(Numerals.mean(1, of: 1000) == "+<0.1")
    #expect(Numerals.mean(-12_345, of: 10) == "-1,234.5")
    #expect(Numerals.mean(0, of: 3) == "0.0")
    #expect(Numerals.mean(3, of: 0) == "")
    #expect(Numerals.mean(.max, of: 1) == "+9,223,372,036,854,775,807")
    #expect(Numerals.signedPercent(-50, of: 100) == "-50.0%")
    #expect(Numerals.signedPercent(1, of: 1_000_000) == "+<0.1%")
    #expect(Numerals.signedPercent(.max, of: 1) == "+>")
    #expect(Numerals.signedPercent(1, of: 0) == "")
  }
}
