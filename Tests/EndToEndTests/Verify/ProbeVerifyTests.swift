import Foundation
import TestSupport
import Testing

/// The whole way: an app with TrafficProbe, servers, a live capture between them, and the app's log against the wire. The
/// namespaces are made and removed by `captures/record/probe-verify`.
@Suite(.timeLimit(.minutes(10))) struct ProbeVerifyTests {
  @Test(.enabled(if: Environment.isRoot, "network namespaces need root"))
  func everyOctetOfDifferenceIsExplained() throws {
    let scratch = try Scratch()
    let client = Sniffer.productsFolder.appendingPathComponent("probe-client")
    let script = Corpus.folder.appendingPathComponent("record/probe-verify")
    let outcome = try Command.run(script, [Sniffer.url.path, client.path, scratch.url.path])
    if outcome.status == 77 {
      let reason = outcome.errorLines.last ?? "probe-verify exits with 77"
      return Environment.skip("everyOctetOfDifferenceIsExplained", because: reason)
    }
    try #require(outcome.status == 0, "\(outcome.output)\(outcome.error)")

    let live = try Report(folder: scratch.url.appendingPathComponent("live"))
    #expect(live.ledger("dropped_packets") == 0)
    let text = try String(contentsOf: scratch.url.appendingPathComponent("verify.txt"), encoding: .utf8)
    print(text)
    #expect(text.contains("unexplained 0 bytes\n") && text.contains("\nledger balanced: "))

    let rows = try CSVFile(
      [UInt8](Data(contentsOf: scratch.url.appendingPathComponent("verified/verify.csv")))
    ).rows
    #expect(rows.count > 600)
    // Every message that an app can see has its row, and every row its message. Where equal requests come closer to each other than the
    // log's times are exact, each row fits each of them: how many do depends on the machine.
    let equal = Dictionary(grouping: rows) { row in ["type", "method", "host", "path"].map { row[$0] } }
    let unsure = equal.values.joined().filter { $0["status"] == "ambiguous" }
    #expect(rows.allSatisfy { ["matched", "ambiguous"].contains($0["status"]) || $0["type"] == "interim" })
    #expect(unsure.allSatisfy { $0["difference"] == "0" })
    #expect(equal.values.allSatisfy { $0.count > 1 || $0[0]["status"] != "ambiguous" })
    #expect(equal.values.count { $0.count == 1 } > Self.leastUnlike)
    // What the wire has and the live report has is the same.
    let messages = live.messages.rows
    #expect(rows.count == messages.count)
    let wire = rows.reduce(0) { $0 + (Int($1["wire_message_bytes"]) ?? 0) }
    #expect(wire == messages.reduce(0) { $0 + (Int($1["message_bytes"]) ?? 0) })
    // Only the causes that the library names as its own.
    let known = [
      "content measured after decoding", "aborted transfer", "chunk framing", "interim response",
      "repeated fields folded", "reason phrase",
    ]
    for row in rows {
      for cause in row["causes"].split(separator: ";") {
        let name = cause.split(separator: "=").first?.trimmingCharacters(in: .whitespaces) ?? ""
        #expect(known.contains(name), "\(name): \(row["type"]) \(row["path"])")
      }
    }
    try expectThePageShows(text)
    // Requests are exact but for nothing at all.
    for row in rows where row["type"] == "request" && row["status"] == "matched" {
      #expect(row["difference"] == "0", "\(row["path"]): \(row["causes"])")
    }
  }

  /// Messages that no other one has the target of, at the least.
  private static let leastUnlike = 50

  /// The page shows such a run: its figures are these, but for what depends on time, as where a transfer was cancelled.
  private func expectThePageShows(_ text: String) throws {
    let page = try #require(Document.page("docs/verify.md")?.section("How near it comes: a measured run"))
    let shown = try #require(Document(name: "", text: page).blocks("text").first).components(separatedBy: "\n")
    let names = [
      "start-lines ", "header sections ", "requests ", "the log knows ", "messages on the wire ", "chunk framing ",
      "interim response ", "repeated fields folded ", "reason phrase ", "192.0.2.1/gzip-chunked/", "192.0.2.2/chunked/",
    ]
    // How many octets of a cancelled transfer come depends on time: of what the log knows, the messages are compared.
    func words(_ line: String) -> [Substring] {
      Array(line.split(separator: " ").prefix(line.hasPrefix("the log knows ") ? 10 : .max))
    }
    for name in names {
      let printed = text.components(separatedBy: "\n").filter { $0.hasPrefix(name) }.map(words)
      #expect(!printed.isEmpty, "\(name)")
      #expect(shown.filter { $0.hasPrefix(name) }.map(words) == printed, "\(name)")
    }
  }
}
