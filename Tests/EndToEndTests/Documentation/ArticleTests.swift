import Foundation
import Testing

/// The articles of the libraries: their code is that of the sources, and their links hold.
@Suite struct DocumentedCodeTests {
  private static let sources: [String] = {
    ["Sources", "Tests"].flatMap { folder -> [String] in
      let top = Document.root.appendingPathComponent(folder)
      let files = FileManager.default.enumerator(at: top, includingPropertiesForKeys: nil)?.allObjects as? [URL] ?? []
      return files.filter { $0.pathExtension == "swift" }.compactMap {
        (try? String(contentsOf: $0, encoding: .utf8)).map(flat)
      }
    }
  }()

  /// The lines without what they are indented by, and without the marks of a comment: examples stand in those, too.
  private static func flat(_ text: String) -> String {
    text.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
  }

  @Test(arguments: Document.articles)
  func codeIsThatOfTheSources(_ article: Document) {
    for block in article.blocks("swift") {
      let wanted = Self.flat(block)
      let inComment = wanted.components(separatedBy: "\n").map { "/// " + $0 }.joined(separator: "\n")
      #expect(
        Self.sources.contains { ("\n" + $0 + "\n").contains("\n" + wanted + "\n") || $0.contains(inComment) },
        "\(article.name): not in the sources any more:\n\(block)")
    }
  }

  @Test func thereAreArticles() {
    #expect(Document.articles.count >= 8)
    #expect(Document.articles.flatMap { $0.blocks("swift") }.count >= 20)
  }

  /// `docc` takes the catalogues, and every link in them leads somewhere: warnings are errors.
  @Test func cataloguesCompile() throws {
    let products = Sniffer.url.deletingLastPathComponent()
    let scratch = try Scratch()
    guard Environment.tool("docc") != nil || Environment.tool("xcrun") != nil else {
      return Environment.skip("cataloguesCompile", because: "the toolchain has no docc")
    }
    let script = Document.root.appendingPathComponent("scripts/build-docs")
    let outcome = try Command.run(script, [scratch.path("docs"), products.path])
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.error)")
    for article in Document.articles where !article.text.hasPrefix("# ``") {
      let parts = article.name.split(separator: "/")
      let name = parts[3].dropLast(".md".count).lowercased()
      let data = "docs/\(parts[1]).doccarchive/data/documentation/\(parts[1].lowercased())/\(name).json"
      #expect(FileManager.default.fileExists(atPath: scratch.path(data)), "\(data)")
    }
  }
}
