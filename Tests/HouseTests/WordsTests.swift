import Foundation
import Testing

/// Comments and pages are written so that each sentence has a subject that a reader finds at once (CONTRIBUTING.md).
@Suite struct WordsTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
    .standardized

  /// Files with sentences that may stay as they are, each with a part of the sentence. The page has sections with these names.
  private static let exceptions: [(file: String, part: String)] = [
    ("docs/page.md", "What would save most"), ("docs/page.md", "What the bytes are"),
  ]

  /// Files below a folder with an ending.
  private static func files(_ folder: String, _ ending: String) -> [String] {
    let paths =
      FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)?.allObjects as? [String]
    return (paths ?? []).filter { $0.hasSuffix(ending) }.map { folder + "/" + $0 }.sorted()
  }

  @Test(arguments: [("Sources", ".swift"), ("docs", ".md"), ("", ".md")])
  func sentencesHaveSubjects(_ folder: String, _ ending: String) throws {
    let files = folder.isEmpty ? ["README.md", "CONTRIBUTING.md", "SECURITY.md"] : Self.files(folder, ending)
    #expect(files.count > 2)
    var faults: [String] = []
    for file in files {
      let text = try String(contentsOf: Self.root.appendingPathComponent(file), encoding: .utf8)
      for (line, fault) in Prose(text, isSwift: ending == ".swift").faults
      where !Self.exceptions.contains(where: { $0.file == file && fault.contains($0.part) }) {
        faults.append("\(file):\(line): \(fault)")
      }
    }
    #expect(faults.isEmpty, "\(faults.joined(separator: "\n"))")
  }

  /// Both sides of a merge that nobody settled are no text.
  @Test(arguments: [("Sources", ""), ("docs", ".md"), ("Tests", ".swift"), ("", ".md")])
  func noConflictIsLeft(_ folder: String, _ ending: String) throws {
    let files = folder.isEmpty ? ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"] : Self.files(folder, ending)
    let marks = ["<<<<<<<", ">>>>>>>"].map { "\n" + $0 + " " }
    for file in files {
      guard let text = try? String(contentsOf: Self.root.appendingPathComponent(file), encoding: .utf8) else {
        continue
      }
      #expect(!marks.contains { text.contains($0) }, "\(file)")
    }
  }

  // MARK: Made-up texts

  @Test func faultsAreFound() {
    let text = """
      /// What is gathered of a section. The count of which nobody knows.
      /// - Returns: Who analysed it.
      let a = 1  // What stands behind code is not looked at.
      // Is it right? What is it?
      /// `What` is a name, and a hole is a gap.
      /// ```
      /// What is code.
      /// ```
      """
    #expect(
      Prose(text, isSwift: true).faults.map { "\($0.line) \($0.fault)" } == [
        "1 subject: What is gathered of a section.", "1 of which", "2 subject: Who analysed it.", "2 analyze", "4 gap",
      ])
    let page = "# What it does\n\nA page.\n\n| What | the same of it |\n"
    #expect(Prose(page, isSwift: false).faults.map(\.fault) == ["subject: What", "the same of"])
  }
}
