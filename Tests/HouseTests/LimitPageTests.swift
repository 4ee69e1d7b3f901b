import Foundation
import HTTPReassembly
import Testing

/// `docs/limits.md` has every limit with its value, and no other.
@Suite struct LimitPageTests {
  private let text: String
  /// The limits of the page's tables with their values; durations are nanoseconds.
  private let page: [String: Int]

  init() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
      "../../docs/limits.md")
    text = try String(contentsOf: file, encoding: .utf8)
    var page: [String: Int] = [:]
    for line in text.split(separator: "\n") where line.hasPrefix("| `") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count > 1 else { continue }
      let words = cells[1].replacing(",", with: "").split(separator: " ")
      guard let number = words.first.flatMap({ Double($0) }) else { continue }
      let isSeconds = words.count > 1 && words[1] == "s"
      page[cells[0].filter { $0 != "`" }] = Int((number * (isSeconds ? 1e9 : 1)).rounded())
    }
    self.page = page
  }

  @Test func everyLimitIsOnThePageWithItsValue() {
    #expect(Limits.all.count > 80)
    for (name, value) in Limits.all where !Limits.unseen.contains(name) {
      #expect(page[name] == value, "\(name) is \(value)")
    }
  }

  @Test func thePageHasNoOther() {
    let known = Limits.closed.union(Limits.all.keys)
    #expect(Set(page.keys).subtracting(known) == [])
    #expect(Limits.closed.subtracting(page.keys) == [])
    #expect(Limits.closed.isDisjoint(with: Limits.all.keys))
    #expect(Limits.unseen.isDisjoint(with: page.keys) && Limits.unseen.isDisjoint(with: Limits.closed))
  }

  /// Every anomaly that says that something is full or too long is named, as what says that a limit was reached.
  @Test func anomaliesOfLimitsAreNamed() {
    let names = Anomaly.allCases.map(\.rawValue).filter { name in
      ["full", "too_", "beyond_limit", "hold_limit"].contains { name.contains($0) }
    }
    #expect(names.count > 5)
    #expect(names.filter { !text.contains("`\($0)`") } == [])
  }
}
