import HTTPReassembly
import TestSupport

/// What the peers say one after the other, before it is cut into segments.
struct SplitsScript {
  /// One peer's octets; the next turn is sent by somebody who has received them.
  struct Turn {
    var peer: Peer
    var octets: [UInt8]
  }

  var turns: [Turn] = []

  mutating func say(_ peer: Peer, _ text: String) { turns.append(Turn(peer: peer, octets: Array(text.utf8))) }

  /// Octets of one peer's stream.
  func length(_ peer: Peer) -> Int { turns.filter { $0.peer == peer }.reduce(0) { $0 + $1.octets.count } }

  /// A connection with the turns cut after the positions in `cuts` of each peer's stream, handshake and end included.
  ///
  /// Returns the segments, and which of them carry data.
  func segments(cuts: [Peer: Set<Int>]) -> (segments: [Segment], data: Range<Int>) {
    var dialogue = Dialogue.opened()
    var position: [Peer: Int] = [.client: 0, .server: 0]
    for turn in turns {
      var start = 0
      let base = position[turn.peer] ?? 0
      for end in 1...turn.octets.count where end == turn.octets.count || cuts[turn.peer]?.contains(base + end) == true {
        dialogue.send(turn.peer, Array(turn.octets[start..<end]))
        start = end
      }
      position[turn.peer] = base + turn.octets.count
    }
    let data = 3..<dialogue.segments.count
    dialogue.close(.server)
    return (dialogue.segments, data)
  }
}

extension SplitsScript {
  /// Keep-alive, pipelining, chunks with extensions and trailers, HEAD, 100, 304, 204, POST, and a body that ends with
  /// the connection.
  static let everything: SplitsScript = {
    var script = SplitsScript()
    script.say(.client, HTTP.get("/keep-alive?q=1"))
    script.say(.server, HTTP.ok("hello"))
    script.say(.client, HTTP.get("/p1") + "HEAD /p2 HTTP/1.1\r\nHost: b.example\r\n\r\n" + HTTP.get("/p3"))
    script.say(
      .server,
      HTTP.chunked("abc", "0123456789abcdef") + "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n"
        + "HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n")
    script.say(
      .client, "PUT /up HTTP/1.1\r\nHost: a.example\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n")
    script.say(.server, "HTTP/1.1 100 Continue\r\n\r\n")
    script.say(.client, "5;name=\"v\"\r\nGET /\r\nA;x\r\n HTTP/1.1\r\r\n000\r\nDigest: x\r\nSum: y\r\n\r\n")
    script.say(.server, "HTTP/1.1 204 No Content\r\nX-Long: " + HTTP.body(40) + "\r\n folded\r\n\r\n")
    script.say(.client, "\r\n" + HTTP.post("/post", "GET /not HTTP/1.1\r\n\r\n"))
    script.say(.server, HTTP.chunked("HTTP/1.1 200 OK\r\n\r\n"))
    script.say(.client, "GET http://C.example:80/last HTTP/1.1\nHost: x\n\n")
    script.say(.server, "HTTP/1.1 200 OK\r\n\r\n" + HTTP.body(60))
    return script
  }()

  /// CONNECT that is refused, and one that opens a tunnel with HTTP and then something else inside.
  static let connect: SplitsScript = {
    var script = SplitsScript()
    script.say(.client, "CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\n")
    script.say(.server, "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 3\r\n\r\nno!")
    script.say(.client, "CONNECT a.example:80 HTTP/1.1\r\nHost: a.example:80\r\n\r\n")
    script.say(.server, "HTTP/1.1 200 Connection established\r\n\r\n")
    script.say(.client, HTTP.get("/inside"))
    script.say(.server, HTTP.ok("inner"))
    return script
  }()

  /// Upgrade that is ignored, and one that is followed.
  static let upgrade: SplitsScript = {
    let fields = "Connection: Upgrade\r\nUpgrade: websocket\r\n"
    var script = SplitsScript()
    script.say(.client, HTTP.get("/ignored", fields: fields))
    script.say(.server, HTTP.ok("plain"))
    script.say(.client, HTTP.get("/socket", fields: fields))
    script.say(.server, "HTTP/1.1 101 Switching Protocols\r\n\(fields)\r\n")
    script.say(.client, "\u{1}\u{2}binary")
    script.say(.server, "\u{3}\u{4}also binary")
    return script
  }()

  static let all: [(name: String, script: SplitsScript)] = [
    ("everything", everything), ("connect", connect), ("upgrade", upgrade),
  ]
}

/// What must not depend on how a stream was cut and in which order it was captured.
struct SplitsResult: Equatable {
  var messages: [String]
  var pairs: [String]
  var classes: [OctetClass: Int]

  init(_ analysis: Analysis) {
    // In the order of each side; the two sides may interleave otherwise.
    messages =
      analysis.requests.map { Self.text($0) }
      + analysis.responses.map { response in
        let request = analysis.requests.first { $0.exchange == response.exchange }
        return Self.text(response) + " of \(request?.path ?? "none")"
      }
    pairs = analysis.pairs
    classes = analysis.classes
    for charged in [OctetClass.network, .transport, .retransmitted] { classes[charged] = nil }
  }

  private static func text(_ message: SeenMessage) -> String {
    let octets = message.octets
    return "\(message.kind.name) \(message.method) \(message.host) \(message.path) \(message.status) \(message.version)"
      + " \(octets.startLine)+\(octets.header)+\(octets.body)+\(octets.framing)+\(octets.trailer)"
      + " decoded \(message.decodedBody.map(String.init) ?? "-") query \(message.queryLength.map(String.init) ?? "-")"
      + " flags \(message.flags.rawValue) \(message.exactness.name) missing \(message.missing)"
      + " by \(message.hostSource.name)"
  }

  /// The first difference, in words.
  func difference(from other: SplitsResult) -> String? {
    if self == other { return nil }
    for (mine, theirs) in zip(messages, other.messages) where mine != theirs { return "\(mine) | not | \(theirs)" }
    if pairs != other.pairs { return "\(pairs) not \(other.pairs)" }
    return "\(messages.count) messages, not \(other.messages.count); \(classes) not \(other.classes)"
  }
}
