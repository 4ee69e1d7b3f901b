import TestSupport
import Testing

@testable import HTTPReassembly

/// What proxies send before the application's first octet.
@Suite struct PrefixTests {
  typealias Turn = (peer: Peer, octets: [UInt8])

  struct Prefix: CustomStringConvertible {
    var description: String
    var kind: PrefixProtocol
    var turns: [Turn]
    var client = ""
    var server = ""

    var length: Int { turns.reduce(0) { $0 + $1.octets.count } }
  }

  private static let signature = Array("\r\n\r\n\0\r\nQUIT\n".utf8)

  private static func version2(_ command: UInt8, _ family: UInt8, _ content: [UInt8]) -> [Turn] {
    [(.client, signature + [0x20 | command, family, UInt8(content.count >> 8), UInt8(content.count & 0xff)] + content)]
  }

  private static let ports: [UInt8] = [0x8b, 0x3e, 0x01, 0xbb]
  private static let one: [UInt8] = [0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
  private static let two: [UInt8] = [0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]
  private static let name = Array("Api.example.com".utf8)

  private static func path(_ text: String) -> [UInt8] {
    Array(text.utf8) + Array(repeating: 0, count: 108 - text.utf8.count)
  }

  private static let noMethod: [Turn] = [(.client, [5, 1, 0]), (.server, [5, 0])]
  private static let user: [Turn] = [
    (.client, [5, 2, 0, 2]), (.server, [5, 2]), (.client, [1, 4] + Array("user".utf8) + [2] + Array("pw".utf8)),
    (.server, [1, 0]),
  ]
  private static let accepted: Turn = (.server, [5, 0, 0, 1, 0, 0, 0, 0, 0, 0])

  static let all: [Prefix] = [
    Prefix(
      description: "v1 TCP4", kind: .proxy1,
      turns: [(.client, Array("PROXY TCP4 198.51.100.22 203.0.113.7 35646 443\r\n".utf8))],
      client: "198.51.100.22:35646", server: "203.0.113.7:443"),
    Prefix(
      description: "v1 TCP6", kind: .proxy1,
      turns: [(.client, Array("PROXY TCP6 2001:DB8::1 2001:db8::2 35646 443\r\n".utf8))],
      client: "[2001:db8::1]:35646", server: "[2001:db8::2]:443"),
    Prefix(description: "v1 UNKNOWN", kind: .proxy1, turns: [(.client, Array("PROXY UNKNOWN\r\n".utf8))]),
    Prefix(
      description: "v1 that is wrong", kind: .proxy1,
      turns: [(.client, Array("PROXY TCP4 <b> 203.0.113.7 35646 443\r\n".utf8))]),
    Prefix(
      description: "v2 TCP4", kind: .proxy2, turns: version2(1, 0x11, [198, 51, 100, 22, 203, 0, 113, 7] + ports),
      client: "198.51.100.22:35646", server: "203.0.113.7:443"),
    Prefix(
      description: "v2 TCP4 with further fields", kind: .proxy2,
      turns: version2(
        1, 0x11, [198, 51, 100, 22, 203, 0, 113, 7] + ports + [4, 0x01, 0x90] + Array(repeating: 7, count: 400)),
      client: "198.51.100.22:35646", server: "203.0.113.7:443"),
    Prefix(
      description: "v2 TCP6", kind: .proxy2, turns: version2(1, 0x21, one + two + ports),
      client: "[2001:db8::1]:35646", server: "[2001:db8::2]:443"),
    Prefix(
      description: "v2 of sockets", kind: .proxy2, turns: version2(1, 0x31, path("/run/a") + path("/run/b")),
      client: "/run/a", server: "/run/b"),
    Prefix(description: "v2 LOCAL", kind: .proxy2, turns: version2(0, 0x11, [1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3])),
    Prefix(description: "v2 of no family", kind: .proxy2, turns: version2(1, 0, [])),
    Prefix(
      description: "SOCKS 4", kind: .socks4,
      turns: [
        (.client, [4, 1, 0x01, 0xbb, 203, 0, 113, 7] + Array("me".utf8) + [0]), (.server, [0, 0x5a, 0, 0, 0, 0, 0, 0]),
      ],
      server: "203.0.113.7:443"),
    Prefix(
      description: "SOCKS 4a", kind: .socks4,
      turns: [(.client, [4, 1, 0x01, 0xbb, 0, 0, 0, 7, 0] + name + [0]), (.server, [0, 0x5a, 0, 0, 0, 0, 0, 0])],
      server: "api.example.com:443"),
    Prefix(
      description: "SOCKS 5 with a name", kind: .socks5,
      turns: noMethod + [(.client, [5, 1, 0, 3, 15] + name + [0x01, 0xbb]), accepted], server: "api.example.com:443"),
    Prefix(
      description: "SOCKS 5 with a user", kind: .socks5,
      turns: user + [(.client, [5, 1, 0, 1, 203, 0, 113, 7, 0x01, 0xbb]), accepted], server: "203.0.113.7:443"),
    Prefix(
      description: "SOCKS 5 with IPv6", kind: .socks5,
      turns: noMethod + [(.client, [5, 1, 0, 4] + two + [0x01, 0xbb]), (.server, [5, 0, 0, 4] + one + [0, 80])],
      server: "[2001:db8::2]:443"),
    Prefix(
      description: "SOCKS 5 from outside", kind: .socks5,
      turns: noMethod + [
        (.client, [5, 2, 0, 1, 203, 0, 113, 7, 0x01, 0xbb]), accepted, (.server, [5, 0, 0, 3, 15] + name + [0, 80]),
      ],
      server: "203.0.113.7:443"),
  ]

  /// What comes behind the prefix: HTTP/1, or HTTP/2 with prior knowledge.
  enum Application: CaseIterable {
    case http1
    case http2

    var turns: [Turn] {
      guard self == .http2 else {
        return [
          (.client, Array(HTTP.get("/a").utf8)), (.server, Array(HTTP.ok("first").utf8)),
          (.client, Array(HTTP.post("/b", "content").utf8)), (.server, Array(HTTP.chunked("one", "two").utf8)),
        ]
      }
      var (client, server) = (HTTP2Writer(), HTTP2Writer())
      let request = client.block(HTTP2Writer.request("/a"))
      let response = server.block(HTTP2Writer.response())
      return [
        (.client, HTTP2Writer.preface + HTTP2Writer.settings() + HTTP2Writer.headers(1, request, ends: true)),
        (
          .server,
          HTTP2Writer.settings() + HTTP2Writer.headers(1, response) + HTTP2Writer.data(1, Array("hi".utf8), ends: true)
        ),
      ]
    }
  }

  private func analysis(_ turns: [Turn]) -> Analysis {
    var dialogue = Dialogue.opened()
    for turn in turns { dialogue.send(turn.peer, turn.octets) }
    dialogue.close()
    return Analysis(dialogue.packets())
  }

  private func text(_ analysis: Analysis) -> [String] {
    analysis.messages.map {
      "\($0.kind) \($0.method) \($0.host) \($0.path) \($0.octets) \($0.control) \($0.overhead) \($0.exactness) \($0.pairing) \($0.flags)"
    }
  }

  private func expect(_ found: Analysis, _ prefix: Prefix, _ whole: Analysis, _ how: String) -> Bool {
    let said = found.prefixes[1]
    let isRight =
      found.violations == [] && text(found) == text(whole) && found.ledger[.stray] == prefix.length
      && found.ledger[.opaque] == 0 && found.ledger[.control] == whole.ledger[.control] && said?.kind == prefix.kind
      && said?.client == Array(prefix.client.utf8) && said?.server == Array(prefix.server.utf8)
    if !isRight {
      let words = "\(prefix), \(how): \(found.violations) \(text(found)) \(found.classes) \(String(describing: said))"
      Issue.record(Comment(rawValue: words))
    }
    return isRight
  }

  /// Rows are those without a prefix, wherever segments end; the prefix belongs to the connection.
  @Test(arguments: all, Application.allCases)
  func cutAtEveryPosition(_ prefix: Prefix, _ application: Application) {
    let whole = analysis(application.turns)
    #expect(whole.violations == [] && whole.messages.count >= 2)
    guard expect(analysis(prefix.turns + application.turns), prefix, whole, "in turns") else { return }
    let octets = prefix.turns.flatMap { turn in turn.octets.map { (peer: turn.peer, octets: [$0]) } }
    guard expect(analysis(octets + application.turns), prefix, whole, "octet by octet") else { return }
    for number in prefix.turns.indices {
      for cut in 1..<max(prefix.turns[number].octets.count, 1) {
        var turns = prefix.turns
        turns[number].octets = Array(prefix.turns[number].octets[cut...])
        turns.insert((prefix.turns[number].peer, Array(prefix.turns[number].octets[..<cut])), at: number)
        guard expect(analysis(turns + application.turns), prefix, whole, "turn \(number) cut after \(cut)") else {
          return
        }
      }
    }
  }

  /// A client may send everything at once, and the proxy's last answer may come with the server's first octets.
  @Test(arguments: all, Application.allCases)
  func theFirstOctetsComeWithThePrefix(_ prefix: Prefix, _ application: Application) {
    let whole = analysis(application.turns)
    var turns = prefix.turns + application.turns
    let first = application.turns[0].octets
    turns.remove(at: prefix.turns.count)
    let last = prefix.turns.lastIndex { $0.peer == .client } ?? 0
    turns[last].octets += first
    _ = expect(analysis(turns), prefix, whole, "with the request")
    let sent = turns[...last].filter { $0.peer == .client }.flatMap(\.octets)
    let answers = turns[...last].filter { $0.peer == .server }
    _ = expect(analysis([(.client, sent)] + answers + turns[(last + 1)...]), prefix, whole, "all at once")
  }

  /// Copies of the prefix's packets cost the connection, and change no row.
  @Test(arguments: all) func copiesOfThePrefix(_ prefix: Prefix) {
    for application in Application.allCases {
      let whole = analysis(application.turns)
      var dialogue = Dialogue.opened()
      for turn in prefix.turns {
        dialogue.send(turn.peer, turn.octets)
        dialogue.repeatSegment(-1)
      }
      for turn in application.turns { dialogue.send(turn.peer, turn.octets) }
      dialogue.close()
      let found = Analysis(dialogue.packets())
      #expect(found.ledger[.retransmitted] == prefix.length)
      _ = expect(found, prefix, whole, "\(application), each twice")
    }
  }

  /// What is refused has a prefix, too, and no message.
  @Test(
    arguments: [
      ([noMethod[0], (.server, [5, 0xff])], ""),
      (Array(user[..<3]) + [(.server, [1, 1])], ""),
      (
        noMethod + [(.client, [5, 1, 0, 3, 15] + name + [0x01, 0xbb]), (.server, [5, 5, 0, 1, 0, 0, 0, 0, 0, 0])],
        "api.example.com:443"
      ),
    ] as [([Turn], String)])
  func refusals(_ turns: [Turn], _ server: String) {
    let found = analysis(turns)
    #expect(found.violations == [] && found.messages.isEmpty)
    #expect(found.ledger[.stray] == turns.reduce(0) { $0 + $1.octets.count })
    #expect(found.prefixes[1]?.kind == .socks5 && found.prefixes[1]?.server == Array(server.utf8))
  }

  /// What only begins like a prefix is what it would be without prefixes.
  @Test func otherProtocols() {
    func classes(_ turns: [Turn]) -> [OctetClass: Int] { analysis(turns).classes }
    let request = Array("PROXY /a HTTP/1.1\r\nHost: h\r\n\r\n".utf8)
    #expect(analysis([(.client, request)]).requests.map(\.method) == ["PROXY"])
    #expect(analysis([(.client, Array("PROPFIND /a HTTP/1.1\r\nHost: h\r\n\r\n".utf8))]).requests.count == 1)
    #expect(analysis([(.client, Array("\r\n\r\nGET /a HTTP/1.1\r\nHost: h\r\n\r\n".utf8))]).requests.count == 1)
    for octets in [
      [5, 1, 0] as [UInt8], [5, 0, 11, 3], [4, 1, 2], [4, 9, 9, 9], Self.signature + [0x31, 0, 0, 0], [5],
    ] {
      let found = analysis([(.client, octets), (.server, [1, 2, 3])])
      #expect(found.violations == [] && found.prefixes.isEmpty, "\(octets)")
      #expect(found.ledger[.opaque] == octets.count + 3, "\(octets): \(found.classes)")
    }
  }

  /// Lost octets of a prefix: nothing is invented, everything adds up, and HTTP/1 behind it is found.
  @Test(arguments: all) func lostOctets(_ prefix: Prefix) {
    for lost in prefix.turns.indices {
      for application in Application.allCases {
        var dialogue = Dialogue.opened()
        for (number, turn) in (prefix.turns + application.turns).enumerated() {
          dialogue.send(turn.peer, turn.octets, isCaptured: number != lost)
        }
        dialogue.close()
        let found = Analysis(dialogue.packets())
        #expect(found.violations == [], "\(prefix), turn \(lost)")
        if application == .http1 { #expect(found.requests.map(\.path) == ["/a", "/b"], "\(prefix), turn \(lost)") }
      }
    }
  }

  /// Packets of a prefix may be lost, late or repeated, its handshake, too: everything adds up.
  @Test(arguments: all) func packetsInAnyOrder(_ prefix: Prefix) {
    for application in Application.allCases {
      for seed in RandomCases.seeds(0..<40) {
        var random = SeededRandom(seed: UInt64(seed))
        var dialogue = Dialogue.opened()
        for turn in prefix.turns + application.turns {
          dialogue.send(turn.peer, turn.octets, isCaptured: Int.random(in: 0..<6, using: &random) > 0)
          if Int.random(in: 0..<4, using: &random) == 0 { dialogue.repeatSegment(-1) }
        }
        dialogue.close()
        var packets = Array(dialogue.packets().dropFirst(Int.random(in: 0...3, using: &random)))
        for _ in 0..<Int.random(in: 0...4, using: &random) {
          guard let from = packets.indices.randomElement(using: &random) else { continue }
          let moved = packets.remove(at: from)
          packets.insert(moved, at: min(from + Int.random(in: 0...3, using: &random), packets.count))
        }
        #expect(Analysis(packets).violations == [], "\(prefix), \(application), seed \(seed)")
      }
    }
  }
}
