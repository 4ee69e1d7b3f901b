import Foundation
import TestSupport
import Testing

/// The summary answers why a capture costs what it does: savings that are those of the page, and an account that adds up.
@Suite struct SummaryAnswerTests {
  private static let captures = ["demo", "mixed-2000", "cookies-redirects", "tls-closed", "errors-aborts", "websocket"]

  /// The parts of the line are all bytes of the capture, and its APIs are those of apis.csv.
  @Test(arguments: captures) func theAccountAddsUp(_ name: String) throws {
    let capture = try Corpus.capture(name)
    let report = try FileAnalysis.of(capture).report
    let lines = try Sniffer.run([capture.path], environment: ["COLUMNS": "200"]).outputLines
    let start = try #require(lines.firstIndex { $0.contains(" bytes = ") }, "\(lines)")
    // The line may be wrapped.
    let account = lines[start...].prefix { !$0.isEmpty }.joined(separator: " ").components(separatedBy: " bytes = ")
    let figures = account.map {
      $0.components(separatedBy: " + ").compactMap { Int($0.prefix { $0 != " " }.filter(\.isNumber)) }
    }
    #expect(figures[0] == [report.ledger("original") ?? -1])
    #expect(figures[1].reduce(0, +) == figures[0].first && figures[1].allSatisfy { $0 > 0 }, "\(account)")
    let apis = report.apis.rows.sum("request_ip_bytes") + report.apis.rows.sum("response_ip_bytes")
    if apis > 0 { #expect(figures[1][0] == apis && account[1].contains(" in APIs")) }
    if name == "tls-closed" { #expect(account[1].contains("of closed TLS to 3 hosts")) }
  }

  /// The three lines are the first three of the page.
  @Test(arguments: ["demo", "mixed-2000", "cookies-redirects"]) func savingsAreThoseOfThePage(_ name: String) throws {
    let page = try Page([try Corpus.capture(name).path])
    let savings = try #require(try page.data()["savings"] as? [[String: Any]]).prefix(3)
    let lines = page.outcome.outputLines
    let start = try #require(lines.firstIndex { $0.hasPrefix("largest savings") })
    let shown = lines[(start + 1)...].prefix(3)
    #expect(shown.count == savings.count)
    for (line, saving) in zip(shown, savings) {
      let title = try #require(saving["title"] as? String)
      let octets = try #require(saving["bytes"] as? Int)
      #expect(line.hasPrefix(title) && line.filter(\.isNumber).contains("\(octets)"), "\(line)")
    }
  }

  /// Hundreds of look-alikes are shown by template, and reports have each path all the same.
  @Test func lookAlikesAreGrouped() throws {
    let demo = try Corpus.capture("demo").path
    let grouped = try Sniffer.run([demo])
    #expect(grouped.output.contains("/photos/{id}/320x240.jpg") && grouped.output.contains("--no-template shows each"))
    let each = try Sniffer.run([demo, "--no-template"])
    #expect(!each.output.contains("{id}") && each.output.contains("… and "))
    func total(_ outcome: Outcome) -> Substring? {
      outcome.outputLines.first { $0.hasPrefix("total ") }?.split(separator: " ").last
    }
    #expect(total(grouped) == total(each))
    let template = try Sniffer.run([demo, "--template"])
    let rows = { (outcome: Outcome) in outcome.outputLines.filter { $0.contains("{id}") } }
    #expect(rows(grouped) == rows(template))
    #expect(try !Sniffer.run([demo, "--json", "--top", "0"]).output.contains("{id}"))
    #expect(try !Sniffer.run([try Corpus.capture("cookies-redirects").path]).output.contains("--no-template"))
    #expect(try Sniffer.run([demo, "--no-template", "--template"]).status == 64)
  }

  /// Remarks that the text has are notes of the document, too; and a condition does not change what is closed.
  @Test func notesAreInTheDocument() throws {
    let closed = try Corpus.capture("tls-closed").path
    let document = try Sniffer.run([closed, "--json"])
    let object = try JSONSerialization.jsonObject(with: Data(document.outputOctets)) as? [String: Any]
    #expect((object?["notes"] as? [String])?.contains { $0.contains("--keys FILE") } == true)
    let cut = try Sniffer.run([try Corpus.capture("snaplen-96").path, "--json"])
    #expect(cut.output.contains("packets cut by the snap length"))
    let demo = try Sniffer.run([try Corpus.capture("demo").path, "--where", "status == 404"])
    #expect(!demo.output.contains("Most is closed"))
  }
}
