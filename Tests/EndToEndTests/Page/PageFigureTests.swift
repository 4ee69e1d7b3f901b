import Foundation
import Shared
import Testing

/// The page's figures are those of the CSV files.
@Suite struct PageFigureTests {
  private static let parts = ["start_line", "header", "body", "framing", "trailer"]

  @Test(arguments: Corpus.captures)
  func ledgerAndAnomalies(_ capture: CaptureFile) throws {
    let page = try Self.page(capture)
    let ledger = try page.table("ledger").rows.map { "\($0["class"] ?? ""),\($0["bytes"] ?? "")" }
    #expect(ledger == page.report.ledger.rows.map { "\($0["class"]),\($0["bytes"])" })
    let anomalies = try page.table("anomalies").rows.map { "\($0["name"] ?? ""),\($0["count"] ?? "")" }
    #expect(anomalies == page.report.anomalies.rows.map { "\($0["name"]),\($0["count"])" })
    #expect(try page.summary("original") == page.report.ledger("original"))
  }

  @Test(arguments: Corpus.captures)
  func apis(_ capture: CaptureFile) throws {
    let page = try Self.page(capture)
    let apis = try page.table("apis")
    let rows = page.report.apis.rows
    #expect(apis.total == rows.count)
    #expect(apis.rows.count == min(rows.count, 200))
    for (direction, prefix) in [("up", "request"), ("down", "response")] {
      for part in Self.parts {
        #expect(apis.sum("\(direction)_\(part)") == rows.sum("\(prefix)_\(part)_bytes"), "\(direction) \(part)")
      }
      let further = ["overhead", "retransmitted", "control", "tls"]
        .filter { apis.columns.contains("\(direction)_\($0)") }
      let all = (Self.parts + further).reduce(0) { $0 + apis.sum("\(direction)_\($1)") }
      #expect(all == rows.sum("\(prefix)_ip_bytes"))
    }
    for (mine, column) in [
      ("requests", "requests"), ("responses", "responses"), ("decoded_body", "response_decoded_body_bytes"),
      ("missing", "missing_bytes"), ("status_4xx", "status_4xx"), ("status_5xx", "status_5xx"),
    ] {
      #expect(apis.sum(mine) == rows.sum(column), "\(column)")
    }
    // Row by row, by what tells one from another.
    let byName = Dictionary(grouping: rows) { [$0["host"], $0["path"]] }
    var found = 0
    for row in apis.rows {
      guard let host = row["host"] as? String, let path = row["path"] as? String,
        let other = byName[[host, path]]?.first
      else { continue }
      found += 1
      #expect(row["down_body"] as? Int == other.integer("response_body_bytes"))
      #expect((row["wait_ms_p95"] as? Double).map { "\($0)" } == Double(other["wait_ms_p95"]).map { "\($0)" })
    }
    #expect(rows.isEmpty || found > 0)
  }

  @Test(arguments: Corpus.captures)
  func messagesOverTime(_ capture: CaptureFile) throws {
    let page = try Self.page(capture)
    let messages = page.report.messages.rows
    #expect(try page.summary("messages") == messages.count)
    guard let throughput = try page.data()["throughput"] as? [String: Any] else {
      #expect(messages.isEmpty)
      return
    }
    let up = try #require(throughput["up"] as? [Int])
    let down = try #require(throughput["down"] as? [Int])
    #expect(up.count == down.count && up.count <= 240)
    #expect(up.reduce(0, +) == messages.filter { $0["type"] == "request" }.sum("ip_bytes"))
    #expect(down.reduce(0, +) == messages.filter { $0["type"] != "request" }.sum("ip_bytes"))
  }

  @Test(arguments: Corpus.captures)
  func exchangesAndConnections(_ capture: CaptureFile) throws {
    let page = try Self.page(capture)
    let exchanges = try page.table("exchanges")
    let rows = page.report.exchanges.rows
    #expect(exchanges.total == rows.count && exchanges.rows.count == min(rows.count, 1000))
    let costliest = rows.map { $0.integer("ip_bytes") }.sorted(by: >).prefix(1000)
    #expect(exchanges.rows.map { $0["ip_bytes"] as? Int } == costliest.map { $0 })
    let byNumber = Dictionary(uniqueKeysWithValues: rows.map { ($0.integer("exchange"), $0) })
    for row in exchanges.rows {
      let other = try #require((row["exchange"] as? Int).flatMap { byNumber[$0] })
      for phase in ["dns", "connect", "tls", "send", "wait", "receive"] {
        #expect(row[phase] as? Double == Double(other["\(phase)_ms"]))
      }
    }
    let connections = try page.table("connections")
    let all = page.report.connections.rows
    #expect(connections.total == all.count && connections.rows.count == min(all.count, 200))
    for column in ["setup", "teardown", "unattributed"] {
      #expect(try page.summary(column) == all.sum("\(column)_bytes"))
    }
  }

  @Test(arguments: Corpus.captures)
  func whatWasWasted(_ capture: CaptureFile) throws {
    let page = try Self.page(capture)
    let messages = page.report.messages.rows
    // Field lines with their CRLF, and the empty line; where lines end in a bare LF or are folded, not as exactly.
    let isPlain = messages.allSatisfy { row in
      !["bare_lf", "obs_fold", "header_not_seen", "line_too_long", "incomplete"].contains { row["flags"].contains($0) }
    }
    let fields = try page.table("fields")
    if isPlain, !messages.contains(where: { $0["flags"].contains("http_0_9") || $0["exactness"] != "exact" }) {
      // Of HTTP/2 they are in the spelling of HTTP/1.1.
      #expect(fields.sum("bytes") + 2 * messages.count == messages.sum("expanded_header_bytes"))
    }
    #expect(fields.sum("repeated_bytes") <= fields.sum("bytes"))
    let codings = try page.table("codings")
    let coded = messages.filter { !$0["content_encoding"].isEmpty }
    #expect(codings.sum("messages") == coded.count)
    #expect(codings.sum("bytes") == coded.sum("body_bytes"))
    let decoded = coded.filter { !$0["decoded_body_bytes"].isEmpty }
    #expect(codings.sum("decoded_bytes") == decoded.sum("decoded_body_bytes"))
    #expect(codings.sum("coded_bytes") == decoded.sum("body_bytes"))
    let uncompressed = try page.table("uncompressed")
    #expect(uncompressed.sum("saved_bytes") <= messages.filter { $0["content_encoding"].isEmpty }.sum("body_bytes"))
    let exchanges = page.report.exchanges.rows
    let redirects = exchanges.filter { ["301", "302", "303", "307", "308"].contains($0["status"]) }
    #expect(try page.table("redirects").sum("ip_bytes") == redirects.sum("ip_bytes"))
    let errors = exchanges.filter { $0.integer("status") >= 400 || $0["response"].isEmpty }
    #expect(try page.table("errors").sum("exchanges") == errors.count)
    #expect(try page.table("errors").sum("ip_bytes") == errors.sum("ip_bytes"))
  }

  @Test func theSameCaptureGivesTheSamePage() throws {
    let capture = try Corpus.capture("demo")
    #expect(try Page([capture.path]).text == Page([capture.path]).text)
  }

  /// Each capture is analysed once.
  private static func page(_ capture: CaptureFile) throws -> Page {
    try known.withLock { known in
      if let page = known[capture.name] { return page }
      let page = try Page([capture.path])
      known[capture.name] = page
      return page
    }
  }

  private static let known = Locked<[String: Page]>([:])
}
