import Foundation
import Testing

@testable import Reports

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite struct JUnitDocumentTests {
  /// What a reader of XML makes of a document: elements with their attributes, in order.
  private final class Elements: NSObject, XMLParserDelegate {
    var found: [(name: String, attributes: [String: String])] = []
    var text = ""

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
      attributes: [String: String]
    ) { found.append((name, attributes)) }

    func parser(_ parser: XMLParser, foundCharacters characters: String) { text += characters }
  }

  private func read(_ document: JUnitDocument) -> Elements? {
    let elements = Elements()
    let parser = XMLParser(data: Data(document.text.utf8))
    parser.delegate = elements
    return parser.parse() ? elements : nil
  }

  @Test func namesComeBackAsTheyWere() throws {
    let hostile = [
      "a&b<c>\"d'", "]]><failure/>", "<!-- ", "&lt;", "tab\there", "line\r\nend", "\u{1}", "\u{ffff}", "é\u{1f600}",
    ]
    let cases = hostile.map {
      JUnitDocument.Case(group: $0, name: $0, outcome: .failed(message: $0, details: $0))
    }
    let elements = try #require(read(JUnitDocument(name: "n", cases: cases)))
    let names = elements.found.filter { $0.name == "testcase" }.compactMap { $0.attributes["name"] }
    // What XML has no place for is escaped as in other reports.
    let shown = hostile.map { $0 == "\u{1}" ? "\\x01" : $0 == "\u{ffff}" ? "\\xef\\xbf\\xbf" : $0 }
    #expect(names == shown)
    #expect(elements.found.count == 2 + 2 * hostile.count)
  }

  @Test func countsAreThoseOfTheCases() throws {
    let outcomes: [JUnitDocument.Outcome] = [
      .passed, .failed(message: "m", details: "d"), .broken(message: "b"), .skipped(message: "s"), .passed,
    ]
    let document = JUnitDocument(
      name: "n", cases: outcomes.map { JUnitDocument.Case(group: "g", name: "c", outcome: $0) }, note: "said <here>")
    let elements = try #require(read(document))
    let suite = try #require(elements.found.first { $0.name == "testsuite" }).attributes
    #expect(suite == ["name": "n", "tests": "5", "failures": "1", "errors": "1", "skipped": "1"])
    #expect(elements.found.map(\.name).contains("system-out") && elements.text.contains("said <here>"))
  }

  @Test func whatFailedIsNeverLeftOut() throws {
    var cases = (0..<JUnitDocument.caseLimit).map { JUnitDocument.Case(group: "g", name: "\($0)", outcome: .passed) }
    cases.append(JUnitDocument.Case(group: "g", name: "bad", outcome: .failed(message: "m", details: "d")))
    let elements = try #require(read(JUnitDocument(name: "n", cases: cases)))
    let found = elements.found.filter { $0.name == "testcase" }
    #expect(found.count == JUnitDocument.caseLimit && found.contains { $0.attributes["name"] == "bad" })
    #expect(elements.text.contains("1 cases are left out"))
  }
}
