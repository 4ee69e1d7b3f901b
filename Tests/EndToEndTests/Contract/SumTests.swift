import Testing

/// The figures of the files add up to one another, exactly, for every capture.
@Suite struct SumTests {
  private static let parts = ["start_line", "header", "body", "framing", "trailer"]
  /// The classes of what TCP segments and datagrams of QUIC carry.
  private static let payloadClasses =
    parts + ["stray", "tunnel", "tls", "opaque", "retransmitted", "out_of_window", "control", "quic"]

  @Test(arguments: Corpus.captures)
  func ledgerBalances(_ capture: CaptureFile) throws {
    let report = try FileAnalysis.of(capture).report
    let sum = Contract.classes.reduce(0) { $0 + (report.ledger($1) ?? 0) }
    #expect(report.ledger("total") == sum)
    #expect(report.ledger("original") == sum)
    #expect(report.ledger("difference") == 0)
    #expect(report.ledger("pending") == 0)
  }

  @Test(arguments: Corpus.captures)
  func ledgerIsTheSumOfMessagesAndConnections(_ capture: CaptureFile) throws {
    let report = try FileAnalysis.of(capture).report
    for part in Self.parts {
      #expect(report.ledger(part) == report.messages.rows.sum("\(part)_bytes"), "\(part)")
    }
    // Tunnels of CONNECT, and of requests that are not known, belong to no message.
    #expect(report.messages.rows.sum("tunnel_bytes") <= report.ledger("tunnel") ?? 0)
    let connections = report.connections.rows
    #expect(report.ledger("retransmitted") == connections.sum("retransmitted_bytes"))
    // Octets beyond a snap length are missing in the ledger, and no connection lacks them.
    let missing = report.ledger("missing") ?? 0
    let unseen = missing - connections.sum("missing_bytes")
    #expect(unseen >= report.messages.rows.sum("unseen_bytes"))
    if report.ledger("truncated_packets") == 0 { #expect(unseen == 0) }
    #expect(
      Self.payloadClasses.reduce(0) { $0 + (report.ledger($1) ?? 0) }
        == connections.sum("client_payload_bytes") + connections.sum("server_payload_bytes"))
  }

  @Test(arguments: Corpus.captures)
  func messagesAddUp(_ capture: CaptureFile) throws {
    for message in try FileAnalysis.of(capture).report.messages.rows {
      let parts = Self.parts.reduce(0) { $0 + message.integer("\($1)_bytes") }
      #expect(message.integer("message_bytes") == parts)
      let charged = ["tunnel_bytes", "tls_bytes", "control_bytes", "retransmitted_bytes", "overhead_bytes"].reduce(0) {
        $0 + message.integer($1)
      }
      #expect(message.integer("ip_bytes") == parts + charged)
      if message["exactness"] == "exact" { #expect(message.integer("missing_bytes") == 0) }
      #expect(["request", "response", "interim"].contains(message["type"]))
      #expect(["exact", "inferred", "at_least"].contains(message["exactness"]))
    }
  }

  @Test(arguments: Corpus.captures)
  func timesRunForward(_ capture: CaptureFile) throws {
    let report = try FileAnalysis.of(capture).report
    for message in report.messages.rows {
      #expect(message.integer("last_time") >= message.integer("first_time"), "message \(message["message"])")
    }
    let phases = Contract.exchanges.filter { $0.hasSuffix("_ms") }
    for exchange in report.exchanges.rows {
      for phase in phases where exchange[phase].hasPrefix("-") {
        Issue.record("exchange \(exchange["exchange"]): \(phase) is \(exchange[phase])")
      }
    }
  }

  @Test(arguments: Corpus.captures)
  func connectionsAreTheSumOfTheirMessages(_ capture: CaptureFile) throws {
    let report = try FileAnalysis.of(capture).report
    let messages = Dictionary(grouping: report.messages.rows) { $0["connection"] }
    // The subflows of Multipath TCP are one connection.
    let all = Dictionary(grouping: report.connections.rows) { row in
      row["mptcp"].isEmpty ? row["connection"] : "mptcp " + row["mptcp"]
    }
    for (name, connections) in all {
      let mine = connections.flatMap { messages[$0["connection"]] ?? [] }
      let charged = ["setup_bytes", "handshake_bytes", "control_bytes", "teardown_bytes", "unattributed_bytes"].reduce(
        0
      ) {
        $0 + connections.sum($1)
      }
      #expect(
        connections.sum("client_ip_bytes") + connections.sum("server_ip_bytes") == mine.sum("ip_bytes") + charged,
        "connection \(name)")
      #expect(connections.sum("missing_bytes") >= mine.sum("missing_bytes"))
      #expect(connections.sum("retransmitted_bytes") >= mine.sum("retransmitted_bytes"))
    }
    for connection in report.connections.rows {
      #expect(connection.integer("messages") == messages[connection["connection"]]?.count ?? 0)
      #expect(["fin", "rst", "idle", "evicted", "capture_end"].contains(connection["end"]))
    }
    let numbers = Set(report.connections.rows.map { $0["connection"] })
    #expect(messages.keys.allSatisfy { numbers.contains($0) })
  }

  @Test(arguments: Corpus.captures)
  func exchangesAreTheirMessages(_ capture: CaptureFile) throws {
    let report = try FileAnalysis.of(capture).report
    let messages = Dictionary(grouping: report.messages.rows) { $0["exchange"] }
    for exchange in report.exchanges.rows {
      let mine = messages[exchange["exchange"]] ?? []
      let requests = mine.filter { $0["type"] == "request" }
      let answers = mine.filter { $0["type"] != "request" }
      #expect(requests.map { $0["message"] } == (exchange["request"].isEmpty ? [] : [exchange["request"]]))
      #expect(
        answers.filter { $0["type"] == "response" }.map { $0["message"] }
          == (exchange["response"].isEmpty ? [] : [exchange["response"]]))
      #expect(exchange.integer("request_bytes") == requests.sum("message_bytes"))
      #expect(exchange.integer("response_bytes") == answers.sum("message_bytes"))
      #expect(exchange.integer("ip_bytes") == mine.sum("ip_bytes"))
      #expect(exchange.integer("tunnel_bytes") == mine.sum("tunnel_bytes"))
      for column in ["connection", "method", "host", "path"] {
        #expect(mine.allSatisfy { $0[column] == exchange[column] }, "\(column)")
      }
    }
    let numbers = Set(report.exchanges.rows.map { $0["exchange"] })
    #expect(messages.keys.allSatisfy { $0.isEmpty || numbers.contains($0) })
  }

  @Test(arguments: Corpus.captures)
  func apisAreTheSumOfTheirMessages(_ capture: CaptureFile) throws {
    let report = try FileAnalysis.of(capture).report
    let messages = Dictionary(grouping: report.messages.rows) { [$0["host"], $0["path"]] }
    #expect(Set(report.apis.rows.map { [$0["host"], $0["path"]] }) == Set(messages.keys))
    for api in report.apis.rows {
      let figures = APIFigures(messages[[api["host"], api["path"]]] ?? [])
      for (column, value) in figures.columns { #expect(api.integer(column) == value, "\(column)") }
    }
    let all = APIFigures(report.messages.rows)
    for (column, value) in all.columns { #expect(report.apis.rows.sum(column) == value, "all APIs: \(column)") }
    let summed = Set(all.columns.map(\.name)).union(["host", "path", "wait_ms_p50", "wait_ms_p95"])
    #expect(Set(Contract.apis) == summed, "no column is left out")
  }

  @Test(arguments: Corpus.captures)
  func waitsOfAPIsAreThoseOfTheirExchanges(_ capture: CaptureFile) throws {
    let report = try FileAnalysis.of(capture).report
    let exchanges = Dictionary(grouping: report.exchanges.rows) { [$0["host"], $0["path"]] }
    for api in report.apis.rows {
      let waits = (exchanges[[api["host"], api["path"]]] ?? []).compactMap { Double($0["wait_ms"]) }.sorted()
      for (column, percent) in [("wait_ms_p50", 50), ("wait_ms_p95", 95)] {
        // By nearest rank; exact as long as an API has at most 512 exchanges, then within 1/128.
        let rank = max((percent * waits.count + 99) / 100, 1)
        let expected = waits.isEmpty ? nil : waits[rank - 1]
        let reported = Double(api[column])
        if waits.count <= 512 {
          #expect(reported == expected)
        } else {
          #expect(abs((reported ?? 0) / (expected ?? 1) - 1) < 1 / 64)
        }
      }
    }
  }

  /// Numbers are in order of the first packets, where packets were captured in the order of their octets: a message gets
  /// its number when its first octet can be read.
  @Test(arguments: Corpus.captures)
  func numbersAreInOrderOfTheFirstPacket(_ capture: CaptureFile) throws {
    let report = try FileAnalysis.of(capture).report
    let isReordered = ["mixed-2000", "one-sided", "one-sided-client", "demo"].contains(capture.name)
    for (file, column) in [
      (report.messages, "first_time"), (report.exchanges, "started"), (report.connections, "opened"),
    ] {
      let times = file.rows.map { $0.integer(column) }
      let exceptions = zip(times, times.dropFirst()).count { $0 > $1 }
      #expect(exceptions == 0 || isReordered && exceptions * 50 < times.count + 200, "\(column)")
    }
  }
}
