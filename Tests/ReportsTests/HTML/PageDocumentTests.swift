import Foundation
import HTTPReassembly
import TestSupport
import Testing

@testable import Reports
@testable import Tabular

/// The page as a file and as a document.
@Suite struct PageDocumentTests {
  private let folder = TemporaryFolder()

  private func written(_ comparisons: [PageComparison] = []) throws -> WrittenPage {
    let report = try HTMLReport(folder: folder.path, grouping: .init())
    report.comparisons = comparisons
    try report.finish(emptyTotals())
    return try WrittenPage(folder)
  }

  @Test func isOneFileForItsOwnerAlone() throws {
    _ = try written()
    #expect(folder.names == ["report.html"])
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path + "/report.html")
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func namesNothingOutsideOfItself() throws {
    let page = try written()
    for outside in ["http://", "https://", " src=", "@import", "url(", "<link"] {
      // The namespace of drawings is a name, and the only one.
      let text = page.text.replacing("http://www.w3.org/2000/svg", with: "")
      #expect(!text.contains(outside), "\(outside)")
    }
    for unsafe in [
      "innerHTML", "outerHTML", "insertAdjacent", "eval(", "document.write", "unsafe-inline", "new Function",
    ] {
      #expect(!page.text.contains(unsafe), "\(unsafe)")
    }
    #expect(page.text.contains("default-src 'none'; style-src 'sha256-"))
    #expect(!page.text.contains("%data%") && !page.text.contains("%policy%"))
  }

  @Test func aPageIsReplacedAndNoLinkIsFollowed() throws {
    let other = TemporaryFolder()
    _ = FileManager.default.createFile(atPath: other.path + "/kept", contents: Data("kept".utf8))
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/report.html", withDestinationPath: other.path + "/kept")
    #expect(try written().text.hasSuffix("</html>\n"))
    #expect(other.text("kept") == "kept")
    let report = try HTMLReport(folder: folder.path, grouping: .init())
    var totals = emptyTotals()
    totals.ledger = Ledger(packets: 3, original: 0)
    try report.flush(totals) { _ in }
    #expect(try WrittenPage(folder).number("summary", "packets") == 3)
  }

  @Test func jsonCannotEndItsElement() throws {
    var json = JSONWriter()
    PageValue.object([
      ("</script>", .list([.text("<!-- &\"\\\n\u{7f}é"), .integer(-5), .milliseconds(1_500_000), .null, .flag(true)]))
    ]).write(to: &json)
    let text = String(decoding: json.octets, as: UTF8.self)
    #expect(!text.contains("<") && !text.contains("&"))
    let value = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: [Any]]
    let list = try #require(value?["</script>"])
    #expect(list[0] as? String == "<!-- &\"\\\n\u{7f}é")
    #expect(list[1] as? Int == -5 && list[2] as? Double == 1.5 && list[4] as? Bool == true)
  }

  @Test func comparisonsAreSectionsWithTheLargestDifferencesFirst() throws {
    let rows = (0..<150).map {
      PageComparison.Line(name: "row \($0)", app: 1000 + ($0 % 2 == 0 ? -$0 : $0), wire: 1000)
    }
    let page = try written([
      PageComparison(title: "The app's log", note: "A note.", rows: rows),
      PageComparison(title: "Another", rows: [.init(name: "<b>", app: 5, wire: 9, difference: 1)]),
    ])
    let sections = try #require(page.data["comparisons"] as? [[String: Any]])
    #expect(sections.map { $0["title"] as? String } == ["The app's log", "Another"])
    let table = try #require(sections[0]["table"] as? [String: Any])
    let shown = try #require(table["rows"] as? [[Any]])
    #expect(shown[0][0] as? String == "row 149" && shown[0][3] as? Int == 149)
    #expect(shown.count == 100 && table["total"] as? Int == 150)
    let other = (sections[1]["table"] as? [String: Any])?["rows"] as? [[Any]]
    #expect(other?.first?[3] as? Int == 1)
  }

  @Test func sectionsCanHaveAnOrderAndFiguresOfTheirOwn() throws {
    let long = String(repeating: "é<", count: 600)
    let page = try written([
      PageComparison(
        title: "Parts", facts: [long], warnings: ["incomplete"],
        details: [.init("rows"), .init("error", isDifference: true)],
        isOrdered: true,
        rows: [
          .init(name: "a", app: 1, wire: 2, details: [7, -8]), .init(name: "b", app: 1, wire: 9, details: [9, 0]),
        ])
    ])
    let section = try #require((page.data["comparisons"] as? [[String: Any]])?.first)
    #expect(section["warnings"] as? [String] == ["incomplete"])
    #expect(section["facts"] as? [String] == [String(repeating: "é<", count: 500) + "… (1,800 bytes)"])
    #expect((section["details"] as? [[Any]])?.map { $0[1] as? Bool } == [false, true])
    let table = try #require(section["table"] as? [String: Any])
    #expect(table["columns"] as? [String] == ["name", "app", "wire", "difference", "rows", "error"])
    let rows = try #require(table["rows"] as? [[Any]])
    #expect(rows.map { $0[0] as? String } == ["a", "b"])
    #expect(rows[0][4] as? Int == 7 && rows[0][5] as? Int == -8)
  }
}
