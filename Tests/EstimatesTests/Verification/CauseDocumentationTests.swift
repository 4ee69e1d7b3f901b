import Estimates
import Foundation
import Testing

/// Every cause that `verify` can name stands on its page, with what to do about it.
@Test func everyCauseIsDocumented() throws {
  let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent()
  let page = try String(contentsOf: root.appendingPathComponent("docs/verify.md"), encoding: .utf8)
  for cause in Cause.Kind.allCases {
    let row = page.components(separatedBy: "\n").first {
      $0.hasPrefix("| `\(cause.rawValue)` |") || $0.hasPrefix("| `\(cause.rawValue) (NAME)` |")
    }
    #expect(row?.split(separator: "|").count == 3, "\(cause.rawValue): \(row ?? "no row")")
  }
}
