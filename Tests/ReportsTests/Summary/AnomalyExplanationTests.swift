import Foundation
import HTTPReassembly
import Testing

@testable import Reports

@Suite struct AnomalyExplanationTests {
  /// Each anomaly has an event, a meaning and advice: sentences of at most 25 words.
  @Test(arguments: Anomaly.allCases) func everyAnomalyHasWords(_ anomaly: Anomaly) {
    #expect(AnomalyExplanation.isKnown(anomaly), "\(anomaly.rawValue)")
    let explanation = AnomalyExplanation(anomaly)
    #expect(
      !explanation.event.hasSuffix(".") && explanation.meaning.hasSuffix(".") && explanation.remedy.hasSuffix("."))
    for text in [explanation.event, explanation.meaning, explanation.remedy] {
      #expect(text.first?.isUppercase == true && text.split(separator: " ").count <= 25, "\(text)")
      #expect(!text.contains(/\b(What|Who|of which|that of|holes?|analys\w*)\b/), "\(text)")
    }
  }

  /// The page of the documentation has the same table.
  @Test func thePageHasThem() throws {
    let page = URL(filePath: #filePath).appending(path: "../../../../docs/anomalies.md").standardized
    let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| `") }
    let expected = Anomaly.allCases.map { anomaly in
      let words = AnomalyExplanation(anomaly)
      return "| `\(anomaly.rawValue)` | \(words.event) | \(words.meaning) | \(words.remedy) |"
    }
    #expect(rows.map(String.init) == expected)
  }
}
