import Foundation
import Testing

/// The package that has nothing but the library: an app that takes it resolves no more than it needs.
@Suite("The package of its own") struct PackageTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../..").standardized

  /// A program that names the package by URL and version, and has the lines of its README. It is built beside the tests, so that the next
  /// run has little to do.
  @Test(
    "An app takes it by URL and tag, starts with the lines of its README, and resolves GRDB alone",
    .timeLimit(.minutes(10)))
  func builds() async throws {
    let package = Self.root.appendingPathComponent("packaging/TrafficProbe")
    let folder = try Folder()
    let library = folder.file("TrafficProbe")
    let released = try await Self.run([package.appendingPathComponent("release").path, library.path, "0.1.0"])
    try #require(released.status == 0, "\(released.output)")
    let again = try await Self.run([package.appendingPathComponent("release").path, library.path, "0.1.0"])
    #expect(again.status == 1 && again.output.contains("there is a tag 0.1.0 already"))

    let readme = try String(contentsOf: library.appendingPathComponent("README.md"), encoding: .utf8)
    let lines = try #require(readme.firstMatch(of: #/(?s)```swift\n(import TrafficProbe\n.*?)```/#)).output.1
    #expect(lines.split(separator: "\n").dropFirst().count == 5)
    let app = folder.file("App")
    let sources = app.appendingPathComponent("Sources/App")
    try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
    let manifest = """
      // swift-tools-version: 6.2
      import PackageDescription
      let package = Package(
        name: "App", platforms: [.macOS(.v13), .iOS(.v16)],
        dependencies: [.package(url: "\(library.absoluteString)", from: "0.1.0")],
        targets: [.executableTarget(name: "App", dependencies: [.product(name: "TrafficProbe", package: "TrafficProbe")])])
      """
    try manifest.write(to: app.appendingPathComponent("Package.swift"), atomically: true, encoding: .utf8)
    let program = """
      import Foundation
      #if canImport(FoundationNetworking)
        import FoundationNetworking
      #endif
      let folder = FileManager.default.temporaryDirectory
      let configuration = URLSessionConfiguration.ephemeral
      \(lines)
      """
    try program.write(to: sources.appendingPathComponent("main.swift"), atomically: true, encoding: .utf8)
    let scratch = ClientRun.executable.deletingLastPathComponent().appendingPathComponent("TrafficProbe.package")
    let built = try await Self.run([
      "swift", "build", "--package-path", app.path, "--scratch-path", scratch.path, "--disable-sandbox",
    ])
    try #require(built.status == 0, "\(built.output)")
    #expect(!built.output.contains("warning:"), "\(built.output)")

    struct Resolved: Decodable {
      struct Pin: Decodable { let identity: String }
      let pins: [Pin]
    }
    let resolved = try Data(contentsOf: app.appendingPathComponent("Package.resolved"))
    let pins = try JSONDecoder().decode(Resolved.self, from: resolved).pins.map(\.identity)
    #expect(pins.sorted() == ["grdb.swift", "trafficprobe"])
  }

  private static func run(_ arguments: [String]) async throws -> (status: Int32, output: String) {
    try await aside {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = arguments
      let names = ["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"]
      process.environment = ProcessInfo.processInfo.environment.merging(names.map { ($0, "test@example.com") }) { $1 }
      let pipe = Pipe()
      process.standardOutput = pipe
      process.standardError = pipe
      try process.run()
      let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      return (process.terminationStatus, output)
    }
  }

  /// The privacy manifest is a property list with the four keys that Apple's stores ask for, and claims no more than nothing.
  @Test("Its privacy manifest is complete, and part of the library") func privacy() throws {
    let name = "PrivacyInfo.xcprivacy"
    let file = Self.root.appendingPathComponent("Sources/TrafficProbe/\(name)")
    struct Manifest: Decodable, Equatable {
      var tracks = false
      var domains: [String] = []
      var data: [String] = []
      var interfaces: [String] = []

      enum CodingKeys: String, CodingKey {
        case tracks = "NSPrivacyTracking"
        case domains = "NSPrivacyTrackingDomains"
        case data = "NSPrivacyCollectedDataTypes"
        case interfaces = "NSPrivacyAccessedAPITypes"
      }
    }
    #expect(try PropertyListDecoder().decode(Manifest.self, from: Data(contentsOf: file)) == Manifest())
    for manifest in ["Package.swift", "packaging/TrafficProbe/Package.swift"] {
      let text = try String(contentsOf: Self.root.appendingPathComponent(manifest), encoding: .utf8)
      #expect(text.contains("resources: [.copy(\"\(name)\")]"), "\(manifest)")
    }
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
