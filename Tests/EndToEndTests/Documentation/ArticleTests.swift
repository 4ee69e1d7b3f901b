import Foundation
import Testing

/// The articles of the libraries: their links hold.
@Suite struct ArticleTests {
  private static let hasDocc = Environment.tool("docc") != nil || Environment.tool("xcrun") != nil

  /// `docc` takes the catalogues, and every link in them leads somewhere: warnings are errors.
  @Test(.enabled(if: hasDocc, "the toolchain has no docc")) func cataloguesCompile() throws {
    let scratch = try Scratch()
    let script = Document.root.appendingPathComponent("scripts/build-docs")
    let outcome = try Command.run(script, [scratch.path("docs"), Sniffer.productsFolder.path])
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.error)")
    #expect(Document.articles.count >= 8)
    for article in Document.articles where !article.text.hasPrefix("# ``") {
      let parts = article.name.split(separator: "/")
      let name = parts[3].dropLast(".md".count).lowercased()
      let data = "docs/\(parts[1]).doccarchive/data/documentation/\(parts[1].lowercased())/\(name).json"
      #expect(FileManager.default.fileExists(atPath: scratch.path(data)), "\(data)")
    }
  }
}
