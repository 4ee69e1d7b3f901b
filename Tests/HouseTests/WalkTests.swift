import Foundation
import Testing

/// The walk of one packet in CONTRIBUTING names functions in files. Each is there.
@Suite struct WalkTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../..").standardized

  @Test func eachFunctionIsInItsFile() throws {
    let guide = try String(contentsOf: Self.root.appendingPathComponent("CONTRIBUTING.md"), encoding: .utf8)
    let steps = guide.matches(of: #/(?m)^\| `([A-Za-z]+)` \| `([A-Za-z0-9+]+\.swift)` \|/#)
    #expect(steps.count > 25)
    let core = Self.root.appendingPathComponent("Sources/HTTPReassembly")
    let paths = FileManager.default.enumerator(atPath: core.path)?.allObjects as? [String] ?? []
    for step in steps {
      let (function, file) = (step.output.1, step.output.2)
      let path = try #require(paths.first { $0.hasSuffix("/\(file)") }, "\(file)")
      let text = try String(contentsOf: core.appendingPathComponent(path), encoding: .utf8)
      #expect(["(", "<"].contains { text.contains("func \(function)\($0)") }, "\(function) in \(file)")
    }
  }
}
