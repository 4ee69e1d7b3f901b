import HTTPReassembly
import TestSupport
import Testing

@testable import Reports
@testable import Tabular

/// What `--redact` leaves out. The digest here is no hash, so that the rows can be read.
@Suite struct RedactionTests {
  private let redaction = Redaction { octets in
    var sum: UInt32 = 2_166_136_261
    for octet in octets { sum = (sum ^ UInt32(octet)) &* 16_777_619 }
    return (0..<4).map { UInt8(truncatingIfNeeded: sum >> UInt32(24 - $0 * 8)) } + Array(repeating: 0, count: 28)
  }

  private func path(_ text: String) -> String { String(decoding: redaction.path(Array(text.utf8)), as: UTF8.self) }
  private func host(_ text: String) -> String { String(decoding: redaction.host(Array(text.utf8)), as: UTF8.self) }

  @Test func pathsKeepTheirFirstSegment() {
    for kept in ["", "/", "*", "/users", "/users/"] { #expect(path(kept) == kept) }
    let hidden = path("/users/42/x")
    #expect(hidden.hasPrefix("/users/~"))
    #expect(hidden.utf8.count == "/users/~".utf8.count + 8)
    #expect(path("/users/42/x") == hidden)
    #expect(path("/users/42/y") != hidden)
    #expect(path("secret/42").hasPrefix("~"))
    #expect(path("//42/x").hasPrefix("//~"))
  }

  @Test(arguments: ["example.com", "example.com:8080", "localhost", "a1.b2", "10.0.0.1.example", "face", "x.0xg", ""])
  func namesAreKept(_ name: String) {
    #expect(host(name) == name)
  }

  @Test(arguments: [
    "10.0.0.1", "10.0.0.1:8080", "[2001:db8::1]", "[2001:db8::1]:8080", "2001:db8::1", "127.1", "2130706433",
    "0x7f000001", "999.0.0.1", "[fe80::1%25eth0]:80", "[", "::", "a.0x1F",
  ])
  func addressesAreHidden(_ address: String) {
    let hidden = host(address)
    #expect(hidden.hasPrefix("~"))
    #expect(hidden.prefix(9).allSatisfy { $0 == "~" || $0.isHexDigit })
    let port = address.contains(":80") ? String(address.suffix(while: { $0 != ":" })) : ""
    #expect(String(hidden.dropFirst(9)) == port)
  }

  /// No name and no address is so long.
  @Test func longHostsAreHidden() {
    for text in [
      String(repeating: "a", count: 1024), String(repeating: "1.", count: 30_000),
      "[" + String(repeating: "1:", count: 600),
    ] {
      #expect(host(text).wholeMatch(of: /~[0-9a-f]{8}/) != nil)
    }
    #expect(host(String(repeating: "a", count: 1023)) == String(repeating: "a", count: 1023))
  }

  /// A few long texts are remembered. Each has its own digits, whichever came before it, and however often.
  @Test func longTextsHaveTheSameDigitsInAnyOrder() {
    var random = SeededRandom(seed: 5)
    let long = String(repeating: "0", count: 2000)
    let texts = (0..<20).map { "/\($0 % 2)/\(long.prefix(990 + 5 * $0))\($0)\(long)" }
    let alone = texts.map { RedactionTests().path($0) }
    #expect(Set(alone).count == texts.count)
    for _ in 0..<200 {
      let index = Int.random(in: 0..<texts.count, using: &random)
      #expect(path(texts[index]) == alone[index])
    }
  }

  @Test func anAddressHasOneNameEverywhere() {
    #expect(Array(host("10.0.0.1:80").utf8.dropLast(3)) == redaction.address(client.address))
    #expect(Array(host("[2001:DB8:0:0::1]").utf8) == redaction.address(server.address))
    #expect(Array(host("2001:db8:0:0:0:0:0:1").utf8) == redaction.address(server.address))
    #expect(Array(host("[::ffff:10.0.0.1]").utf8) == redaction.address(client.address))
  }

  @Test func nothingIsLeftInTheFiles() throws {
    let folder = TemporaryFolder()
    var texts = TextPool()
    var message = Message()
    message.number = 1
    message.client = client
    message.server = server
    message.host = texts.intern("10.0.0.1:8080")
    message.path = texts.intern("/users/alice/x")
    var exchange = Exchange()
    exchange.number = 1
    exchange.host = message.host
    exchange.path = message.path
    var connection = Connection()
    connection.number = 1
    connection.client = client
    connection.server = server
    var totals = emptyTotals()
    totals.apis = [api("/users/alice", up: 1, down: 2, in: &texts), api("/users/bob", up: 1, down: 2, in: &texts)]
    totals.texts = texts
    Array("GET /users/alice".utf8).withOctets { totals.anomalies.note(.tcpHole, example: $0) }
    let report = try CSVReport(folder: folder.path, grouping: .init(), redaction: redaction)
    try report.message(message, texts: texts)
    try report.exchange(exchange, texts: texts)
    try report.connection(connection, texts: texts)
    try report.finish(totals)
    let summary = Summary(totals, redaction: redaction).text(width: 120)
    let files = folder.names.map { folder.text($0) }
    #expect(files.count == 13)
    for text in files + [summary] {
      for secret in ["alice", "bob", "10.0.0.1", "2001:db8"] { #expect(!text.contains(secret)) }
    }
    let cells = folder.rows("messages.csv")[0].split(separator: ",", omittingEmptySubsequences: false)
    #expect(cells[6].hasSuffix(":50000"))
    #expect(cells[10] == cells[6].dropLast(6) + ":8080")
    #expect(folder.rows("apis.csv") == folder.rows("apis.csv").sorted())
    #expect(summary.contains("api.example.com/users/~"))
    #expect(summary.contains("tcp_hole"))
  }
}

extension String {
  /// The end of the string from the last character that `isOther` refuses, that one included.
  fileprivate func suffix(while isOther: (Character) -> Bool) -> Substring {
    guard let last = lastIndex(where: { !isOther($0) }) else { return self[...] }
    return self[last...]
  }
}
