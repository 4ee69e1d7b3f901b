import HTTPReassembly
import Testing

@testable import Reports

/// `--by` (libpsl's own list says what is registered).
@Suite struct GroupSummaryTests {
  @Test(arguments: [
    ("a.b.example.co.uk", "example.co.uk"), ("example.com", "example.com"), ("www.example.com:8443", "example.com"),
    ("example.co.uk:80", "example.co.uk"), ("co.uk", "co.uk"), ("localhost", "localhost"), ("", ""),
    ("192.0.2.1", "192.0.2.1"), ("192.0.2.1:80", "192.0.2.1"), ("[2001:db8::1]:80", "[2001:db8::1]"),
    ("2001:db8::1", "2001:db8::1"), ("a\u{0}b.example.com", "a\u{0}b.example.com"), ("..", ".."),
  ])
  func registrableDomains(_ host: String, _ domain: String) {
    #expect(String(decoding: RegistrableDomain.of(host: Array(host.utf8)), as: UTF8.self) == domain)
  }

  /// Media types and status codes are those of responses, mostly, and hosts have requests for both.
  @Test(arguments: SummaryGrouping.allCases)
  func responsesAreShownWhereTheyMatter(_ grouping: SummaryGrouping) {
    var totals = emptyTotals()
    var group = GroupTotals()
    group.name = Array("text/html".utf8)
    group.responses = 77
    group.down = 1000
    totals.groups = [group]
    let text = Summary(totals, choices: SummaryChoices(grouping: grouping)).text(width: 100)
    #expect(text.contains("responses") == [.contentType, .status].contains(grouping))
    #expect(text.contains(" 77 ") == [.contentType, .status].contains(grouping))
  }

  @Test func octetsThatAreNoTextStayAsTheyAre() {
    let host: [UInt8] = [0xff, 0x2e, 0xfe, 0x2e, 0x80]
    let domain = RegistrableDomain.of(host: host)
    #expect(!domain.isEmpty && Array(host.suffix(domain.count)) == domain)
  }

  @Test func groupsOfHostsAddUp() throws {
    var totals = emptyTotals()
    var texts = totals.texts
    for (index, name) in ["a.example.com", "b.example.com:81", "other.example.org"].enumerated() {
      var host = HostTotals()
      host.host = texts.intern(Array(name.utf8))
      host.up = 10 * (index + 1)
      host.down = 100
      host.requests = 1
      host.connections.http1 = 1
      totals.hosts.append(host)
    }
    totals.texts = texts
    let groups = SummaryGrouping.domain.groups(totals, nil)
    #expect(groups.map(\.name) == ["example.com", "example.org"])
    #expect(groups[0].totals.up == 30 && groups[0].totals.down == 200 && groups[0].totals.connections == 2)
    let text = Summary(totals, choices: SummaryChoices(grouping: .domain)).text(width: 100)
    #expect(text.hasPrefix("domain"))
    #expect(text.split(separator: "\n").contains { $0.hasPrefix("total ") && $0.contains("360") })
    #expect(
      Summary(emptyTotals(), choices: SummaryChoices(grouping: .host)).text(width: 100).hasPrefix("No connections."))
  }
}
