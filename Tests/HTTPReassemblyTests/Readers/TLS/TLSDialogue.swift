import HTTPReassembly
import TestSupport

/// Exchanges of HTTP/1 inside TLS that say who they are: a request by its path, a response by its Content-Type.
struct TLSDialogue {
  /// The kind of connection.
  struct Kind: Sendable {
    var name: String
    var version: UInt16 = 0x0304
    var hasTickets = true
    var hasEarlyData = false
    /// The maximum number of requests on the way.
    var depth = 1
    /// The maximum number of octets of a record.
    var recordSize = 1 << 14
    /// Whether the requests that are sent together share a record.
    var sharesRecords = false

    static let all = [
      Kind(name: "1.3"), Kind(name: "1.3 without tickets", hasTickets: false),
      Kind(name: "1.3 with early data", hasEarlyData: true),
      Kind(name: "1.3 with early data, without tickets", hasTickets: false, hasEarlyData: true),
      Kind(name: "1.2", version: 0x0303), Kind(name: "1.3 with small records", recordSize: 700),
      Kind(name: "1.2 pipelined", version: 0x0303, depth: 4), Kind(name: "1.3 pipelined", hasTickets: false, depth: 5),
      Kind(name: "1.3 pipelined in one record", depth: 6, sharesRecords: true),
      Kind(name: "1.3 pipelined with early data", hasEarlyData: true, depth: 4),
      Kind(name: "1.2 pipelined with small records", version: 0x0303, depth: 5, recordSize: 100),
    ]
  }

  let kind: Kind
  private(set) var dialogue = Dialogue.opened()
  private var writer: TLSWriter
  private var random: SeededRandom
  /// The number of the next exchange.
  private var next = 1

  var secrets: [UInt8] { Array(writer.log.utf8) }
  var segments: [Segment] { dialogue.segments }

  init(_ kind: Kind, exchanges: Int, seed: Int) {
    self.kind = kind
    random = SeededRandom(seed: UInt64(seed))
    writer = TLSWriter(version: kind.version, seed: UInt8(truncatingIfNeeded: seed))
    dialogue.step = 100_000
    open()
    while next <= exchanges {
      burst(min(kind.depth == 1 ? 1 : random.number(1..<kind.depth + 1), exchanges + 1 - next))
    }
    for peer in [Peer.client, .server] { send(peer, writer.protected(peer, [1, 0], type: 21)) }
    dialogue.close()
  }

  private mutating func send(_ peer: Peer, _ octets: [UInt8], isReceived: Bool = true) {
    for start in stride(from: 0, to: octets.count, by: 1400) {
      let part = Array(octets[start..<min(start + 1400, octets.count)])
      dialogue.send(peer, part, isReceived: isReceived)
      if isReceived, random.chance(0.3) { dialogue.acknowledge(peer.other) }
    }
  }

  private mutating func open() {
    send(.client, writer.clientHello(host: "h.example", offersEarlyData: kind.hasEarlyData))
    guard kind.version == 0x0304 else {
      send(.server, writer.serverHello() + TLSWriter.record(22, TLSWriter.message(14, [])))
      writer.startMaster()
      send(
        .client,
        TLSWriter.record(22, TLSWriter.message(16, [32] + [UInt8](repeating: 7, count: 32))) + writer.finish(.client))
      return send(.server, writer.finish(.server))
    }
    var early: [Answer] = []
    if kind.hasEarlyData {
      writer.start("CLIENT_EARLY_TRAFFIC_SECRET", .client)
      early.append(ask(isReceived: true))
    }
    send(
      .server,
      writer.serverHello() + TLSWriter.changeCipherSpec + writer.serverFlight(acceptsEarlyData: kind.hasEarlyData))
    send(.client, TLSWriter.changeCipherSpec + writer.clientFinish(endsEarlyData: kind.hasEarlyData))
    if kind.hasTickets { send(.server, writer.ticket() + writer.ticket()) }
    for answer in early { self.answer(answer) }
  }

  /// The answer to a request that was sent.
  private struct Answer {
    var number: Int
    var method: String
  }

  private mutating func request() -> (octets: [UInt8], answer: Answer) {
    let number = next
    next += 1
    let method = kind.depth == 1 ? ["GET", "GET", "GET", "HEAD", "POST"][random.number(0..<5)] : "GET"
    let body = method == "POST" ? HTTP.body(random.number(1..<3000)) : ""
    let fields = method == "POST" ? "Content-Length: \(body.utf8.count)\r\n" : ""
    let note = HTTP.body(random.number(0..<120))
    let text = "\(method) /\(number) HTTP/1.1\r\nHost: a.example\r\nX-Note: \(note)\r\n\(fields)\r\n\(body)"
    return (Array(text.utf8), Answer(number: number, method: method))
  }

  private mutating func ask(isReceived: Bool) -> Answer {
    let (octets, answer) = request()
    send(.client, writer.data(.client, octets, size: kind.recordSize), isReceived: isReceived)
    return answer
  }

  private mutating func answer(_ answer: Answer) {
    let body = HTTP.body(random.chance(0.3) ? random.number(0..<20_000) : random.number(0..<900))
    let head = "HTTP/1.1 200 OK\r\nContent-Type: n/\(answer.number)\r\n"
    var text = head + "Content-Length: \(body.utf8.count)\r\n\r\n" + (answer.method == "HEAD" ? "" : body)
    if answer.method != "HEAD", random.chance(0.2) {
      text =
        head + "Transfer-Encoding: chunked\r\n\r\n\(String(body.utf8.count + 1, radix: 16))\r\n\(body)x\r\n0\r\n\r\n"
    }
    send(.server, writer.data(.server, Array(text.utf8), size: kind.recordSize))
  }

  /// Requests that are sent together, and their answers.
  private mutating func burst(_ count: Int) {
    var answers: [Answer] = []
    if kind.sharesRecords {
      var octets: [UInt8] = []
      for _ in 0..<count {
        let (more, answer) = request()
        octets += more
        answers.append(answer)
      }
      send(.client, writer.data(.client, octets, size: kind.recordSize))
    } else {
      let before = dialogue.received[.server]
      for _ in 0..<count { answers.append(ask(isReceived: count == 1)) }
      if count > 1 {
        // The server has read them when it answers.
        dialogue.received[.server] = dialogue.next[.client] ?? before
      }
    }
    for answer in answers { self.answer(answer) }
  }
}
