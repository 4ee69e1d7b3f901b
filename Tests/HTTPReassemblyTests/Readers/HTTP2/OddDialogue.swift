import HTTPReassembly
import TestSupport

/// A random dialogue over HTTP/2 with the frames that are rare, and the truth about each of its messages.
///
/// Padding, CONTINUATION, sizes of the table, interim responses, resets, tunnels, promises and unknown frames are among them.
struct OddDialogue {
  typealias Writer = HTTP2Writer

  /// The truth about a message.
  struct Sent {
    var stream: UInt32
    var kind: MessageKind
    var octets = MessageOctets()
    var tunnel = 0
    var method = ""
    var host = ""
    var path = ""
    var status = 0
    var isComplete = false
    /// The octets of its frames in its sender's stream.
    var ranges: [Range<Int>] = []
  }

  /// One write of a peer: whole frames of a message, or of none.
  private struct Write {
    var peer: Peer
    var octets: [UInt8]
    /// Whether it is sent with the peer's next write.
    var isJoined: Bool
  }

  /// The steps of a stream that are still to come.
  private struct Talk {
    var stream: UInt32
    var request = -1
    var response = -1
    var client: [Step] = []
    var server: [Step] = []
    var isTunnel = false
  }

  private enum Step {
    case interim(Int)
    case head(endsStream: Bool)
    case data(Int, padding: Int?, endsStream: Bool)
    case trailers
    case reset
    case windowUpdate
    case priority
    case unknown
    case promise
  }

  private(set) var sent: [Sent] = []
  private(set) var dialogue = Dialogue.opened()
  private var random: SeededRandom
  private var writers: [Peer: Writer] = [.client: Writer(), .server: Writer()]
  private var lengths: [Peer: Int] = [.client: 0, .server: 0]
  private var writes: [Write] = []
  private var talks: [Talk] = []
  private var nextStream: UInt32 = 1
  private var nextPromise: UInt32 = 2
  /// The fields that the encoders of this dialogue insert: all, all but paths and other fields that change, or none.
  private let indexing: Int
  private let mayPush: Bool
  private let hosts = ["h.example", "h.example", "h.example", "h.example", "other.example", "third.example:8080"]

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    indexing = random.number(0..<8)
    mayPush = random.chance(0.3)
    open()
    let count = random.number(4..<40)
    let concurrent = random.number(1..<5)
    var begun = 0
    while begun < count || !talks.isEmpty {
      if begun < count, talks.count < concurrent, talks.isEmpty || random.chance(0.5) {
        begun += 1
        begin()
      } else {
        goOn(at: random.number(0..<talks.count))
      }
      if random.chance(0.03) { sayOfConnection() }
    }
    segment()
    if random.chance(0.7) { dialogue.close() }
  }

  // MARK: Frames

  private mutating func write(_ peer: Peer, _ octets: [UInt8], of message: Int? = nil) {
    let start = lengths[peer] ?? 0
    lengths[peer] = start + octets.count
    if let message { sent[message].ranges.append(start..<start + octets.count) }
    writes.append(Write(peer: peer, octets: octets, isJoined: random.chance(0.25)))
  }

  private mutating func open() {
    write(.client, Writer.preface + Writer.settings(random.chance(0.5) ? [(3, 100)] : []))
    write(.server, Writer.settings() + Writer.settingsAcknowledgment)
    write(.client, Writer.settingsAcknowledgment)
  }

  private mutating func sayOfConnection() {
    let peer: Peer = random.chance(0.5) ? .client : .server
    switch random.number(0..<4) {
    case 0: write(peer, Writer.frame(6, stream: 0, [UInt8](repeating: 7, count: 8)))
    case 1: write(peer, Writer.windowUpdate(0))
    case 2: write(peer, Writer.frame(0xfa, stream: 0, [1, 2, 3]))
    default:
      // A setting, and its acknowledgment. It allows what was allowed.
      write(peer, Writer.settings([(1, 4096)]))
      write(peer.other, Writer.settingsAcknowledgment)
    }
  }

  /// The block of fields. Returns it with the octets of its start-line and of the rest.
  private mutating func block(_ peer: Peer, _ fields: [(String, String)]) -> (octets: [UInt8], start: Int, rest: Int) {
    var writer = writers[peer] ?? Writer()
    var (octets, start, rest): ([UInt8], Int, Int) = ([], 0, 0)
    if random.chance(0.02) {
      octets = writer.resize(to: random.chance(0.5) ? 0 : random.number(200..<4097))
      if random.chance(0.7) { octets += writer.resize(to: 4096) }
      rest = octets.count
    }
    let changing = [":path", "date", "set-cookie", "x-id", "content-length"]
    for field in fields {
      writer.isIndexing =
        switch indexing {
        case 0...3: true
        case 4...5: !changing.contains(field.0)
        case 6: random.chance(0.5)
        default: false
        }
      let representation = writer.block([field])
      octets += representation
      if field.0.hasPrefix(":") { start += representation.count } else { rest += representation.count }
    }
    writers[peer] = writer
    return (octets, start, rest)
  }

  private mutating func sendFields(
    _ peer: Peer, _ message: Int, _ fields: [(String, String)], endsStream: Bool, isTrailer: Bool = false
  ) {
    let block = block(peer, fields)
    let parts = random.chance(0.15) ? random.number(2..<4) : 1
    let padding = random.chance(0.15) ? random.number(0..<30) : nil
    let frames = Writer.headers(
      sent[message].stream, block.octets, ends: endsStream, parts: parts, padding: padding,
      hasPriority: random.chance(0.15))
    if isTrailer {
      sent[message].octets.trailer += block.start + block.rest
    } else {
      sent[message].octets.startLine += block.start
      sent[message].octets.header += block.rest
    }
    sent[message].octets.framing += frames.count - block.octets.count
    if endsStream { sent[message].isComplete = true }
    write(peer, frames, of: message)
  }

  // MARK: Streams

  private mutating func begin() {
    var talk = Talk(stream: nextStream)
    nextStream += 2
    let isTunnel = random.chance(0.06)
    talk.isTunnel = isTunnel
    let method = isTunnel ? "CONNECT" : ["GET", "GET", "GET", "GET", "POST", "HEAD", "PUT"][random.number(0..<7)]
    let hasContent = isTunnel || method == "POST" || method == "PUT"
    talk.client = [.head(endsStream: !hasContent)] + (hasContent ? content(mayEndBySome: !isTunnel) : [])
    if random.chance(0.1) { talk.client.append(.windowUpdate) }
    if random.chance(0.05) { talk.client.insert(.priority, at: 1) }
    if random.chance(0.05) { talk.client.insert(.unknown, at: 1) }
    if random.chance(0.15), !isTunnel {
      for _ in 0..<random.number(1..<3) { talk.server.append(.interim([100, 102, 103][random.number(0..<3)])) }
    }
    if mayPush, random.chance(0.2) { talk.server.append(.promise) }
    let hasResponseContent = method != "HEAD" && random.chance(0.85)
    talk.server.append(.head(endsStream: !hasResponseContent))
    if hasResponseContent { talk.server += content(mayEndBySome: !isTunnel) }
    if hasContent, random.chance(0.2) { talk.server.insert(.windowUpdate, at: 0) }
    if random.chance(0.04) { talk.server.append(.reset) }
    if random.chance(0.04) {
      talk.client.insert(.reset, at: random.number(1..<talk.client.count + 1))
      talk.client = Array(talk.client.prefix { if case .reset = $0 { false } else { true } }) + [.reset]
    }
    talk.request = sent.count
    var request = Sent(stream: talk.stream, kind: .request)
    request.method = method
    request.host = hosts[random.number(0..<hosts.count)]
    // A CONNECT with :protocol has a path (RFC 8441).
    let isExtended = isTunnel && random.chance(0.5)
    let paths = ["/", "/a", "/a/b", "/items/\(random.number(0..<1000))", "/long/\(random.number(0..<100_000))/path"]
    if !isTunnel || isExtended { request.path = paths[random.number(0..<paths.count)] }
    sent.append(request)
    var fields: [(String, String)] = [(":method", method)]
    if isExtended { fields.append((":protocol", "websocket")) }
    if !isTunnel || isExtended { fields += [(":scheme", "http"), (":path", request.path)] }
    fields.insert((":authority", request.host), at: random.number(1..<fields.count + 1))
    fields += [("user-agent", "agent/1.0"), ("accept", random.chance(0.5) ? "*/*" : "text/html")]
    if random.chance(0.3) { fields.append(("cookie", "a=\(random.number(0..<5))")) }
    if random.chance(0.3) { fields.append(("x-id", "\(random.number(0..<100_000))")) }
    headers[talk.request] = fields
    talks.append(talk)
    goOn(at: talks.count - 1, by: .client)
  }

  private var headers: [Int: [(String, String)]] = [:]

  private mutating func content(mayEndBySome: Bool) -> [Step] {
    var steps: [Step] = []
    let count = random.number(1..<5)
    let hasTrailers = mayEndBySome && random.chance(0.15)
    for index in 0..<count {
      let length = random.chance(0.05) ? 0 : random.number(1..<(random.chance(0.2) ? 3000 : 300))
      steps.append(
        .data(
          length, padding: random.chance(0.1) ? random.number(0..<50) : nil,
          endsStream: index == count - 1 && !hasTrailers))
    }
    return hasTrailers ? steps + [.trailers] : steps
  }

  private mutating func goOn(at index: Int, by side: Peer? = nil) {
    let talk = talks[index]
    let peer = side ?? (talk.client.isEmpty || !talk.server.isEmpty && random.chance(0.5) ? Peer.server : .client)
    let isClient = peer == .client
    let steps = isClient ? talk.client : talk.server
    if let step = steps.first {
      if isClient { talks[index].client.removeFirst() } else { talks[index].server.removeFirst() }
      take(step, peer, index)
    }
    if talks[index].client.isEmpty, talks[index].server.isEmpty { talks.remove(at: index) }
  }

  private mutating func take(_ step: Step, _ peer: Peer, _ index: Int) {
    let stream = talks[index].stream
    let message = peer == .client ? talks[index].request : talks[index].response
    switch step {
    case .interim(let status):
      var interim = Sent(stream: stream, kind: .interim)
      copyRequest(index, to: &interim)
      interim.status = status
      sent.append(interim)
      sendFields(.server, sent.count - 1, [(":status", "\(status)"), ("x-note", "n\(status)")], endsStream: false)
      sent[sent.count - 1].isComplete = true
    case .head(let endsStream): sendHead(peer, index, endsStream: endsStream)
    case .data(let length, let padding, let endsStream):
      let content = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ Int(stream)) }
      let frame = Writer.data(stream, content, ends: endsStream, padding: padding)
      sent[message].octets.framing += frame.count - length
      if talks[index].isTunnel && isOpenTunnel(index) {
        sent[message].tunnel += length
      } else {
        sent[message].octets.body += length
      }
      if endsStream { sent[message].isComplete = true }
      write(peer, frame, of: message)
    case .trailers:
      sendFields(peer, message, [("x-sum", "s\(random.number(0..<9))")], endsStream: true, isTrailer: true)
    case .reset:
      write(peer, Writer.reset(stream))
      // The other side's frames may be on the way.
      let isOnTheWay = random.chance(0.4)
      if peer == .client || !isOnTheWay { talks[index].client = [] }
      if peer == .server || !isOnTheWay { talks[index].server = [] }
    case .windowUpdate: write(peer, Writer.windowUpdate(stream))
    case .priority: write(peer, Writer.frame(2, stream: stream, [0, 0, 0, 0, 9]))
    case .unknown: write(peer, Writer.frame(0xfb, stream: stream, [5, 5]))
    case .promise: promise(index)
    }
  }

  /// Whether the content of a CONNECT's stream is a tunnel: the request's is, and the response's if it accepts.
  private func isOpenTunnel(_ index: Int) -> Bool {
    let response = talks[index].response
    return response < 0 || (200...299).contains(sent[response].status)
  }

  private func copyRequest(_ index: Int, to message: inout Sent) {
    let request = sent[talks[index].request]
    message.method = request.method
    message.host = request.host
    message.path = request.path
  }

  private mutating func sendHead(_ peer: Peer, _ index: Int, endsStream: Bool) {
    guard peer == .server else {
      let request = talks[index].request
      return sendFields(.client, request, headers.removeValue(forKey: request) ?? [], endsStream: endsStream)
    }
    var response = Sent(stream: talks[index].stream, kind: .response)
    copyRequest(index, to: &response)
    response.status = talks[index].isTunnel ? 200 : [200, 200, 200, 200, 404, 299, 503, 201][random.number(0..<8)]
    talks[index].response = sent.count
    sent.append(response)
    var fields = [(":status", "\(response.status)"), ("server", "s/1")]
    if random.chance(0.5) { fields.append(("date", "Mon, \(random.number(0..<60))")) }
    if random.chance(0.5) { fields.append(("content-type", random.chance(0.5) ? "text/plain" : "image/png")) }
    if random.chance(0.2) { fields.append(("set-cookie", "c=\(random.number(0..<1000))")) }
    sendFields(.server, talks[index].response, fields, endsStream: endsStream)
  }

  /// A request that the server promises (RFC 9113 §8.4), and its response later.
  private mutating func promise(_ index: Int) {
    var request = Sent(stream: nextPromise, kind: .request)
    nextPromise += 2
    request.method = "GET"
    request.host = hosts[random.number(0..<hosts.count)]
    request.path = "/pushed/\(random.number(0..<20))"
    let fields = [
      (":method", "GET"), (":scheme", "http"), (":authority", request.host), (":path", request.path),
    ]
    let block = block(.server, fields)
    request.octets.startLine = block.start
    request.octets.header = block.rest
    request.octets.framing = 13
    request.isComplete = true
    sent.append(request)
    write(
      .server, Writer.frame(5, flags: 4, stream: talks[index].stream, Writer.octets(request.stream) + block.octets),
      of: sent.count - 1)
    var talk = Talk(stream: request.stream)
    talk.request = sent.count - 1
    talk.server = [.head(endsStream: false)] + content(mayEndBySome: true)
    talks.append(talk)
  }

  // MARK: Segments

  /// Makes segments of the writes: some hold several, and long ones are cut.
  private mutating func segment() {
    let longest = [200, 536, 1400, 1400, 1400][random.number(0..<5)]
    var index = 0
    while index < writes.count {
      let peer = writes[index].peer
      var octets = writes[index].octets
      while writes[index].isJoined, index + 1 < writes.count, writes[index + 1].peer == peer {
        index += 1
        octets += writes[index].octets
      }
      for start in stride(from: 0, to: octets.count, by: longest) {
        dialogue.send(peer, Array(octets[start..<min(start + longest, octets.count)]))
      }
      if random.chance(0.3) { dialogue.acknowledge(peer.other) }
      index += 1
    }
  }
}
