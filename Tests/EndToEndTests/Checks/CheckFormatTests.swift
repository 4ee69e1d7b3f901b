import Foundation
import TestSupport
import Testing

/// What `budget` and `diff` print for comments, tables of tests and annotations, read by readers of each kind.
@Suite(.enabled(if: CheckReaders.packages.python != nil, "\(CheckReaders.packages.reason)"))
struct CheckFormatTests {
  /// Names that would be something else to a reader.
  private static let path =
    "/a|b`c`<img/src=x/onerror=alert(1)>[x](http://evil.example/)@octocat%0A::error::&lt;\u{1b}[31m\u{202e}"
  private static let host = "=cmd|<b>`\"'&,:.example"
  private let scratch: Scratch
  private let small: String
  private let large: String

  init() throws {
    let scratch = try Scratch()
    func capture(_ name: String, _ body: Int) throws -> String {
      let octets = HandMadeCapture.octets(
        request: "GET \(Self.path) HTTP/1.1\r\nHost: \(Self.host)\r\n\r\n",
        response: "HTTP/1.1 200 OK\r\nContent-Length: \(body)\r\n\r\n" + String(repeating: "x", count: body))
      return try scratch.file(name, octets).path
    }
    small = try capture("small.pcap", 10)
    large = try capture("large.pcap", 900)
    self.scratch = scratch
  }

  private func budget(_ format: String, _ options: [String] = []) throws -> Outcome {
    let rules = """
      limits:
        - {path: "/**", ip_bytes: 100, requests: 5}
        - {path: "/a**", ip_bytes: 50}
        - {host: "n`o|<b>::x", ip_bytes: 1}
      """
    let file = try scratch.file("a,b:c%.yaml", Array(rules.utf8))
    return try Sniffer.run(["budget", large, "--budget", file.path, "--print", format] + options)
  }

  @Test func budgetAsJUnit() throws {
    let outcome = try budget("junit")
    #expect(outcome.status == 2 && outcome.error.isEmpty, "\(outcome.error)")
    let lines = try CheckReaders.junit(outcome)
    #expect(lines.first == "sniffer budget 4 2 0 1")
    let name = Self.host.replacing("\"", with: "\"") + "/a|b`c`<img"
    #expect(lines[1].hasPrefix("Failure\tline 2: ** /**\t\(name)") && lines[1].hasSuffix(": ip_bytes"), "\(lines[1])")
    #expect(lines[2].hasPrefix("passed\t") && lines[3].hasPrefix("Failure\t") && lines[4].hasPrefix("Skipped\t"))
    #expect(lines.dropFirst().allSatisfy { !$0.contains("\u{1b}") && !$0.contains("\u{202e}") })
    let strict = try budget("junit", ["--strict"])
    #expect(try strict.status == 1 && CheckReaders.junit(strict).first == "sniffer budget 4 2 1 0")
  }

  @Test func budgetAsMarkdown() throws {
    let outcome = try budget("markdown", ["-o", scratch.path("report")])
    #expect(outcome.status == 2 && outcome.error.isEmpty, "\(outcome.error)")
    let rows = try CheckReaders.markdown(outcome).map { $0.components(separatedBy: "\t") }
    // The strictest of two limits, once.
    #expect(rows.count == 2 && rows[0] == ["API", "pattern", "figure", "limit", "actual", "over"])
    #expect(rows[1].count == 6 && rows[1][1] == "** /a**" && rows[1][2...3] == ["ip_bytes", "50"])
    #expect(rows[1][0].hasPrefix("=cmd\\x7c<b>\\x60\"'&,:.example/a\\x7cb\\x60c\\x60<img"), "\(rows[1][0])")
  }

  @Test func budgetAsAnnotations() throws {
    let outcome = try budget("github")
    let found = try CheckReaders.annotations(outcome)
    #expect(outcome.status == 2 && found.map(\.level) == ["error", "warning", "notice"])
    #expect(found[0].properties["file"] == scratch.path("a,b:c%.yaml") && found[0].properties["line"] == "3")
    #expect(found[0].message.contains("ip_bytes is ") && found[0].message.contains("%0A::error::"))
    #expect(found[1].message.contains("no API matches n`o|<b>::x") && found[1].properties["line"] == "4")
    #expect(found[2].message == "budget exceeded: 2 of 3 checks")
    let quiet = try budget("github", ["-q"])
    #expect(quiet.output.isEmpty && quiet.errorLines.count == 1)
  }

  @Test(arguments: ["junit", "github", "markdown"])
  func diffInEveryFormat(_ format: String) throws {
    let outcome = try Sniffer.run(["diff", small, large, "--threshold", "5%", "--format", format])
    #expect(outcome.status == 2 && outcome.error.isEmpty, "\(outcome.error)")
    switch format {
    case "junit":
      let lines = try CheckReaders.junit(outcome)
      #expect(lines.count == 2 && lines[0] == "sniffer diff 1 1 0 0" && lines[1].hasPrefix("Failure\t\(Self.host)\t"))
    case "github":
      let found = try CheckReaders.annotations(outcome)
      #expect(found.map(\.level) == ["error", "notice"] && found[0].message.contains("IP bytes (+"))
      #expect(found[1].message.contains("1 API grew beyond 5%"))
    default:
      let rows = try CheckReaders.markdown(outcome).map { $0.components(separatedBy: "\t") }
      #expect(rows.count == 3 && Set(rows.map(\.count)) == [11] && rows[1][0].hasPrefix("❌ =cmd\\x7c<b>"))
    }
    // The other way round nothing grew.
    let shrunk = try Sniffer.run(["diff", large, small, "--threshold", "5%", "--format", format])
    #expect(shrunk.status == 0 && !shrunk.output.contains("::error ") && !shrunk.output.contains("<failure"))
  }
}
