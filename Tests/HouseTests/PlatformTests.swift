import Foundation
import Testing

/// CONTRIBUTING lists each file whose code differs between Linux and macOS, because no test here runs there.
@Suite struct PlatformTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../..").standardized

  /// Whether a file has a condition on the platform that does more than to import the system's own module.
  static func differs(_ text: String) -> Bool {
    let conditions = text.matches(of: #/(?m)^ *#(?:if|elseif) +(.*)$/#).map { String($0.output.1) }
    // The first `canImport(Glibc)` and `canImport(FoundationNetworking)` of a file choose an import.
    let imports = ["Glibc", "FoundationNetworking"]
    return conditions.contains {
      $0.contains("os(") || $0.contains("!canImport")
        || $0.contains(#/canImport\((Darwin|ObjectiveC|SwiftUI|WebKit)\)/#)
    } || imports.contains { name in conditions.count { $0.contains("canImport(\(name))") } > 1 }
  }

  @Test func everyDifferenceIsListed() throws {
    let guide = try String(contentsOf: Self.root.appendingPathComponent("CONTRIBUTING.md"), encoding: .utf8)
    let section = try #require(guide.components(separatedBy: "\n## macOS\n").last)
    let listed = Set(section.matches(of: #/`([A-Za-z0-9+]+\.swift)`/#).map { String($0.output.1) })
    let sources = Self.root.appendingPathComponent("Sources")
    let paths = FileManager.default.enumerator(atPath: sources.path)?.allObjects as? [String] ?? []
    let differing = try paths.filter { $0.hasSuffix(".swift") }.filter {
      Self.differs(try String(contentsOf: sources.appendingPathComponent($0), encoding: .utf8))
    }
    let names = Set(differing.map { String($0.split(separator: "/").last ?? "") })
    #expect(names.count > 30)
    #expect(names.subtracting(listed) == [], "not listed")
    #expect(listed.subtracting(names) == [], "listed, and the same everywhere")
  }

  @Test func importsAreNoDifference() {
    #expect(!Self.differs("#if canImport(Glibc)\n  import Glibc\n#elseif canImport(Musl)\n  import Musl\n#endif"))
    #expect(Self.differs("#if canImport(Glibc)\n#endif\n  #if canImport(Glibc)\n  #endif"))
    #expect(Self.differs("  #if os(Linux)\n  #endif"))
    #expect(Self.differs("#if !canImport(FoundationNetworking)\n#endif"))
  }

  /// What CI runs is what a person is told to run, on both systems.
  @Test func continuousIntegrationRunsTheCommandsOfThePages() throws {
    let text = try String(contentsOf: Self.root.appendingPathComponent(".github/workflows/ci.yml"), encoding: .utf8)
    let jobs = text.components(separatedBy: "\n  macos:\n")
    try #require(jobs.count == 2)
    for job in jobs {
      for command in ["make run", "make test"] { #expect(job.contains("- run: \(command)\n"), "\(command)") }
    }
  }
}
