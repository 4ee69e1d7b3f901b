import Foundation
import Testing

/// `make package`: the parts that need no minutes. `make package-check` builds, compares and installs the rest.
@Suite(
  .enabled(if: Environment.tool("make") != nil, "needs make"),
  .enabled(if: Environment.tool("git") != nil, "needs git"))
struct PackageTests {
  @Test func sourceAndFormulaAreOfOneVersion() throws {
    let scratch = try Scratch()
    let make = try #require(Environment.tool("make"))
    let outcome = try Command.run(
      make,
      [
        "-C", Document.root.path, "package", "PROGRAM=\(Sniffer.url.path)", "PACKAGES=\(scratch.path("made"))",
        "KINDS=source formula",
      ])
    try #require(outcome.status == 0, "\(outcome.error)")
    let version = try Sniffer.run(["--version"]).output.trimmingCharacters(in: .whitespacesAndNewlines)
    let archive = scratch.path("made/sniffer-\(version).tar.gz")
    let formula = try String(contentsOfFile: scratch.path("made/sniffer.rb"), encoding: .utf8)
    let sum = try Command.shell("sha256sum \"$1\"", [archive]).output.prefix(64)
    #expect(sum.count == 64 && formula.contains("sha256 \"\(sum)\""))
    #expect(formula.contains("/v\(version)/sniffer-\(version).tar.gz\"") && !formula.contains("@VERSION"))
    let names = try Command.shell("tar -tzf \"$1\"", [archive]).output
    for name in ["Package.swift", "Makefile", "Sources/Sniffer/SnifferCommand.swift", "packaging/sniffer.rb.in"] {
      #expect(names.contains("sniffer-\(version)/\(name)\n"), "\(name)")
    }
    #expect(!names.contains("/captures/demo"))
    if let ruby = Environment.tool("ruby") {
      #expect(try Command.run(ruby, ["-c", scratch.path("made/sniffer.rb")]).status == 0)
    }
    let sums = try Command.shell("cd \"$1\" && sha256sum -c SHA256SUMS", [scratch.path("made")])
    #expect(sums.status == 0, "\(sums.error)")
  }

  /// Of ICU's data what is looked up by name stays in order, and aligned.
  @Test func theDataOfICUIsStillAPackage() throws {
    let python = try #require(Environment.tool("python3"))
    let script = """
      import sys, struct
      sys.dont_write_bytecode = True
      sys.path.insert(0, sys.argv[1])
      import icu_data
      names = [b'icudt76l/root.res', b'icudt76l/uts46.nrm', b'icudt76l/zoneinfo64.res', b'icudt76l/zu.res']
      found = [(name, bytes([index]) * (17 * index + 1)) for index, name in enumerate(names)]
      header = struct.pack('<H', 144) + bytes([0xDA, 0x27]) + bytes(8) + b'CmnD' + bytes(128)
      package = icu_data.packed(header, found)
      again, items = icu_data.items(package)
      assert again == header
      assert [name for name, _ in items] == names
      for (_, octets), (_, made) in zip(found, items):
          assert made[:len(octets)] == octets and not any(made[len(octets):]) and len(made) % 16 == 0
      kept = [name for name in names if icu_data.KEPT.fullmatch(name.decode().split('/', 1)[1])]
      assert kept == names[:3], kept
      """
    let packaging = Document.root.appendingPathComponent("packaging").path
    let outcome = try Command.run(python, ["-c", script, packaging])
    #expect(outcome.status == 0, "\(outcome.error)")
  }
}
