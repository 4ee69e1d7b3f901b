import HTTPReassembly
import Tabular

/// The `_wire…` fields: the figures of a message as in `messages.csv`. Unknown figures are left out.
enum HARWire {
  /// Appends the fields of a message to its object.
  static func append(_ message: Message, texts: borrowing TextPool, to json: inout JSONWriter) {
    json.key("_wireMessage")
    json.integer(message.number)
    json.key("_wireFirstTime")
    json.dateTime(message.firstTime)
    json.key("_wireLastTime")
    json.dateTime(message.lastTime)
    HARFigures(message).append(to: &json)
    if let decoded = message.decodedBody {
      json.key("_wireDecodedBodyBytes")
      json.integer(decoded)
    }
    if message.stream != nil { appendStream(message, to: &json) }
    append(texts.octets(message.contentEncoding), as: "_wireContentEncoding", to: &json)
    append(texts.octets(message.transferEncoding), as: "_wireTransferEncoding", to: &json)
    json.key("_wireExactness")
    json.name(message.exactness.name)
    json.key("_wireFlags")
    json.open("[")
    for name in message.flags.labels { json.name(name) }
    json.close("]")
  }

  /// Appends the further figures of HTTP/2 and HTTP/3. `headersSize` counts the encoded fields there, so the expanded length is added.
  private static func appendStream(_ message: Message, to json: inout JSONWriter) {
    for (name, value) in [
      ("_wireStream", message.stream.map { Int(clamping: $0) }),
      ("_wireExpandedStartLineBytes", message.expandedStartLine),
      ("_wireExpandedHeaderBytes", message.expandedHeader), ("_wireGRPCMessages", message.grpcMessages),
      ("_wireGRPCStatus", message.grpcStatus),
    ] {
      guard let value else { continue }
      json.key(name)
      json.integer(value)
    }
  }

  /// `headersSize`: start-line and header section, in HTTP/2 as encoded; −1 when their end was not seen.
  static func headersSize(_ message: Message) -> Int {
    if message.flags.contains(.headerNotSeen), message.exactness == .atLeast { return -1 }
    // The empty line at the end of a header section has at least one octet; HTTP/0.9 has none.
    if message.exactness == .atLeast, message.octets.header == 0 { return -1 }
    return message.octets.startLine + message.octets.header
  }

  /// `bodySize`: content as transferred, without chunk framing; −1 when its end was not seen.
  static func bodySize(_ message: Message) -> Int {
    message.status == 304 ? 0 : message.exactness == .atLeast ? -1 : message.octets.body
  }

  private static func append(_ text: [UInt8], as key: String, to json: inout JSONWriter) {
    guard !text.isEmpty else { return }
    json.key(key)
    json.escaped(text)
  }
}

/// Figures that add up over messages, in octets.
struct HARFigures {
  private var octets = MessageOctets()
  private var retransmitted = 0
  private var overhead = 0
  private var missing = 0
  private var tls = 0
  private var control = 0
  private var tunnel = 0

  /// All zero.
  init() {}

  /// The figures of one message.
  init(_ message: Message) { add(message) }

  /// Adds the figures of a message.
  mutating func add(_ message: Message) {
    octets += message.octets
    retransmitted += message.retransmitted
    overhead += message.overhead
    missing += message.missing
    tls += message.tls
    control += message.control
    tunnel += message.tunnel
  }

  /// Appends them as `_wire…` fields.
  func append(to json: inout JSONWriter) {
    for (name, value) in [
      ("_wireStartLineBytes", octets.startLine), ("_wireHeaderBytes", octets.header), ("_wireBodyBytes", octets.body),
      ("_wireFramingBytes", octets.framing), ("_wireTrailerBytes", octets.trailer),
      ("_wireMessageBytes", octets.total), ("_wireRetransmittedBytes", retransmitted),
      ("_wireOverheadBytes", overhead),
      ("_wireIPBytes", octets.total + tunnel + tls + control + retransmitted + overhead),
      ("_wireMissingBytes", missing), ("_wireTLSBytes", tls), ("_wireControlBytes", control),
      ("_wireTunnelBytes", tunnel),
    ] {
      json.key(name)
      json.integer(value)
    }
  }
}

/// The sums over the interim responses of one exchange. HAR has no member for them, and there can be any number.
struct HARInterim {
  /// The largest number of named statuses, in order: no server has a reason to send more.
  private static let statusLimit = 16
  private var count = 0
  private var statuses: [Int] = []
  private var figures = HARFigures()

  /// Adds an interim response.
  mutating func add(_ message: Message) {
    count += 1
    if statuses.count < Self.statusLimit { statuses.append(message.status) }
    figures.add(message)
  }

  /// Appends `_wireInterim` to an entry.
  func append(to json: inout JSONWriter) {
    json.key("_wireInterim")
    json.open("{")
    json.key("_wireResponses")
    json.integer(count)
    json.key("_wireStatuses")
    json.open("[")
    for status in statuses { json.integer(status) }
    json.close("]")
    figures.append(to: &json)
    json.close("}")
  }
}

/// The members of an entry about its exchange, besides the two messages.
///
/// An entry has only fields of HAR 1.2; ours are in the objects below it. Some readers take an entry with any other field for a
/// certain browser's, and refuse it because that browser's fields are missing.
enum HAREntry {
  /// Appends the members of an entry from its exchange.
  static func append(_ exchange: Exchange, to json: inout JSONWriter) {
    let timings = exchange.timings
    // As in HAR 1.1, `connect` includes TLS; `ssl` is TLS alone.
    let connect =
      timings.connect == nil && timings.tls == nil ? nil : ExchangeTimings.sum([timings.connect, timings.tls])
    json.key("startedDateTime")
    json.dateTime(exchange.started)
    json.key("time")
    json.milliseconds(ExchangeTimings.sum([timings.dns, connect, timings.send, timings.wait, timings.receive]))
    json.key("timings")
    json.open("{")
    for (name, duration) in [("blocked", nil), ("dns", timings.dns), ("connect", connect), ("ssl", timings.tls)] {
      json.key(name)
      if let duration { json.milliseconds(duration) } else { json.integer(-1) }
    }
    // HAR needs these three, and not negative; phases that did not happen are named.
    let phases = [("send", timings.send), ("wait", timings.wait), ("receive", timings.receive)]
    for (name, duration) in phases {
      json.key(name)
      json.milliseconds(duration ?? 0)
    }
    if phases.contains(where: { $0.1 == nil }) {
      json.key("_wireAbsent")
      json.open("[")
      for (name, duration) in phases where duration == nil { json.name(name) }
      json.close("]")
    }
    json.close("}")
    json.key("cache")
    json.open("{")
    json.close("}")
    json.key("connection")
    json.name(String(exchange.connection))
  }

  /// Appends the server's address; HAR would not accept a redacted one.
  static func append(server: Endpoint, redaction: Redaction?, to json: inout JSONWriter) {
    guard redaction == nil else { return }
    json.key("serverIPAddress")
    json.name(server.address.description)
  }
}

/// `_wireLedger` of the log: every class of octets, also those without entries.
enum HARLedger {
  /// Appends the classes by their names, and their sum.
  static func append(_ ledger: Ledger, to json: inout JSONWriter) {
    json.key("_wireLedger")
    json.open("{")
    for octetClass in OctetClass.allCases {
      json.key(octetClass.name)
      json.integer(ledger[octetClass])
    }
    for (name, value) in [
      ("total", ledger.total), ("original", ledger.original), ("difference", ledger.difference),
      ("missing", ledger.missing),
    ] {
      json.key(name)
      json.integer(value)
    }
    json.close("}")
  }
}
