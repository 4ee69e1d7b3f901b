import Foundation
import Testing

/// `docs/limits.md` has every limit of the sources, with the value that stands there, and no other.
@Suite struct LimitTests {
  private static let root = Corpus.folder.deletingLastPathComponent()

  @Test func everyLimitIsOnThePageWithItsValue() throws {
    let sources = try Self.sources()
    let page = try Self.page()
    // Told apart from a search that finds nothing.
    #expect(sources.count > 80)
    for (name, value) in sources { #expect(page[name] == value, "\(name) is \(value)") }
    for name in page.keys { #expect(sources[name] != nil, "\(name) is in no source") }
  }

  /// Every anomaly that the page names exists, and every one that says that something is full or too long is named.
  @Test func anomaliesOfLimitsAreNamed() throws {
    let text = try String(contentsOf: Self.root.appendingPathComponent("docs/limits.md"), encoding: .utf8)
    let source = try String(
      contentsOf: Self.root.appendingPathComponent("Sources/HTTPReassembly/Anomaly.swift"), encoding: .utf8)
    let anomalies = source.matches(of: #/case \w+ = "(\w+)"/#).map { String($0.1) }
    try #require(anomalies.count > 60)
    for name in anomalies where name.contains(#/full|too_|beyond_limit|hold_limit/#) {
      #expect(text.contains("`\(name)`"), "\(name)")
    }
    for match in text.matches(of: #/`((?:http|tcp|fragment|content|connection|api|tunnel|ipv6)_\w+)`/#) {
      #expect(anomalies.contains(String(match.1)), "\(match.1)")
    }
  }

  /// The limits of the sources by file and name; durations are nanoseconds.
  private static func sources() throws -> [String: Int] {
    let limitName = #/([lL]imit|[cC]apacity|^longest\w*|maximum\w*|[pP]erKey|bufferLength|inputLength)$/#
    var limits: [String: Int] = [:]
    let folder = root.appendingPathComponent("Sources")
    let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
    for case let url as URL in files where url.pathExtension == "swift" {
      if url.path.contains("/TrafficProbe/") || url.path.contains("/ProbeClient/") { continue }
      let file = url.deletingPathExtension().lastPathComponent
      var constants: [String: Int] = [:]
      var type = ""
      for line in try String(contentsOf: url, encoding: .utf8).split(separator: "\n") {
        if let match = line.firstMatch(of: #/^ *(?:public |private )?(?:struct|enum|final class|extension) (\w+)/#) {
          type = String(match.1)
        }
        let pattern = #/^ {2,4}((?:(?:public|package|private|static) )*)(?:let|var) (\w+)(?:: \w+)? = ([^/{]+)/#
        guard let match = line.firstMatch(of: pattern), !line.contains("rawValue"),
          let value = evaluate(String(match.3), constants)
        else { continue }
        let name = String(match.2)
        let isWhole = ["Configuration", "CaptureLimits", "LogOptions"].contains(file)
        if isWhole { constants[name] = value }
        let isNamed = match.1.contains("static") && name.contains(limitName)
        if isWhole || isNamed || ["HARLimits", "Limits"].contains(type) { limits["\(file).\(name)"] = value }
      }
    }
    return limits
  }

  /// A sum of numbers, shifted numbers and constants that were met before; nil if it is something else.
  private static func evaluate(_ text: String, _ constants: [String: Int]) -> Int? {
    var sum = 0
    for term in text.replacing("_", with: "").split(separator: "+") {
      var term = term.trimmingCharacters(in: CharacterSet(charactersIn: " ()"))
      if let match = term.firstMatch(of: #/^Duration\.seconds\((\d+)$/#) { term = "\(match.1)000000000" }
      let factors = term.split(separator: "<<").map { $0.trimmingCharacters(in: .whitespaces) }
      guard let first = factors.first, factors.count <= 2, let value = Int(first) ?? constants[first] else {
        return nil
      }
      guard factors.count == 2 else {
        sum += value
        continue
      }
      guard let shift = Int(factors[1]) else { return nil }
      sum += value << shift
    }
    return sum
  }

  /// The limits of the page.
  private static func page() throws -> [String: Int] {
    let text = try String(contentsOf: root.appendingPathComponent("docs/limits.md"), encoding: .utf8)
    var limits: [String: Int] = [:]
    for match in text.matches(of: #/(?m)^\| `(\w+\.\w+)` \| ([0-9.,]+)( s)?/#) {
      let digits = match.2.filter { $0 != "," }
      limits[String(match.1)] = match.3 == nil ? Int(digits) : Double(digits).map { Int(($0 * 1e9).rounded()) }
    }
    return limits
  }
}
