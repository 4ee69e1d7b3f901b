import HTTPReassembly

/// A host and a path, and further facts that tell rows of one table apart. Texts are ready for display.
struct ShownAPI: Hashable {
  var host: String
  var path: String
  /// The status code of a response; 0 without one.
  var status = 0
}

/// Sums over messages with one name. Lengths are octets.
struct AddedFigures {
  /// Messages, exchanges or lines.
  var count = 0
  /// Octets in all: of content, of lines, or of everything on the wire, depending on the table.
  var octets = 0
  /// The number of those that the table is about.
  var partCount = 0
  /// Octets of those.
  var partOctets = 0
  /// The sum of time, in nanoseconds.
  var time: Int64 = 0

  mutating func add(
    count: Int = 1, _ octets: Int, partCount: Int = 0, partOctets: Int = 0, time: Int64 = 0
  ) {
    self.count += count
    self.octets += octets
    self.partCount += partCount
    self.partOctets += partOctets
    // A hostile capture may have many exchanges that take centuries each.
    let (sum, overflows) = self.time.addingReportingOverflow(time)
    self.time = overflows ? .max : sum
  }
}

/// The savings of one content coding. Lengths are octets of content.
struct CodingFigures {
  /// Messages with it.
  var messages = 0
  /// Their content as transferred.
  var octets = 0
  /// Messages with a known length without the codings.
  var decodedMessages = 0
  /// Their content as transferred.
  var codedOctets = 0
  /// Their content without the codings.
  var decodedOctets = 0

  mutating func add(octets: Int, decoded: Int?) {
    messages += 1
    self.octets += octets
    guard let decoded else { return }
    decodedMessages += 1
    codedOctets += octets
    decodedOctets += decoded
  }
}

/// The WebSockets of an API in one direction. Lengths are octets.
struct WebSocketFigures {
  var sockets = 0
  var frames = 0
  var messages = 0
  var texts = 0
  var binaries = 0
  var pings = 0
  var pongs = 0
  /// Headers of frames, and whole control frames.
  var frameLength = 0
  /// The part of it in pings and pongs.
  var keepaliveLength = 0
  /// The payload of messages as sent.
  var payloadLength = 0
  /// The part of it whose length without compression is known, and that length.
  var codedLength = 0
  var decodedLength = 0

  mutating func add(_ other: WebSocketFigures) {
    sockets += other.sockets
    frames += other.frames
    messages += other.messages
    texts += other.texts
    binaries += other.binaries
    pings += other.pings
    pongs += other.pongs
    frameLength += other.frameLength
    keepaliveLength += other.keepaliveLength
    payloadLength += other.payloadLength
    codedLength += other.codedLength
    decodedLength += other.decodedLength
  }
}

extension WebSocketFigures {
  /// The names of the figures on the page, in the order of `values`.
  static let names = [
    "sockets", "frames", "messages", "text", "binary", "pings", "pongs", "frame_bytes", "keepalive_bytes",
    "payload_bytes", "coded_bytes", "decoded_bytes",
  ]

  var values: [Int] {
    [
      sockets, frames, messages, texts, binaries, pings, pongs, frameLength, keepaliveLength, payloadLength,
      codedLength, decodedLength,
    ]
  }

  /// The figures of one WebSocket.
  init(_ facts: WebSocketFacts) {
    self.init(
      sockets: 1, frames: facts.frames, messages: facts.messages, texts: facts.texts, binaries: facts.binaries,
      pings: facts.pings, pongs: facts.pongs, frameLength: facts.frameLength, keepaliveLength: facts.keepaliveLength,
      payloadLength: facts.payloadLength, codedLength: facts.decodedLength == nil ? 0 : facts.payloadLength,
      decodedLength: facts.decodedLength ?? 0)
  }
}

/// A direction of an API that opens WebSockets. Texts are ready for display.
struct ShownSocket: Hashable, Comparable {
  var host: String
  var path: String
  var isFromServer: Bool

  static func < (a: ShownSocket, b: ShownSocket) -> Bool {
    if a.host != b.host { return a.host < b.host }
    if a.path != b.path { return a.path < b.path }
    return !a.isFromServer && b.isFromServer
  }
}

/// The cost of one client's connections. Lengths are octets.
struct ClientFigures {
  var connections = 0
  var messages = 0
  var up = 0
  var down = 0
}

/// The cost of opening and closing the connections between one client and one host at one server. Lengths are octets.
struct PairFigures {
  var connections = 0
  /// Connections that carry requests one after another; the others became tunnels, as for a WebSocket, and carry nothing else.
  var reusable = 0
  /// Setup, handshake and teardown of all connections.
  var octets = 0
  /// Setup, handshake and teardown of those that are necessary: of tunnels, and of the most expensive one of the others.
  private var necessary = 0
  private var largest = 0

  /// Octets of all connections but the necessary ones.
  var beyondFirst: Int { octets - necessary }

  mutating func add(_ octets: Int, isTunnel: Bool) {
    connections += 1
    self.octets += octets
    if isTunnel {
      necessary += octets
    } else {
      reusable += 1
      necessary += max(octets - largest, 0)
      largest = max(largest, octets)
    }
  }
}

/// A client, a server, and one of its hosts: an address can serve many, and a connection to one of them rarely serves another.
struct AddressPair: Hashable {
  var client: IPAddress
  var server: Endpoint
  /// The host of the connection, as `PageFigures` knows it; empty if unknown.
  var host: String
}
