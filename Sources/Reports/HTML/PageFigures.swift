import HTTPReassembly
import Tabular

/// What the page shows beyond the totals, gathered within `PageLimits` as rows become final.
struct PageFigures {
  /// A field's name by its number in `PageObserver.fieldNames`, in one direction.
  struct FieldName: Hashable {
    var number: Int
    var isRequest: Bool
  }

  private let name: PageName
  /// The earliest and the latest capture time of messages and connections; the earliest is later while there is none.
  private(set) var earliest = Int64.max
  private(set) var latest = Int64.min
  private(set) var messages = 0
  private(set) var throughput = Throughput()
  private(set) var exchanges = TopRows<ExchangeFigures>(limit: PageLimits.exchanges)
  private(set) var connections = TopRows<Connection>(limit: PageLimits.connections)
  /// Sums over all connections.
  private(set) var setup = 0
  private(set) var teardown = 0
  private(set) var unattributed = 0
  /// The wait phase of all exchanges.
  private(set) var wait = LatencyDistribution()

  /// Lines and octets; the part: of lines that came before in the same direction for the same host.
  private(set) var fields = AddedRows<FieldName, AddedFigures>(AddedFigures())
  private var rememberedFields = RememberedHashes(limit: PageLimits.rememberedFields)
  /// The host of the last message, and its hash: a long one is repeated by each of many interim responses.
  private var lastHost: (octets: [UInt8], hash: Int) = ([], [UInt8]().hashValue)
  /// By content coding.
  private(set) var codings = AddedRows<String, CodingFigures>(limit: PageLimits.rows, CodingFigures())
  /// Content that could be compressed: messages and octets; the part: those that gzip makes smaller, and by how much.
  private(set) var uncompressed = AddedRows<ShownAPI, AddedFigures>(AddedFigures())
  /// GET with status 200 and content: messages and octets of content as transferred; the part: those with content that
  /// the same host and path had sent before.
  private(set) var contents = AddedFigures()
  /// Those of `contents` that came again.
  private(set) var repeated = AddedRows<ShownAPI, AddedFigures>(AddedFigures())
  private var rememberedContents = RememberedHashes(limit: PageLimits.rememberedContents)
  /// Exchanges that ended with 304, and their octets on the wire.
  private(set) var notModified = AddedFigures()
  /// Exchanges that ended with a redirection, their octets on the wire and their time.
  private(set) var redirects = AddedRows<ShownAPI, AddedFigures>(AddedFigures())
  /// Exchanges that ended with an error or without response, their octets on the wire and their time.
  private(set) var errors = AddedRows<ShownAPI, AddedFigures>(AddedFigures())

  init(redaction: Redaction?) { name = PageName(redaction: redaction) }

  /// Field lines and contents that could not be remembered, so that they were not recognised when they came again.
  var forgotten: (fields: Int, contents: Int) { (rememberedFields.forgotten, rememberedContents.forgotten) }

  // MARK: Rows

  mutating func add(_ message: Message, _ notes: MessageNotes?, texts: borrowing TextPool) {
    messages += 1
    note(message.firstTime)
    note(message.lastTime)
    let isRequest = message.kind == .request
    throughput.add(message.ipLength, isUp: isRequest, from: message.firstTime, to: message.lastTime)
    if message.contentEncoding != .none { addCoding(message, texts) }
    guard let notes else { return }
    addFields(notes, host: texts.octets(message.host), isRequest: isRequest)
    if let length = notes.gzipLength { addUncompressed(message, gzipLength: length, texts) }
    if let hash = notes.contentHash { addContent(message, hash: hash, length: notes.contentLength, texts) }
  }

  mutating func add(_ exchange: Exchange, texts: borrowing TextPool) {
    note(exchange.started)
    if let wait = exchange.timings.wait { self.wait.record(wait) }
    let (host, path) = (texts.octets(exchange.host), texts.octets(exchange.path))
    exchanges.add(weight: exchange.ipLength, number: exchange.number) {
      ExchangeFigures(
        exchange: exchange, method: name.text(texts.octets(exchange.method)), host: name.host(host),
        path: name.path(path))
    }
    if exchange.status == 304 { notModified.add(exchange.ipLength) }
    let isRedirect = [301, 302, 303, 307, 308].contains(exchange.status)
    guard isRedirect || exchange.status >= 400 || exchange.response == nil else { return }
    let api = ShownAPI(host: name.host(host), path: name.path(path), status: exchange.status)
    if isRedirect {
      redirects.add(api) { $0.add(exchange.ipLength, time: exchange.timings.duration) }
    } else {
      errors.add(api) { $0.add(exchange.ipLength, time: exchange.timings.duration) }
    }
  }

  mutating func add(_ connection: Connection) {
    note(connection.opened)
    note(connection.closed)
    setup += connection.setup
    teardown += connection.teardown
    unattributed += connection.unattributed
    connections.add(weight: connection.ipLength.client + connection.ipLength.server, number: connection.number) {
      connection
    }
  }

  // MARK: Waste

  private mutating func addFields(_ notes: MessageNotes, host: [UInt8], isRequest: Bool) {
    // The same array nearly always, which costs no look at its octets.
    if lastHost.octets != host { lastHost = (host, host.hashValue) }
    for field in notes.fields {
      var hasher = Hasher()
      hasher.combine(field.hash)
      hasher.combine(isRequest)
      hasher.combine(lastHost.hash)
      let isRepeated = rememberedFields.hasSeen(hasher.finalize())
      fields.add(FieldName(number: field.name, isRequest: isRequest)) {
        $0.add(field.length, partCount: isRepeated ? 1 : 0, partOctets: isRepeated ? field.length : 0)
      }
    }
  }

  private mutating func addCoding(_ message: Message, _ texts: borrowing TextPool) {
    let coding = name.text(texts.octets(message.contentEncoding))
    codings.add(coding) { $0.add(octets: message.octets.body, decoded: message.decodedBody) }
  }

  private mutating func addUncompressed(_ message: Message, gzipLength: Int, _ texts: borrowing TextPool) {
    let saved = message.octets.body - gzipLength
    let api = ShownAPI(
      host: name.host(texts.octets(message.host)), path: name.path(texts.octets(message.path)),
      isRequest: message.kind == .request)
    uncompressed.add(api) {
      $0.add(message.octets.body, partCount: saved > 0 ? 1 : 0, partOctets: max(saved, 0))
    }
  }

  private mutating func addContent(_ message: Message, hash: Int, length: Int, _ texts: borrowing TextPool) {
    guard message.status == 200, texts.octets(message.method) == Array("GET".utf8) else { return }
    let (host, path) = (texts.octets(message.host), texts.octets(message.path))
    var hasher = Hasher()
    hasher.combine(hash)
    hasher.combine(length)
    hasher.combine(host)
    hasher.combine(path)
    let isRepeated = rememberedContents.hasSeen(hasher.finalize())
    let octets = message.octets.body
    contents.add(octets, partCount: isRepeated ? 1 : 0, partOctets: isRepeated ? octets : 0)
    guard isRepeated else { return }
    repeated.add(ShownAPI(host: name.host(host), path: name.path(path))) { $0.add(octets) }
  }

  private mutating func note(_ time: Int64) {
    earliest = min(earliest, time)
    latest = max(latest, time)
  }
}

extension ExchangeTimings {
  /// From the first octet of the request to the last one of the response, as far as it is known.
  fileprivate var duration: Int64 {
    [send, wait, receive].reduce(0) { sum, phase in
      let (result, overflows) = sum.addingReportingOverflow(phase ?? 0)
      return overflows ? .max : result
    }
  }
}
