import Foundation
import HTTPReassembly

/// Makes entries of Chrome's netlog: a row for each request that was sent or answered by the cache, and one for each response.
struct NetlogLog {
  let netlog: Netlog
  let log: JSONLog

  /// A request of Chrome. Redirects and challenges split it into several exchanges.
  private struct Request {
    var url = ""
    var method = ""
    var start: Int64 = 0
    /// The number of its first event; nil for a request that began before the log.
    var index: Int?
    /// The exchange under way, as an index.
    var current: Int?
  }

  /// Reads the events. Throws when there are no exchanges, more of them than the limit, or events that make no sense.
  func read() throws(LogError) -> AppLog {
    let (file, options) = (log.file.path, log.options)
    let exchanges = try exchanges()
    guard !exchanges.isEmpty else { throw LogError(file: file, "is a netlog without a request that was sent") }
    var log = AppLog(dialect: .chromeNetlog, entries: [])
    var names = NamePool()
    var bad = BadRows()
    var (skipped, newer, earlier) = (0, 0, 0)
    for (number, exchange) in exchanges.enumerated() {
      guard exchange.hasBegun else {
        earlier += 1
        continue
      }
      guard let url = LogURL(exchange.url), !url.host.isEmpty || !url.scheme.hasPrefix("http") else {
        bad.note(
          "event \(exchange.index)", RowProblem("url: expected a URL, found '\(exchange.url.shortened())'"))
        continue
      }
      guard ["http", "https", "ws", "wss"].contains(url.scheme) else {
        skipped += 1
        continue
      }
      if !exchange.isHTTP1 { newer += 1 }
      try log.add(rows(of: exchange, url, number + 1, &names), of: file, options)
    }
    try bad.check(file: file, rows: exchanges.count)
    log.skippedRows = skipped
    guard !log.entries.isEmpty else {
      throw LogError(
        file: file,
        earlier == 0
          ? "has \(skipped) requests, none of them of HTTP" : "has no request of HTTP that began after its own start")
    }
    if skipped > 0 { log.notices.append("requests that are not HTTP, left out: \(skipped)") }
    if earlier > 0 { log.notices.append("requests that began before the log, left out: \(earlier)") }
    if newer > 0 { log.notices.append("requests of HTTP/2 or HTTP/3: \(newer)") }
    return log
  }

  private func exchanges() throws(LogError) -> [NetlogExchange] {
    let (file, options, names) = (log.file.path, log.options, netlog.names)
    var exchanges: [NetlogExchange] = []
    var requests: [Int: Request] = [:]
    var octets = 0
    try log.forEach(.event, "events") { (index, attempt: Result<NetlogEvent.Raw, RowProblem>) throws(LogError) in
      let found: NetlogEvent?
      do { found = try attempt.get().event(names) } catch {
        let words = (error as? RowProblem)?.description ?? JSONLog.words(error, in: "events.\(index)")
        throw LogError(file: file, words)
      }
      guard let event = found else { return }
      octets += MemoryLayout<NetlogExchange.Response>.stride
      octets += (event.parameters.url?.utf8.count ?? 0) + (event.parameters.method?.utf8.count ?? 0)
      guard octets <= options.memoryLimit else {
        throw LogError(file: file, "has events that take more than \(options.memoryLimit) bytes of memory; split it")
      }
      var request = requests[event.source] ?? Request()
      take(event, index, &request, &exchanges)
      requests[event.source] = request
      try options.admit(max(exchanges.count, requests.count), "requests", of: file)
    }
    return exchanges
  }

  private func take(_ event: NetlogEvent, _ index: Int, _ request: inout Request, _ exchanges: inout [NetlogExchange]) {
    let parameters = event.parameters
    switch event.kind {
    case .startJob where event.phase == .begin:
      // A redirected request is started again.
      if let current = request.current { exchanges[current].isOver = true }
      request = Request(
        url: parameters.url ?? "", method: parameters.method ?? "", start: event.time, index: index, current: nil)
    case .requestHeaders, .http2RequestHeaders, .quicRequestHeaders:
      var exchange = NetlogExchange(index: index, url: request.url, method: request.method, start: event.time)
      exchange.isHTTP1 = event.kind == .requestHeaders
      exchange.hasBegun = request.index != nil
      if exchange.isHTTP1 {
        exchange.requestLine = parameters.line?.utf8.count
        exchange.requestHeader = parameters.headers.map(NetlogExchange.octets)
      } else if let fields = parameters.headers {
        (exchange.requestLine, exchange.requestHeader) = NetlogExchange.spelled(fields)
      }
      // A request is sent again after a challenge, and after its connection turned out to be closed.
      if let current = request.current {
        exchanges[current].isOver = true
        if exchanges[current].responses.isEmpty { exchanges[current].isAborted = true }
      }
      request.current = exchanges.count
      exchanges.append(exchange)
    case .readCache where event.phase == .begin && request.current == nil:
      var exchange = NetlogExchange(index: index, url: request.url, method: request.method, start: request.start)
      (exchange.isFromCache, exchange.requestBody) = (true, nil)
      exchange.hasBegun = request.index != nil
      request.current = exchanges.count
      exchanges.append(exchange)
    default:
      guard let current = request.current else { return }
      exchanges[current].take(event, index)
    }
  }

  private func rows(
    of exchange: NetlogExchange, _ url: LogURL, _ number: Int, _ names: inout NamePool
  ) -> [LogEntry] {
    var request = LogEntry(
      row: exchange.index, kind: .request, host: names.shared(url.host), path: names.shared(url.path),
      time: time(exchange.start))
    request.exchange = number
    request.method = exchange.method
    request.query = names.shared(url.query ?? "")
    request.queryLength = url.queryLength
    request.isFromCache = exchange.isFromCache
    request.isPending = !exchange.isOver
    let common = request

    request.endTime = exchange.sent.map(time)
    request.lineLength = exchange.requestLine
    request.headerLength = exchange.requestHeader
    request.bodyLength = exchange.requestBody
    let final = exchange.responses.last.flatMap { $0.isInterim ? nil : $0 }
    request.isAborted = exchange.isAborted && final == nil && !exchange.isFromCache
    var phases = ExchangeTimings()
    phases.send = Self.duration(exchange.start, exchange.sent)
    phases.wait = Self.duration(exchange.sent, final?.time)
    phases.receive = Self.duration(final?.time, exchange.bodyEnd)
    request.phases = phases.isEmpty ? nil : phases
    var rows = [request]

    for head in exchange.responses {
      var response = common
      response.kind = head.isInterim ? .interim : .response
      response.row = head.index
      response.time = time(head.time)
      response.status = head.status
      response.lineLength = head.line
      response.headerLength = head.header
      if !head.isInterim {
        response.endTime = exchange.bodyEnd.map(time)
        response.isAborted = exchange.isAborted
        set(&response, exchange, head.status)
      }
      rows.append(response)
    }
    if exchange.isFromCache {
      var response = common
      response.kind = .response
      response.decodedLength = exchange.octets
      rows.append(response)
    }
    return rows
  }

  /// Sets the body. After a 304 Chrome reads the cached content, and after a redirect it may read nothing. Neither tells the
  /// octets that came.
  private func set(_ response: inout LogEntry, _ exchange: NetlogExchange, _ status: Int) {
    guard status != 304 else { return }
    let nothing = exchange.hasReadBody && !exchange.isAborted && exchange.isOver ? 0 : nil
    response.bodyLength = exchange.codedOctets ?? exchange.octets ?? nothing
    response.decodedLength = exchange.octets ?? nothing
  }

  /// Converts milliseconds of the log to nanoseconds since 1970.
  private func time(_ tick: Int64) -> Int64 {
    // Both are below the year 2200, but their sum may not be.
    min(netlog.tickOffset + tick, 7_258_118_399_999) * 1_000_000
  }

  private static func duration(_ start: Int64?, _ end: Int64?) -> Int64? {
    guard let start, let end, start <= end else { return nil }
    return (end - start) * 1_000_000
  }
}

extension NetlogExchange {
  /// Takes an event after the first one.
  fileprivate mutating func take(_ event: NetlogEvent, _ index: Int) {
    switch event.kind {
    case .sendRequest where event.phase == .end: sent = event.time
    case .requestBody: requestBody = event.parameters.isChunked == true ? nil : event.parameters.length
    case .responseHeaders, .earlyHints:
      guard let response = Response(index: index, time: event.time, lines: event.parameters.headers ?? []),
        responses.last?.isInterim ?? true
      else { return }
      responses.append(response)
    case .readBody:
      hasReadBody = true
      if event.phase == .end { bodyEnd = event.time }
    case .codedOctets: codedOctets = min((codedOctets ?? 0) + (event.parameters.byteCount ?? 0), Self.largest)
    case .octets: octets = min((octets ?? 0) + (event.parameters.byteCount ?? 0), Self.largest)
    case .startJob where event.phase == .end, .alive where event.phase == .end:
      if event.kind == .alive { isOver = true }
      if (event.parameters.netError ?? 0) != 0 { isAborted = true }
    case .failed, .cancelled: isAborted = true
    default: break
    }
  }

  /// More octets than any body has.
  private static let largest = 1 << 40
}
