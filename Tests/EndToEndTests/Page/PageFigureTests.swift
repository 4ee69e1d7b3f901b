import Foundation
import Shared
import TestSupport
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
      let further = ["overhead", "retransmitted", "control", "tls", "tunnel"]
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

  /// QUIC packets and tunnels are parts of APIs, too, and all parts add up.
  @Test(arguments: ["verify/chromium-h3/capture.pcapng.gz", "websockets/sockets.pcapng.gz"])
  func partsAreAllBytes(_ name: String) throws {
    let page = try Page([Corpus.folder.appendingPathComponent(name).path])
    let apis = try page.table("apis")
    let whole = try #require(try page.data()["summary"] as? [String: Any])
    for (direction, prefix) in [("up", "request"), ("down", "response")] {
      let parts = apis.columns.filter { $0.hasPrefix("\(direction)_") }
      let octets = page.report.apis.rows.sum("\(prefix)_ip_bytes")
      #expect(octets > 0 && parts.reduce(0) { $0 + apis.sum($1) } == octets)
      #expect((whole[direction] as? [Int])?.reduce(0, +) == octets)
    }
  }

  @Test(arguments: Corpus.captures)
  func bytesOverTime(_ capture: CaptureFile) throws {
    let page = try Self.page(capture)
    #expect(try page.summary("messages") == page.report.messages.rows.count)
    guard let timeline = try page.data()["timeline"] as? [String: Any] else {
      #expect(page.report.timeline.rows.isEmpty)
      return
    }
    let parts = try #require(timeline["parts"] as? [String])
    for (name, direction) in [("up", "up"), ("down", "down"), ("unknown", "")] {
      let rows = page.report.timeline.rows.filter { $0["direction"] == direction }
      let octets = try #require(timeline[name] as? [[Int]])
      #expect(octets.joined().reduce(0, +) == rows.sum("bytes"))
      #expect(octets.allSatisfy { $0.count <= 240 })
      for part in ["body", "tunnel"] {
        let index = try #require(parts.firstIndex(of: part))
        #expect(octets[index].reduce(0, +) == rows.sum("\(part)_bytes"), "\(part)")
      }
    }
  }

  @Test(arguments: Corpus.captures)
  func exchangesAndConnections(_ capture: CaptureFile) throws {
    let page = try Self.page(capture)
    let exchanges = try page.table("exchanges")
    let rows = page.report.exchanges.rows
    #expect(exchanges.total == rows.count && exchanges.rows.count >= min(rows.count, 1000))
    let costliest = rows.map { $0.integer("ip_bytes") }.sorted(by: >).prefix(1000)
    #expect(exchanges.rows.compactMap { $0["ip_bytes"] as? Int }.sorted(by: >).prefix(1000) == costliest)
    let byNumber = Dictionary(uniqueKeysWithValues: rows.map { ($0.integer("exchange"), $0) })
    let messages = Dictionary(grouping: page.report.messages.rows) { $0.integer("exchange") }
    let apis = try page.table("apis").rows
    for row in exchanges.rows {
      let number = try #require(row["exchange"] as? Int)
      let other = try #require(byNumber[number])
      for phase in ["dns", "connect", "tls", "send", "wait", "receive"] {
        #expect(row[phase] as? Double == Double(other["\(phase)_ms"]))
      }
      // Its parts are those of its messages, and its API is its own.
      let up = try #require(row["up"] as? [Int]).reduce(0, +)
      let down = try #require(row["down"] as? [Int]).reduce(0, +)
      let own = messages[number] ?? []
      #expect(up == own.filter { $0["type"] == "request" }.sum("ip_bytes"))
      #expect(up + down == own.sum("ip_bytes") && up + down == row["ip_bytes"] as? Int)
      if let api = row["api"] as? Int, (apis[api]["path"] as? String)?.contains("…") == false {
        #expect(apis[api]["path"] as? String == other["api_path"])
      }
    }
    if apis.count < 200 { #expect(Set(exchanges.rows.compactMap { $0["api"] as? Int }).count <= apis.count) }
    let connections = try page.table("connections")
    let all = page.report.connections.rows
    #expect(connections.total == all.count && connections.rows.count == min(all.count, 200))
    for column in ["setup", "teardown", "unattributed"] {
      #expect(try page.summary(column) == all.sum("\(column)_bytes"))
    }
    let clients = try page.table("clients")
    #expect(clients.sum("up") == all.sum("client_ip_bytes") && clients.sum("down") == all.sum("server_ip_bytes"))
    #expect(clients.sum("connections") == all.count)
    let pairs = try page.table("pairs")
    #expect(
      pairs.sum("bytes") == all.sum("setup_bytes") + all.sum("handshake_bytes") + all.sum("teardown_bytes"))
    #expect(pairs.sum("beyond_first") <= pairs.sum("bytes"))
  }

  /// Slow and failed exchanges, and those of APIs with few bytes, are on a page that does not have all.
  @Test func slowAndFailedExchangesAreThere() throws {
    let page = try Self.page(Corpus.capture("mixed-2000"))
    let shown = try page.table("exchanges").rows
    let numbers = Set(shown.compactMap { $0["exchange"] as? Int })
    let rows = page.report.exchanges.rows
    #expect(numbers.count < rows.count)
    func duration(_ row: CSVFile.Row) -> Double {
      ["send_ms", "wait_ms", "receive_ms"].reduce(0) { $0 + (Double(row[$1]) ?? 0) }
    }
    let slowest = rows.sorted { duration($0) > duration($1) }.prefix(100)
    #expect(slowest.allSatisfy { numbers.contains($0.integer("exchange")) })
    let failed = rows.filter { $0["response"].isEmpty || $0.integer("status") >= 400 }
      .sorted { $0.integer("ip_bytes") > $1.integer("ip_bytes") }.prefix(100)
    #expect(failed.allSatisfy { numbers.contains($0.integer("exchange")) })
    #expect(Set(shown.compactMap { $0["api"] as? Int }).count == (try page.table("apis").rows.count))
  }

  @Test(arguments: Corpus.captures)
  func hosts(_ capture: CaptureFile) throws {
    let page = try Self.page(capture)
    let hosts = try page.table("hosts")
    let rows = page.report.hosts.rows
    #expect(hosts.total == rows.count)
    for (mine, column) in [
      ("connections", "connections"), ("requests", "requests"), ("up", "up_bytes"), ("down", "down_bytes"),
      ("header", "header_bytes"), ("handshake", "handshake_bytes"), ("retransmitted", "retransmitted_bytes"),
    ] {
      #expect(hosts.sum(mine) == rows.sum(column), "\(column)")
    }
    let parts = try #require(try page.data()["host_parts"] as? [String])
    for host in hosts.rows {
      let sum = parts.reduce(0) { $0 + (host[$1] as? Int ?? 0) }
      #expect(sum == (host["up"] as? Int ?? 0) + (host["down"] as? Int ?? 0), "its parts are all of it")
    }
  }

  @Test(arguments: Corpus.captures)
  func whatWasWasted(_ capture: CaptureFile) throws {
    let page = try Self.page(capture)
    let messages = page.report.messages.rows
    let fields = try page.table("fields")
    #expect(fields.sum("bytes") == page.report.fields.rows.sum("bytes"))
    #expect(fields.sum("repeated_bytes") == page.report.fields.rows.sum("repeated_bytes"))
    let cookies = page.report.fields.rows.filter { ["cookie", "set-cookie"].contains($0["field"]) }
    #expect(try page.table("cookies").sum("bytes") == cookies.sum("bytes"))
    let contents = page.report.contents.rows
    #expect(try page.table("repeated").sum("bytes") == contents.sum("repeated_bytes"))
    #expect(try page.table("repeated").sum("contents") == contents.sum("repeated"))
    #expect(try page.table("elsewhere").sum("bytes") == contents.sum("repeated_elsewhere_bytes"))
    #expect(try page.table("elsewhere").sum("contents") == contents.sum("repeated_elsewhere"))
    let smaller = contents.filter { !$0["gzip_estimate_bytes"].isEmpty }
      .map { $0.integer("uncoded_bytes") - $0.integer("gzip_estimate_bytes") }.filter { $0 > 0 }
    #expect(try page.table("uncompressed").sum("saved_bytes") == smaller.reduce(0, +))
    let codings = try page.table("codings")
    let coded = messages.filter { !$0["content_encoding"].isEmpty }
    #expect(codings.sum("messages") == coded.count)
    #expect(codings.sum("bytes") == coded.sum("body_bytes"))
    let decoded = coded.filter { !$0["decoded_body_bytes"].isEmpty }
    #expect(codings.sum("decoded_bytes") == decoded.sum("decoded_body_bytes"))
    #expect(codings.sum("coded_bytes") == decoded.sum("body_bytes"))
    let exchanges = page.report.exchanges.rows
    let redirects = exchanges.filter { ["301", "302", "303", "307", "308"].contains($0["status"]) }
    #expect(try page.table("redirects").sum("ip_bytes") == redirects.sum("ip_bytes"))
    let errors = exchanges.filter { $0.integer("status") >= 400 || $0["response"].isEmpty }
    #expect(try page.table("errors").sum("exchanges") == errors.count)
    #expect(try page.table("errors").sum("ip_bytes") == errors.sum("ip_bytes"))
    #expect(try page.table("statuses").sum("exchanges") == exchanges.filter { !$0["response"].isEmpty }.count)
    let waits = try #require(try page.data()["waits"] as? [String: Any])
    #expect((waits["counts"] as? [Int])?.reduce(0, +) == exchanges.filter { !$0["wait_ms"].isEmpty }.count)
    #expect(try page.table("content_types").sum("bytes") == messages.sum("body_bytes"))
    try savings(page)
  }

  /// The list of what would save most has the sums of the tables behind it, ranked.
  private func savings(_ page: Page) throws {
    let savings = try #require(try page.data()["savings"] as? [[String: Any]])
    let octets = savings.compactMap { $0["bytes"] as? Int }
    #expect(octets == octets.sorted(by: >) && octets.allSatisfy { $0 > 0 })
    let known = Dictionary(uniqueKeysWithValues: zip(savings.compactMap { $0["id"] as? String }, octets))
    let cookies = try page.table("cookies").sum("repeated_bytes")
    let expected = [
      "fields": try page.table("fields").sum("repeated_bytes") - cookies, "cookies": cookies,
      "gzip": try page.table("uncompressed").sum("saved_bytes"), "again": try page.table("repeated").sum("bytes"),
      "elsewhere": try page.table("elsewhere").sum("bytes"),
      "retransmissions": page.report.ledger("retransmitted") ?? 0,
      "connections": try page.table("pairs").sum("beyond_first"),
      "redirects": try page.table("redirects").sum("ip_bytes"), "errors": try page.table("errors").sum("ip_bytes"),
    ]
    #expect(known == expected.filter { $0.value > 0 })
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
