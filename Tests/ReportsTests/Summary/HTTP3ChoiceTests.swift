import TestSupport
import Testing

@testable import HTTPReassembly
@testable import Reports
@testable import Tabular

/// The summary's line about hosts that speak HTTP/3.
@Suite struct HTTP3ChoiceTests {
  /// The totals of one exchange with each host; those in `offering` offer HTTP/3.
  private func totals(_ hosts: [String], offering: Set<String>) -> Totals {
    var index = -1
    let packets = Dialogue.connections(hosts.count, spacing: 1_000_000) { dialogue in
      index += 1
      dialogue.send(.client, "GET /a HTTP/1.1\r\nHost: \(hosts[index])\r\n\r\n")
      let offer = offering.contains(hosts[index]) ? "Alt-Svc: h3=\":443\"\r\n" : ""
      dialogue.send(.server, "HTTP/1.1 200 OK\r\n\(offer)Content-Length: 0\r\n\r\n")
    }
    return Analysis(packets).totals
  }

  @Test func nothingIsSaidWithoutHTTP3() {
    #expect(HTTP3Choice(totals(["a.test", "b.test"], offering: []), redaction: nil).line == nil)
  }

  @Test func hostsThatOfferItAreNamed() throws {
    let totals = totals(["a.test", "b.test"], offering: ["b.test"])
    let octets = try #require(totals.hosts.first { totals.texts.string($0.host) == "b.test" }).exchanges.http1.octets
    #expect(
      HTTP3Choice(totals, redaction: nil).line
        == "HTTP/3: 1 host offered it and sent \(octets) bytes in 1 exchange without it: b.test")
  }

  /// With `--redact`, names stay and addresses do not, as in all reports.
  @Test func anAddressIsHashed() throws {
    let totals = totals(["192.0.2.7"], offering: ["192.0.2.7"])
    #expect(HTTP3Choice(totals, redaction: nil).line?.hasSuffix(": 192.0.2.7") == true)
    let line = try #require(HTTP3Choice(totals, redaction: Redaction { _ in [1, 2, 3, 4] }).line)
    #expect(line.hasSuffix(": ~01020304"))
  }

  /// A host that was asked by QUIC in vain is named for that, whether it offered HTTP/3 or not.
  @Test func hostsThatFellBackAreNamed() {
    var totals = totals(["a.test", "b.test", "c.test"], offering: ["a.test", "b.test"])
    totals.hosts[0].quic.unanswered = 1
    totals.hosts[2].quic.refused = 2
    // One with HTTP/3 did not fall back as a whole.
    totals.hosts[1].exchanges.http3 = .init(count: 1, octets: 9)
    totals.hosts[1].quic.refused = 1
    let octets = totals.hosts[0].exchanges.http1.octets + totals.hosts[2].exchanges.http1.octets
    let line = HTTP3Choice(totals, redaction: nil).line ?? ""
    let end =
      "2 hosts did not take QUIC and sent \(Numerals.grouped(octets)) bytes in 2 exchanges without it: a.test, c.test"
    #expect(line.hasSuffix("1 exchange; " + end))
  }

  @Test func useIsAddedUpAndLongListsAreCut() {
    let names = ["a.test", "b.test", "c.test", "d.test", "e.test"]
    var totals = totals(names, offering: Set(names))
    totals.hosts[0].exchanges.http3 = .init(count: 2, octets: 1_234)
    let line = HTTP3Choice(totals, redaction: nil).line ?? ""
    #expect(line.hasPrefix("HTTP/3: 1 host used it for 1,234 bytes in 2 exchanges; 4 hosts offered it and sent "))
    #expect(line.hasSuffix(" more") && line.contains(" in 4 exchanges without it: "))
  }
}
