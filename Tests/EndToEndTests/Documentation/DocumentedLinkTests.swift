import Foundation
import Testing

/// Every link of a page to another place of this repository leads there.
@Suite struct DocumentedLinkTests {
  @Test(arguments: Document.pages)
  func linksLeadSomewhere(_ page: Document) {
    let folder = (page.name as NSString).deletingLastPathComponent
    for match in page.prose.matches(of: #/\]\(([^)\s]+)\)/#) {
      let target = String(match.output.1)
      guard !target.hasPrefix("https://") else { continue }
      let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let path =
        parts[0].isEmpty
        ? page.name : ((folder as NSString).appendingPathComponent(parts[0]) as NSString).standardizingPath
      let url = URL(fileURLWithPath: path, relativeTo: Document.root).standardizedFileURL
      #expect(FileManager.default.fileExists(atPath: url.path), "\(page.name): \(target)")
      guard parts.count > 1 else { continue }
      let there = try? String(contentsOf: url, encoding: .utf8)
      let anchors = there.map { Document(name: path, text: $0).anchors } ?? []
      #expect(anchors.contains(parts[1]), "\(page.name): no heading for \(target)")
    }
  }

  /// A page that nothing leads to is not read.
  @Test func everyPageIsLinked() {
    let all = Document.pages.map(\.text).joined()
    for page in Document.pages where page.name.hasPrefix("docs/") {
      let name = (page.name as NSString).lastPathComponent
      #expect(all.contains("\(name))") || all.contains("\(name)#"), "nothing leads to \(page.name)")
    }
  }
}
