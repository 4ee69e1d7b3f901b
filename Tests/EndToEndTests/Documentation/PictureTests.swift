import Foundation
import Testing

/// The README's pictures are drawn from the demo capture, and show what the program shows now.
@Suite struct PictureTests {
  private static let folder = Document.root.appendingPathComponent("docs/images")

  /// `docs/images/draw` keeps digests of its inputs beside the pictures. Other digests mean other inputs.
  @Test func picturesAreNotOlderThanTheirInputs() throws {
    let kept = try String(contentsOf: Self.folder.appendingPathComponent("inputs.sha256"), encoding: .utf8)
    let outcome = try Command.run(Self.folder.appendingPathComponent("inputs"), [Sniffer.url.path])
    try #require(outcome.status == 0, "\(outcome.error)")
    #expect(outcome.output == kept, "run `make images`: it draws the pictures anew")
  }

  /// Every picture of the README has a digest.
  @Test func everyPictureIsDrawn() throws {
    let readme = try String(contentsOf: Document.root.appendingPathComponent("README.md"), encoding: .utf8)
    let shown = readme.matches(of: #/!\[[^\]]+\]\(docs\/images\/([^)]+)\)/#).map { String($0.output.1) }
    let kept = try String(contentsOf: Self.folder.appendingPathComponent("inputs.sha256"), encoding: .utf8)
    #expect(!shown.isEmpty)
    #expect(Set(shown) == Set(kept.split(separator: "\n").map { String($0.prefix { $0 != " " }) }))
  }
}
