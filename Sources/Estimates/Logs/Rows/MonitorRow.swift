import HTTPReassembly

/// Makes entries of the cells of one row of a monitor's table.
struct MonitorRow {
  private let times: LogTime
  private var names = NamePool()
  private var row = LogEntry(row: 0, kind: .request, host: "", path: "/", time: nil)
  /// The response, where a row is an exchange.
  private var answer = LogEntry(row: 0, kind: .response, host: "", path: "/", time: nil)
  private var phases = ExchangeTimings()
  private var duration: Int64?
  private var isFromCacheBySource = false
  private var isPendingByWord = false
  /// The row's name for its exchange.
  private(set) var exchange: String?
  /// Whether the row has a query. Then a row without one says that its message has none.
  private(set) var showsQueries = false
  /// The number of requests that the row may sum up.
  private(set) var count: Int?
  /// Whether the row's duration is too long for seconds.
  private(set) var hasLongDuration = false

  init(times: LogTime) { self.times = times }

  /// Starts a row; the row before is forgotten.
  mutating func begin(_ number: Int) {
    row = LogEntry(row: number, kind: .request, host: "", path: "/", time: nil)
    answer = LogEntry(row: number, kind: .response, host: "", path: "/", time: nil)
    phases = ExchangeTimings()
    (duration, exchange, count) = (nil, nil, nil)
    (isFromCacheBySource, isPendingByWord, showsQueries, hasLongDuration) = (false, false, false, false)
  }

  /// Takes the value of a column.
  mutating func take(_ cell: LogCell, _ column: LogColumn) throws(RowProblem) {
    switch column {
    case .type: row.kind = try Self.kind(cell)
    case .host: row.host = names.shared(try Self.host(cell))
    case .path: try takePath(cell)
    case .time: row.time = try times.time(cell)
    case .length: row.length = try Self.figure(cell, column)
    case .lineLength: row.lineLength = try Self.figure(cell, column)
    case .headerLength: row.headerLength = try Self.figure(cell, column)
    case .bodyLength: row.bodyLength = try Self.figure(cell, column)
    case .decodedLength: row.decodedLength = try Self.figure(cell, column)
    case .requestLength: row.length = try Self.figure(cell, column)
    case .requestLineLength: row.lineLength = try Self.figure(cell, column)
    case .requestHeaderLength: row.headerLength = try Self.figure(cell, column)
    case .requestBodyLength: row.bodyLength = try Self.figure(cell, column)
    case .requestDecodedLength: row.decodedLength = try Self.figure(cell, column)
    case .responseTime: answer.time = try times.time(cell, column)
    case .responseLength: answer.length = try Self.figure(cell, column)
    case .responseLineLength: answer.lineLength = try Self.figure(cell, column)
    case .responseHeaderLength: answer.headerLength = try Self.figure(cell, column)
    case .responseBodyLength: answer.bodyLength = try Self.figure(cell, column)
    case .responseDecodedLength: answer.decodedLength = try Self.figure(cell, column)
    case .method: row.method = try Self.method(cell)
    case .status: row.status = try Self.status(cell)
    case .queryLength: row.queryLength = try Self.size(cell, column) ?? row.queryLength
    case .error: row.isAborted = cell.namesError
    case .isFromCache: row.isFromCache = try cell.flag(column)
    case .source: isFromCacheBySource = cell == .text("cache")
    case .exchange: exchange = try Self.name(cell)
    case .query: try takeQuery(cell)
    case .endTime: row.endTime = try times.time(cell, column)
    case .duration:
      // The unit of this column is unknown. A value too large for seconds shows that it is another unit, and is not refused.
      if let seconds = try? cell.duration(unit: 1e9, column) {
        duration = seconds
      } else {
        hasLongDuration = cell != .absent
      }
    case .durationMilliseconds: duration = try cell.duration(unit: 1e6, column)
    case .dns: phases.dns = try cell.duration(unit: 1e6, column)
    case .connect: phases.connect = try cell.duration(unit: 1e6, column)
    case .tls: phases.tls = try cell.duration(unit: 1e6, column)
    case .send: phases.send = try cell.duration(unit: 1e6, column)
    case .wait: phases.wait = try cell.duration(unit: 1e6, column)
    case .receive: phases.receive = try cell.duration(unit: 1e6, column)
    case .pending: row.isPending = try cell.flag(column)
    case .unknown: isPendingByWord = cell.hasWord("pending")
    // The column may be about something else.
    case .count: count = (try? cell.length(column)) ?? nil
    }
  }

  /// The row as a message.
  func message() -> LogEntry {
    var entry = row
    entry.isFromCache = row.isFromCache || isFromCacheBySource
    entry.isPending = row.isPending || isPendingByWord
    if !phases.isEmpty { entry.phases = phases }
    if entry.endTime == nil, let time = entry.time, let duration { entry.endTime = time + duration }
    if entry.query == nil, entry.queryLength == 0 { entry.query = "" }
    return entry
  }

  /// The row as an exchange: a request and its response. There is no response when the log has a column for the status, and this
  /// row has neither a status nor a figure.
  func messages(exchange: Int, hasStatus: Bool) -> [LogEntry] {
    var request = message()
    request.kind = .request
    request.exchange = exchange
    request.status = 0
    request.endTime = nil
    if let time = request.time, let send = phases.send { request.endTime = time + send }
    let isAnswered = !hasStatus || row.status != 0 || answer.hasOctets
    request.isAborted = row.isAborted && !isAnswered
    guard isAnswered else { return [request] }

    var response = request
    response.kind = .response
    response.status = row.status
    // Without any time the response has the request's, which is a better guess than none.
    response.time = answer.time
    if response.time == nil, let time = request.time { response.time = time + (phases.send ?? 0) + (phases.wait ?? 0) }
    response.endTime = message().endTime
    response.phases = nil
    response.length = answer.length
    response.lineLength = answer.lineLength
    response.headerLength = answer.headerLength
    response.bodyLength = answer.bodyLength
    response.decodedLength = answer.decodedLength
    response.isAborted = row.isAborted
    return [request, response]
  }

  /// A length: -1 means unknown, as in HAR and in the counts of Apple and OkHttp, and so do the `-` of servers' logs and the words of
  /// languages for nothing.
  private static func figure(_ cell: LogCell, _ column: LogColumn) throws(RowProblem) -> Int? {
    if case .text(let text) = cell, absent.contains(text.lowercased()) { return nil }
    let length = try cell.length(column)
    return length == -1 ? nil : length
  }

  private static let absent: Set = ["-", "null", "nil", "n/a", "nan", "none", "undefined"]

  private static func kind(_ cell: LogCell) throws(RowProblem) -> MessageKind {
    guard case .text(let text) = cell else {
      throw RowProblem(.type, expected: "request or response", found: cell)
    }
    switch text.lowercase {
    case "request": return .request
    case "response": return .response
    case "interim": return .interim
    default: throw RowProblem(.type, expected: "request or response", found: cell)
    }
  }

  private static func host(_ cell: LogCell) throws(RowProblem) -> String {
    let text = try cell.text(.host, expected: "a host name")
    if text.utf8.contains(UInt8(ascii: "/")) {
      guard let url = LogURL(text), !url.host.isEmpty else {
        throw RowProblem(.host, expected: "a host name", found: cell)
      }
      return url.host
    }
    guard !text.isEmpty, text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f }) else {
      throw RowProblem(.host, expected: "a host name", found: cell)
    }
    return text.lowercase
  }

  private mutating func takePath(_ cell: LogCell) throws(RowProblem) {
    // A URL without a path has an empty one. A CSV file cannot tell that from an absent path.
    if cell == .absent { return }
    let text = try cell.text(.path, expected: "a path")
    if text == "*" {
      row.path = text
    } else if text.isEmpty || text.utf8.first == UInt8(ascii: "/") || text.utf8.first == UInt8(ascii: "?") {
      let (path, query) = LogURL.target(text[...])
      row.path = names.shared(path)
      guard let query else { return }
      setQuery(query)
      showsQueries = true
    } else {
      guard let url = LogURL(text), !url.host.isEmpty else {
        throw RowProblem(.path, expected: "a path that begins with /", found: cell)
      }
      row.path = names.shared(url.path)
      if let query = url.query { setQuery(query) } else { row.query = "" }
    }
  }

  private mutating func takeQuery(_ cell: LogCell) throws(RowProblem) {
    // An empty cell is unknown, until another row shows that the log has queries.
    if cell == .absent { return }
    var text = try cell.text(.query, expected: "a query")
    if text.utf8.first == UInt8(ascii: "?") { text.removeFirst() }
    showsQueries = !text.isEmpty
    let length = row.queryLength
    setQuery(text)
    row.queryLength = length ?? (text.isEmpty ? nil : row.queryLength)
  }

  private mutating func setQuery(_ query: String) {
    row.query = names.shared(query)
    row.queryLength = query.utf8.count
  }

  private static func name(_ cell: LogCell) throws(RowProblem) -> String? {
    switch cell {
    case .absent: return nil
    case .text(let text): return text
    case .integer(let number): return "\(number)"
    case .real, .octets: throw RowProblem(.exchange, expected: "a whole number or text", found: cell)
    }
  }

  private static func method(_ cell: LogCell) throws(RowProblem) -> String {
    if cell == .absent { return "" }
    let text = try cell.text(.method, expected: "a method")
    guard text.utf8.count <= 64, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
      throw RowProblem(.method, expected: "a method", found: cell)
    }
    return text.asMethod
  }

  /// The status; 0 without one. Apps write the number of an error in its place, as -1 and -1001: no response came.
  private static func status(_ cell: LogCell) throws(RowProblem) -> Int {
    guard let status = try? cell.length(.status) ?? 0, status <= 999 else {
      throw RowProblem(.status, expected: "a status code", found: cell)
    }
    return max(status, 0)
  }

  private static func size(_ cell: LogCell, _ column: LogColumn) throws(RowProblem) -> Int? {
    guard let size = try cell.length(column) else { return nil }
    guard size >= 0 else { throw RowProblem(column, expected: "a number of bytes", found: cell) }
    return size
  }
}

extension LogEntry {
  /// Whether any figure is more than 0.
  fileprivate var hasOctets: Bool {
    [length, lineLength, headerLength, bodyLength, decodedLength].contains { ($0 ?? 0) != 0 }
  }
}

extension String {
  /// The text as a method. Methods are case-sensitive (RFC 9110 §9.1), but some libraries name them in lower case: axios, fetch.
  var asMethod: String {
    let upper = uppercased()
    return Self.methods.contains(upper) ? upper : self
  }

  private static let methods: Set = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"]

  /// The text in lower case. Most names of a log already are, and are returned unchanged.
  fileprivate var lowercase: String {
    utf8.contains { $0 >= 0x80 || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 } ? lowercased() : self
  }
}

/// Lets rows with the same host or path share one string. A log repeats few names many times.
struct NamePool {
  private var names: Set<String> = []
  /// Names that are kept; a log with more different names gains nothing.
  static let limit = 65_536

  /// The first string with the same content. Short strings have no storage to share.
  mutating func shared(_ name: String) -> String {
    guard name.utf8.count > 15 else { return name }
    if names.count < Self.limit { return names.insert(name).memberAfterInsert }
    return names.firstIndex(of: name).map { names[$0] } ?? name
  }
}
