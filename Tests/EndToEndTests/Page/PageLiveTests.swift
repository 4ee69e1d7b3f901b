import Foundation
import Testing

/// The page of a run that goes on: whole at any moment, and in the end that of the same packets read from a file.
@Suite(.enabled(if: LiveRun.isPossible, "needs root, Python and the permission to capture on lo"))
struct PageLiveTests {
  @Test func isWholeAtAnyMoment() throws {
    let scratch = try Scratch()
    let server = try LocalServer()
    let saved = scratch.path("saved.pcapng")
    let run = try LiveRun(
      port: server.port, in: scratch,
      ["--allow-root", "--interval", "0.1", "--format", "csv,html", "--write", saved])
    var last = ""
    func read() {
      guard let page = try? String(contentsOf: run.url("report.html"), encoding: .utf8) else { return }
      #expect(page.hasPrefix("<!doctype html>") && page.hasSuffix("</html>\n"))
      last = page
    }
    // It is brought up to date in each round.
    for round in 1...4 {
      let client = try server.startRequests(55)
      let isUpToDate = eventually {
        read()
        return !client.isRunning && last.contains("\"requests\":\(55 * round),")
      }
      #expect(isUpToDate)
    }
    #expect(try run.stop().status == 0)
    read()
    let page = try Page([saved])
    #expect(page.report.exchanges.rows.count == 220)
    // The same but for the capture's name, the filter of the live run, and the length of the timeline's intervals.
    #expect(try Self.comparable(page.text) == Self.comparable(last))
  }

  /// A page's data without what depends on where the packets came from, and without the run's own options.
  private static func comparable(_ page: String) throws -> NSDictionary {
    let start = try #require(page.range(of: "id=\"data\">"))
    let end = try #require(page.range(of: "</script>", range: start.upperBound..<page.endIndex))
    let value = try JSONSerialization.jsonObject(with: Data(page[start.upperBound..<end.lowerBound].utf8))
    var data = try #require(value as? [String: Any])
    data["captures"] = nil
    data["options"] = nil
    data["timeline"] = nil
    return data as NSDictionary
  }
}
