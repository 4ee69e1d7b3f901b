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
        "KINDS=source formula", "REPOSITORY=owner/name",
      ])
    try #require(outcome.status == 0, "\(outcome.error)")
    let version = try Sniffer.run(["--version"]).output.trimmingCharacters(in: .whitespacesAndNewlines)
    let archive = scratch.path("made/sniffer-\(version).tar.gz")
    let formula = try String(contentsOfFile: scratch.path("made/sniffer.rb"), encoding: .utf8)
    let sum = try Command.shell("sha256sum \"$1\"", [archive]).output.prefix(64)
    #expect(sum.count == 64 && formula.contains("sha256 \"\(sum)\""))
    #expect(formula.contains("https://github.com/owner/name/releases/"))
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

  /// `make install`, the tar.gz and the .deb have the same program. Pages and the dashboard are with it, and their links lead to each other.
  @Test(.enabled(if: Environment.tool("dpkg-deb") != nil, "dpkg-deb is not installed"))
  func theInstalledFilesAreTheSameEverywhere() throws {
    let scratch = try Scratch()
    let outcome = try Command.shell(
      """
      set -e
      cd "$1"
      make package PROGRAM="$2" PACKAGES="$3/made" KINDS='tar deb'
      make -s install PROGRAM="$2" DESTDIR="$3/installed" PREFIX=/usr PAGES="$3/pages"
      cd "$3"
      mkdir tar
      tar -C tar -xzf made/*.tar.gz --strip-components 1
      dpkg-deb -x made/*.deb deb
      for one in tar deb/usr installed/usr; do cmp "$2" $one/bin/sniffer; done
      for one in deb/usr tar; do
        diff -r installed/usr/share/doc/sniffer $one/share/doc/sniffer | grep -v ': \\(LICENSE\\|CHANGELOG.md\\|copyright\\|changelog.*gz\\)$' || true
      done >differences
      cat differences
      if dpkg-deb -f made/*.deb Homepage | grep .; then exit 1; fi
      """, [Document.root.path, Sniffer.url.path, scratch.url.path])
    try #require(outcome.status == 0, "\(outcome.error)")
    #expect(try String(contentsOfFile: scratch.path("differences"), encoding: .utf8) == "")
    // The build says how far it is.
    for part in ["packs the tar.gz", "packs the .deb"] { #expect(outcome.output.contains("package: \(part)")) }
    let documents = scratch.url.appendingPathComponent("installed/usr/share/doc/sniffer")
    for name in ["README.md", "docs/quick-start.md", "docs/images/page.png", "packaging/grafana-dashboard.json"] {
      #expect(FileManager.default.fileExists(atPath: documents.appendingPathComponent(name).path), "\(name)")
    }
    // Links of the page that is read first.
    for folder in [documents, scratch.url.appendingPathComponent("tar")] {
      let readme = try String(contentsOf: folder.appendingPathComponent("README.md"), encoding: .utf8)
      let links = readme.matches(of: #/\]\(([^):#]+)[)#]/#).map { String($0.output.1) }
      #expect(links.count > 20)
      for link in Set(links) {
        #expect(FileManager.default.fileExists(atPath: folder.appendingPathComponent(link).path), "\(link)")
      }
    }
  }

  /// The program that is installed is as large as the documents say. Debug builds and sanitizers make larger ones, which are not installed.
  @Test func theProgramIsAsSmallAsTheDocumentsSay() throws {
    let linked = Document.root.appendingPathComponent(".build/sniffer").resolvingSymlinksInPath()
    guard Sniffer.url.resolvingSymlinksInPath() == linked else {
      return Environment.skip("theProgramIsAsSmallAsTheDocumentsSay", because: "not the program that make build links")
    }
    let size = try #require(FileManager.default.attributesOfItem(atPath: linked.path)[.size] as? Int)
    #expect(size <= 30_000_000)
    for (page, text) in [("packaging/link", "limit=30000000"), ("docs/quick-start.md", "at most 30 MB")] {
      let words = try String(contentsOf: Document.root.appendingPathComponent(page), encoding: .utf8)
      #expect(words.contains(text), "\(page)")
    }
  }

  /// The place of the repository is a parameter: no file has a name in its stead.
  @Test func noPlaceholderStandsForAnOwner() throws {
    let outcome = try Command.shell(
      "cd \"$1\" && git grep -nIi 'owner/sniffer' -- ':!CHANGELOG.md' ':!Tests'", [Document.root.path])
    #expect(outcome.status == 1, "\(outcome.output)")
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
