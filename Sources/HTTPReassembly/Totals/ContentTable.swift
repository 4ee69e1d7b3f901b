/// The cost of contents in one direction of an API, and possible savings. Lengths are octets of content as transferred unless they say
/// otherwise.
public struct ContentTotals: Sendable, Equatable {
  /// The host of the API.
  public var host = TextID.none
  /// The path.
  public var path = TextID.none
  /// The method, if totals are grouped by it.
  public var method = TextID.none
  /// The process (`TextPool.process`), if totals are grouped by it.
  public var process = TextID.none
  /// Whether these are contents of requests; otherwise of responses, interim ones included.
  public var isRequest = false
  /// The number of messages with content.
  public var contents = 0
  /// Octets of their content.
  public var octets = 0
  /// The number of contents with codings whose decoded length is known.
  public var coded = 0
  /// Octets of those contents.
  public var codedOctets = 0
  /// Octets of those contents without their codings.
  public var decodedOctets = 0
  /// The number of contents without any coding.
  public var uncoded = 0
  /// Octets of those contents.
  public var uncodedOctets = 0
  /// Octets of uncoded contents that were compressed, to estimate the length of all of them in gzip.
  public var sampled = 0
  /// Octets of those samples in gzip.
  public var compressed = 0
  /// The number of contents that the same client had transferred in this direction for the same URL before, query included, octet by octet.
  public var repeated = 0
  /// Octets of those contents.
  public var repeatedOctets = 0
  /// The number of responses with status 304 (Not Modified).
  public var notModified = 0
  /// The number of those responses whose content the same client had received earlier in this capture.
  public var knownNotModified = 0
  /// Octets that were not sent for this reason: the content's length at the last transfer.
  public var savedOctets = 0
  /// The number of contents that are new for their URL, and that the same client had transferred in this direction for another URL before.
  public var repeatedElsewhere = 0
  /// Octets of those contents.
  public var repeatedElsewhereOctets = 0

  /// Creates totals of zero.
  public init() {}

  /// The estimated length in gzip of all uncoded contents, from samples; nil without samples.
  public var gzipEstimate: Int? {
    guard sampled > 0 else { return uncodedOctets == 0 ? 0 : nil }
    let (high, low) = UInt64(uncodedOctets).multipliedFullWidth(by: UInt64(compressed))
    guard high < UInt64(sampled) else { return nil }
    return Int(clamping: UInt64(sampled).dividingFullWidth((high, low)).quotient)
  }
}

/// Totals of contents by API, updated when messages become final.
struct ContentTable: Sendable {
  /// Whether the table is wanted.
  let isWanted: Bool
  private var totals: [ContentTotals] = []
  /// The places in `totals` of each API's requests and responses, by its position; -1 without a place.
  private var places: [Int32] = []
  /// The number of samples offered for each row of `totals`.
  private var offers: [Int32] = []
  /// The marks of contents, combined with their client, direction and URL.
  private var known = MarkTable()
  /// The same marks without the URL.
  private var knownAnywhere = MarkTable()
  /// Lengths of the contents sent last, in octets, by the marks of their targets and clients.
  private var lengths = MarkTable(empty: 0)
  private var sampled = 0
  private var limit: Int
  private var rowLimit: Int
  /// How many times totals are in memory.
  private let copies: Int
  private let compressor: (any ContentCompressor)?

  /// Octets that are compressed in all for estimates: half a second's work.
  static let sampleLimit = 16 << 20
  /// Samples of each API and direction that are all compressed. Of later ones, only the 32nd, the 64th, and so on are.
  static let firstSamples: Int32 = 16

  init(configuration: Configuration, compressor: (any ContentCompressor)?) {
    isWanted = configuration.tables.contains(.contents)
    limit = configuration.knownContentLimit
    rowLimit = configuration.contentLimit
    copies = configuration.isLookedAt ? 2 : 1
    self.compressor = compressor
  }

  /// Octets of memory that the table takes.
  var memory: Int {
    copies * totals.count * MemoryLayout<ContentTotals>.stride
      + (MemoryBudget.grown(offers.count) + MemoryBudget.grown(places.count)) * 4
      + known.memory + knownAnywhere.memory + lengths.memory
  }

  /// Ends the growth of the table: new rows count as beyond the limit.
  mutating func close() {
    limit = min(limit, known.count)
    // Two rows are for contents beyond the limit.
    rowLimit = min(rowLimit, max(totals.count - 2, 0))
  }

  /// Adds a final message of the API at a position.
  mutating func add(
    _ message: inout Message, at position: Int, _ note: inout ContentNotes.Note, _ anomalies: inout AnomalyLog
  ) {
    let (kind, status, isEmpty) = (message.kind, message.status, message.octets.body == 0)
    let isNotModified = kind == .response && status == 304
    if isEmpty, !isNotModified { return }
    let index = place(of: position, isRequest: kind == .request, &anomalies)
    if isNotModified { noteNotModified(message, position, index) }
    if isEmpty { return }
    totals[index].contents += 1
    totals[index].octets += message.octets.body
    let (body, decoded) = (message.octets.body, message.decodedBody)
    if Self.isUncoded(message) {
      totals[index].uncoded += 1
      totals[index].uncodedOctets += message.octets.body
      compress(&note, index)
    } else if let decoded {
      totals[index].coded += 1
      totals[index].codedOctets += message.octets.body
      totals[index].decodedOctets += decoded
    }
    // Only contents that were seen whole can be compared.
    guard message.missing == 0, message.unseen == 0, note.length == message.octets.body,
      message.flags.isDisjoint(with: [.incomplete, .contentNotSeen])
    else { return }
    // Without its request a content has no URL.
    guard message.target != 0 else { return }
    let client = Self.mark(of: message.client.address)
    let target = OctetMark.mix(message.target, OctetMark.mix(UInt64(position), client))
    let content = OctetMark.mix(note.markValue, kind == .request ? 1 : 2)
    let (mark, markAnywhere) = (OctetMark.mix(content, target), OctetMark.mix(content, client))
    let isFull = known.count >= limit
    if isFull ? known.contains(mark) : !known.insert(mark) {
      totals[index].repeated += 1
      totals[index].repeatedOctets += body
    } else {
      if isFull { anomalies.note(.contentTableFull) }
      if isFull ? knownAnywhere.contains(markAnywhere) : !knownAnywhere.insert(markAnywhere) {
        totals[index].repeatedElsewhere += 1
        totals[index].repeatedElsewhereOctets += body
      }
    }
    guard kind == .response, status == 200 else { return }
    if lengths.count < limit || lengths[target] != nil {
      lengths.set(target, body)
    } else {
      anomalies.note(.contentTableFull)
    }
  }

  /// Whether a message's content came without any coding.
  static func isUncoded(_ message: borrowing Message) -> Bool {
    let (transfer, body, decoded) = (message.transferEncoding, message.octets.body, message.decodedBody)
    return message.contentEncoding == .none && (transfer == .none || decoded == body)
  }

  /// The place of a direction of an API. Beyond the limit, all further APIs share the row without an API.
  private mutating func place(of position: Int, isRequest: Bool, _ anomalies: inout AnomalyLog) -> Int {
    let index = 2 * position + (isRequest ? 0 : 1)
    while places.count <= index { places.append(-1) }
    if places[index] >= 0 { return Int(places[index]) }
    if totals.isEmpty {
      // The rows of requests and responses beyond the limit.
      totals = [ContentTotals(), ContentTotals()]
      offers = [0, 0]
    }
    if totals.count - 2 >= rowLimit {
      anomalies.note(.contentTableFull)
      places[index] = isRequest ? 0 : 1
    } else {
      places[index] = Int32(totals.count)
      totals.append(ContentTotals())
      offers.append(0)
    }
    return Int(places[index])
  }

  private mutating func noteNotModified(_ message: borrowing Message, _ position: Int, _ index: Int) {
    totals[index].notModified += 1
    let owner = OctetMark.mix(UInt64(position), Self.mark(of: message.client.address))
    guard message.target != 0, let length = lengths[OctetMark.mix(message.target, owner)] else { return }
    totals[index].knownNotModified += 1
    totals[index].savedOctets += length
  }

  private static func mark(of address: IPAddress) -> UInt64 { OctetMark.mix(address.high, address.low) }

  /// Compresses a sample if it is its turn, or takes the result from elsewhere.
  private mutating func compress(_ note: inout ContentNotes.Note, _ index: Int) {
    let length = note.given == nil ? note.sample.count : note.given?.sample ?? 0
    guard let compressor, length > 0, sampled < Self.sampleLimit else { return }
    offers[index] &+= 1
    let offer = offers[index]
    guard offer <= Self.firstSamples || offer & (offer &- 1) == 0 else { return }
    sampled += length
    totals[index].sampled += length
    totals[index].compressed +=
      note.given?.compressed ?? note.sample.withOctets { compressor.compressedLength(of: $0) }
  }

  /// The rows beyond the limit, then the APIs' rows in the order of their positions in `order`. `apis` has their names.
  func rows(_ apis: borrowing BlockArray<APITotals>, _ order: [Int32]) -> [ContentTotals] {
    var rows: [ContentTotals] = []
    rows.reserveCapacity(totals.count)
    for direction in 0..<min(totals.count, 2) where totals[direction] != ContentTotals() {
      rows.append(totals[direction])
      rows[rows.count - 1].isRequest = direction == 0
    }
    for position in order {
      for direction in 0..<2 where 2 * Int(position) + direction < places.count {
        let place = Int(places[2 * Int(position) + direction])
        guard place >= 2 else { continue }
        var row = totals[place]
        row.host = apis[Int(position)].host
        row.path = apis[Int(position)].path
        row.method = apis[Int(position)].method
        row.process = apis[Int(position)].process
        row.isRequest = direction == 0
        rows.append(row)
      }
    }
    return rows
  }
}

/// Measures the compressed length of content. Only one thread at a time may use it.
public protocol ContentCompressor: AnyObject, Sendable {
  /// The length of content in gzip, in octets.
  func compressedLength(of octets: RawSpan) -> Int
}
