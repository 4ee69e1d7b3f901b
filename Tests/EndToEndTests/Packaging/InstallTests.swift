import Foundation
import Testing

/// `make install` and `make uninstall`, with the program that these tests are of.
@Suite(.serialized, .enabled(if: Environment.tool("make") != nil, "needs make")) struct InstallTests {
  private let scratch: Scratch
  private static let files = [
    "bin/sniffer", "lib/systemd/system/sniffer-keep@.service", "lib/systemd/system/sniffer-keep@.timer",
    "lib/systemd/system/sniffer@.service", "libexec/sniffer-keep", "share/bash-completion/completions/sniffer",
    "share/fish/vendor_completions.d/sniffer.fish", "share/man/man1/sniffer-analyze.1",
    "share/man/man1/sniffer-budget.1", "share/man/man1/sniffer-diff.1", "share/man/man1/sniffer-guide.1",
    "share/man/man1/sniffer-interfaces.1",
    "share/man/man1/sniffer-keys.1", "share/man/man1/sniffer-live.1", "share/man/man1/sniffer-merge.1",
    "share/man/man1/sniffer-models.1",
    "share/man/man1/sniffer-top.1", "share/man/man1/sniffer-verify.1",
    "share/man/man1/sniffer.1",
    "share/zsh/site-functions/_sniffer",
  ]

  init() throws { scratch = try Scratch() }

  private func make(_ target: String, _ variables: [String]) throws -> Outcome {
    let repository = Corpus.folder.deletingLastPathComponent().path
    return try Command.run(
      try #require(Environment.tool("make")),
      ["-C", repository, target, "PROGRAM=\(Sniffer.url.path)"] + variables)
  }

  private func files(in folder: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: folder).filter {
      let type = try FileManager.default.attributesOfItem(atPath: "\(folder)/\($0)")[.type] as? FileAttributeType
      return type != .typeDirectory
    }.sorted()
  }

  @Test func everythingIsInItsPlaceAndGoesAgain() throws {
    let stage = scratch.path("stage")
    let variables = ["DESTDIR=\(stage)", "PREFIX=/opt/example"]
    let installed = try make("install", variables)
    try #require(installed.status == 0, "\(installed.error)")
    let root = "\(stage)/opt/example"
    // Pages and the dashboard are compared with packages by `PackageTests`.
    let documents = "opt/example/share/doc/sniffer/"
    #expect(
      try files(in: stage).filter { !$0.hasPrefix(documents) } == Self.files.map { "opt/example/\($0)" })
    #expect(try files(in: stage).contains(documents + "docs/quick-start/ios.md"))
    let version = try Command.run(URL(fileURLWithPath: "\(root)/bin/sniffer"), ["--version"])
    #expect(try version.output == Sniffer.run(["--version"]).output)
    let unit = try String(contentsOfFile: "\(root)/lib/systemd/system/sniffer@.service", encoding: .utf8)
    #expect(unit.contains("ExecStart=/opt/example/bin/sniffer live ") && !unit.contains("/usr/local"))
    let page = try String(contentsOfFile: "\(root)/share/man/man1/sniffer-live.1", encoding: .utf8)
    #expect(page.contains("\\-\\-rotate\\-size") && page.contains("\\-\\-idle\\-timeout"))
    // What does nothing in live is not in its page.
    #expect(!page.contains("no\\-progress"))
    let removed = try make("uninstall", variables)
    #expect(removed.status == 0)
    #expect(try files(in: stage) == [])
  }

  @Test(.enabled(if: Environment.tool("systemd-analyze") != nil, "systemd-analyze is not installed"))
  func unitsAreWhatSystemdTakes() throws {
    let analyze = try #require(Environment.tool("systemd-analyze"))
    // The programs that the units name have to be there.
    let prefix = scratch.path("prefix")
    let installed = try make("install", ["PREFIX=\(prefix)"])
    try #require(installed.status == 0, "\(installed.error)")
    let units = "\(prefix)/lib/systemd/system"
    for name in try FileManager.default.contentsOfDirectory(atPath: units) {
      let instance = "\(units)/\(name.replacing("@", with: "@eth0"))"
      try FileManager.default.copyItem(atPath: "\(units)/\(name)", toPath: instance)
      let outcome = try Command.run(analyze, ["verify", "--man=no", instance])
      #expect(outcome.status == 0 && outcome.errorLines.filter { $0.contains("sniffer") } == [], "\(outcome.error)")
    }
    // From 0, nothing exposed, to 10; systemd calls up to 2.0 "OK", beyond it "MEDIUM" begins at 5.0.
    let outcome = try Command.run(
      analyze, ["security", "--offline=true", "--threshold=20", "--no-pager", "\(units)/sniffer@eth0.service"])
    #expect(outcome.status == 0, "\(outcome.outputLines.last ?? outcome.error)")
  }
}
