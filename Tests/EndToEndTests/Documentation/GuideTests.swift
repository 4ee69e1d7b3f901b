import Foundation
import Testing

/// `sniffer guide` and its pages: one text, which works without a terminal.
@Suite struct GuideTests {
  private static let platforms = ["ios", "android", "mac", "linux", "windows"]

  /// The page of each platform is what the command writes. `sniffer guide PLATFORM --page` makes it anew.
  @Test(arguments: platforms) func pageIsTheGuide(_ platform: String) throws {
    let outcome = try Sniffer.run(["guide", platform, "--page"])
    let page = try #require(Document.page("docs/quick-start/\(platform).md"))
    #expect(outcome.status == 0 && outcome.output == page.text)
    // Every command of the page is in the answer on a terminal, too.
    let text = try Sniffer.run(["guide", platform]).output
    let commands = page.blocks.flatMap(\.lines)
    #expect(commands.count > 3)
    for command in commands { #expect(text.contains(command), "\(command)") }
  }

  @Test func everyPlatformHasItsPage() throws {
    let start = try #require(Document.page("docs/quick-start.md"))
    for platform in Self.platforms { #expect(start.text.contains("(quick-start/\(platform).md)")) }
    let names = try FileManager.default.contentsOfDirectory(atPath: Document.root.path + "/docs/quick-start")
    #expect(names.sorted() == Self.platforms.map { $0 + ".md" }.sorted())
  }

  @Test func onlyTheWaysThatFitAreShown() throws {
    let all = try Sniffer.run(["guide", "ios"]).output
    #expect(all.contains("rvictl") && all.contains("ssh root@") && all.contains("mitmdump"))
    let some = try Sniffer.run(["guide", "ios", "--with", "router"]).output
    #expect(!some.contains("rvictl") && some.contains("ssh root@") && !some.contains("mitmdump"))
    let steps = try Sniffer.run(["guide", "ios", "--with", "mac"]).outputLines.filter { $0.first?.isNumber == true }
    #expect(steps == ["1 Packets", "2 Count"], "without ways to keys")
    let none = try Sniffer.run(["guide", "android", "--with", ""])
    #expect(none.status == 64)
    #expect(try Sniffer.run(["guide", "android", "--with", "mac"]).output.contains("PCAPdroid"))
  }

  /// It asks nothing that nobody can answer.
  @Test func withoutATerminalItNeedsAPlatform() throws {
    let outcome = try Sniffer.run(["guide"])
    #expect(outcome.status == 64 && outcome.output.isEmpty && outcome.error.contains("ios, android"))
    #expect(try Sniffer.run(["guide", "amiga"]).status == 64)
  }
}
