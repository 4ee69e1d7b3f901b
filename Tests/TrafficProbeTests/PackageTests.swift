import Foundation
import Testing

/// The package that has nothing but the library: an app that takes it resolves no more than it needs.
@Suite("The package of its own") struct PackageTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../..").standardized

  /// Built beside the tests, so that the next run has little to do.
  @Test("It builds, and resolves GRDB alone", .timeLimit(.minutes(10)))
  func builds() async throws {
    let package = Self.root.appendingPathComponent("packaging/TrafficProbe")
    let scratch = ClientRun.executable.deletingLastPathComponent().appendingPathComponent("TrafficProbe.package")
    let (status, output) = try await aside {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["swift", "build", "--package-path", package.path, "--scratch-path", scratch.path]
      let pipe = Pipe()
      process.standardOutput = pipe
      process.standardError = pipe
      try process.run()
      let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      return (process.terminationStatus, output)
    }
    try #require(status == 0, "\(output)")
    #expect(!output.contains("warning:"), "\(output)")

    struct Resolved: Decodable {
      struct Pin: Decodable { let identity: String }
      let pins: [Pin]
    }
    let resolved = try Data(contentsOf: package.appendingPathComponent("Package.resolved"))
    #expect(try JSONDecoder().decode(Resolved.self, from: resolved).pins.map(\.identity) == ["grdb.swift"])
  }

  /// Every module of the root that the library needs is in the package, as a link that holds in every copy of the repository.
  @Test("Its sources are those of the root")
  func links() throws {
    let folder = Self.root.appendingPathComponent("packaging/TrafficProbe/Sources")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names == ["CZlib", "Shared", "TrafficProbe"])
    for name in names {
      let link = folder.appendingPathComponent(name).path
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "../../../Sources/\(name)")
    }
  }
}
