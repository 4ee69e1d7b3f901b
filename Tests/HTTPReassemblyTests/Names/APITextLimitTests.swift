import HTTPReassembly
import TestSupport
import Testing

/// The names of APIs are kept for the whole run, so their octets have a limit; what is counted has none.
@Suite struct APITextLimitTests {
  private func analysis(hosts: Int, paths: Int, limit: Int) -> Analysis {
    var configuration = Configuration()
    configuration.apiTextLimit = limit
    // The table of hosts has a limit of its own.
    configuration.hostLimit = 50
    var dialogue = Dialogue.opened()
    for host in 0..<hosts {
      for number in 0..<paths {
        let path = "/\(number)/" + String(repeating: "p", count: 1000)
        dialogue.send(.client, "GET \(path) HTTP/1.1\r\nHost: host-\(host).example\r\n\r\n")
        dialogue.send(.server, HTTP.ok("hello"))
      }
    }
    return analyze(dialogue, configuration)
  }

  private func names(_ totals: Totals) -> [String] {
    totals.apis.map { totals.texts.string($0.host) + totals.texts.string($0.path).prefix(3) + " \($0.requests)" }
  }

  private func textLength(_ totals: Totals) -> Int {
    totals.apis.reduce(0) { sum, api in
      sum + [api.host, api.path, api.method].reduce(0) { $0 + totals.texts.octets($1).count }
    }
  }

  @Test func beyondTheLimitThePathIsLeftOut() {
    let limited = analysis(hosts: 1, paths: 10, limit: 4096)
    // Each name has 1,017 octets: the fifth would be too much.
    #expect(
      names(limited.totals) == [
        "host-0.example 6", "host-0.example/0/ 1", "host-0.example/1/ 1", "host-0.example/2/ 1",
        "host-0.example/3/ 1",
      ])
    #expect(limited.anomalies[.apiTextsFull] == 6 + 6 + 6, "requests, responses and waits")
    #expect(limited.anomalies[.apiTableFull] == 0)
    // The rows themselves keep their paths.
    #expect(limited.requests.count { $0.path.utf8.count > 1000 } == 10)
  }

  @Test func hostsWithoutNumberShareOneRow() {
    let limited = analysis(hosts: 200, paths: 3, limit: 8192)
    #expect(textLength(limited.totals) <= 8192 + 8192 / 8)
    #expect(limited.totals.texts.count < 110)
    #expect(names(limited.totals).first?.hasPrefix(" ") == true)
    // A host that has a row keeps it.
    #expect(limited.totals.apis.reduce(0) { $0 + $1.requests } == 600)
  }

  /// Whatever the limit, sums over the APIs are the same, and the ledger is.
  @Test(arguments: [0, 1, 14, 1017, 5000, 100_000]) func totalsAreExact(limit: Int) {
    let free = analysis(hosts: 7, paths: 9, limit: .max)
    let limited = analysis(hosts: 7, paths: 9, limit: limit)
    #expect(free.anomalies[.apiTextsFull] == 0 && free.totals.apis.count == 63)
    #expect(limited.ledger == free.ledger && limited.ledger.difference == 0)
    #expect(textLength(limited.totals) <= limit + limit / 8)
    func sums(_ totals: Totals) -> [Int] {
      totals.apis.reduce([0, 0, 0, 0, 0]) { sums, api in
        zip(
          sums,
          [api.requests, api.responses, api.request.ipLength, api.response.ipLength, Int(api.wait.count)]
        ).map(+)
      }
    }
    #expect(sums(limited.totals) == sums(free.totals))
  }
}
