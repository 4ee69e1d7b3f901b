import HTTPReassembly
import Testing

@testable import Reports

@Suite struct AnomalyExplanationTests {
  /// What is shown is explained.
  @Test(arguments: Anomaly.allCases) func everyAnomalyHasWords(_ anomaly: Anomaly) {
    #expect(AnomalyExplanation.isKnown(anomaly), "\(anomaly.rawValue)")
    let explanation = AnomalyExplanation(anomaly)
    #expect(
      !explanation.event.hasSuffix(".") && explanation.meaning.hasSuffix(".") && explanation.remedy.hasSuffix("."))
  }
}
