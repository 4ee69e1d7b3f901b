import TestSupport
import Testing

/// The files that say more of what others sum up add up to those, exactly, for every capture.
@Suite struct RefinedSumTests {
  @Test(arguments: Corpus.captures)
  func hostsAreTheSumOfConnections(_ capture: CaptureFile) throws {
    let report = try FileAnalysis.of(capture).report
    let (hosts, connections) = (report.hosts.rows, report.connections.rows)
    #expect(hosts.sum("up_bytes") == connections.sum("client_ip_bytes"))
    #expect(hosts.sum("down_bytes") == connections.sum("server_ip_bytes"))
    #expect(hosts.sum("connections") == connections.count)
    for column in ["setup_bytes", "teardown_bytes", "handshake_bytes", "tls_record_bytes", "retransmitted_bytes"] {
      #expect(hosts.sum(column) == connections.sum(column), "\(column)")
    }
    #expect(hosts.sum("message_bytes") == report.messages.rows.sum("message_bytes"))
    #expect(
      hosts.sum("unopened_bytes")
        == (report.ledger("tls_application_data") ?? 0) + (report.ledger("quic_protected") ?? 0))
    let parts = [
      "message_bytes", "tls_record_bytes", "control_bytes", "handshake_bytes", "setup_bytes", "teardown_bytes",
      "retransmitted_bytes", "overhead_bytes", "unopened_bytes", "unattributed_bytes", "tunnel_bytes",
    ]
    for host in hosts {
      let sum = parts.reduce(0) { $0 + host.integer($1) }
      #expect(sum == host.integer("ip_bytes"), "\(host["host"])")
      #expect(host.integer("up_bytes") + host.integer("down_bytes") == sum, "\(host["host"])")
      #expect((parts + ["up_bytes", "down_bytes"]).allSatisfy { host.integer($0) >= 0 }, "\(host["host"])")
      #expect(!host["host_source"].isEmpty, "\(host["host"])")
    }
  }

  @Test(arguments: Corpus.captures)
  func theTimelineIsTheLedger(_ capture: CaptureFile) throws {
    let report = try FileAnalysis.of(capture).report
    for name in Contract.classes {
      #expect(report.timeline.rows.sum("\(name)_bytes") == report.ledger(name), "\(name)")
    }
    #expect(report.timeline.rows.sum("bytes") == report.ledger("total"))
    #expect(report.timeline.rows.sum("packets") == report.ledger("packets"))
    #expect(Set(report.timeline.rows.map { $0["start"] }).count <= 102)
  }

  @Test(arguments: Corpus.captures)
  func fieldsAndContentsAreTheSumsOfAPIs(_ capture: CaptureFile) throws {
    let report = try FileAnalysis.of(capture).report
    func name(_ row: CSVFile.Row) -> [String] { [row["host"], row["path"]] }
    /// Rows by API. The rows of an API follow each other, and only the first one has a long name whole.
    func byAPI(_ rows: [CSVFile.Row]) -> [[String]: [CSVFile.Row]] {
      var whole: [String] = []
      return Dictionary(grouping: rows) { row in
        if !name(row).contains(where: { $0.contains("\\+") }) { whole = name(row) }
        return whole
      }
    }
    let fields = byAPI(report.fields.rows)
    let contents = byAPI(report.contents.rows)
    for api in report.apis.rows {
      for direction in ["request", "response"] {
        let own = fields[name(api)]?.filter { $0["direction"] == direction } ?? []
        let parts = ["start_line", "header", "trailer"].reduce(0) { $0 + api.integer("\(direction)_\($1)_bytes") }
        #expect(own.sum("bytes") == parts, "\(name(api)) \(direction)")
        let bodies = contents[name(api)]?.filter { $0["direction"] == direction } ?? []
        #expect(bodies.sum("body_bytes") == api.integer("\(direction)_body_bytes"), "\(name(api)) \(direction)")
      }
    }
    #expect(report.fields.rows.sum("bytes") > 0 || report.messages.rows.isEmpty)
  }

  @Test(arguments: Corpus.captures)
  func groupsAreTheSumsOfRows(_ capture: CaptureFile) throws {
    try GroupSums.check(FileAnalysis.of(capture).report, [capture.path])
  }
}
