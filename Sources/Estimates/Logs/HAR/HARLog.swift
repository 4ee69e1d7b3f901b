/// Makes entries of a HAR: a row for each request, and one for each response that there was.
struct HARLog {
  let archive: HARArchive
  let file: String
  let times: LogTime

  /// Throws when there are no entries, more rows than `limit`, or entries that break HAR.
  func read(limit: Int) throws(LogError) -> AppLog {
    let entries = archive.entries.results
    guard !entries.isEmpty else { throw LogError(file: file, "is a HAR without entries") }
    guard entries.count <= limit else { throw LogError(file: file, "has more than \(limit) entries; split it") }
    let meaning = archive.meaning
    var log = AppLog(dialect: meaning.dialect, entries: [])
    var names = NamePool()
    var bad = BadRows()
    var skipped: [String: Int] = [:]
    var unanswered = 0
    var newer = 0
    for (index, attempt) in entries.enumerated() {
      do throws(RowProblem) {
        let entry = try attempt.get()
        let (start, url) = try Self.origin(entry, times)
        guard ["http", "https", "ws", "wss"].contains(url.scheme) else {
          skipped[url.scheme.shortened(), default: 0] += 1
          continue
        }
        let rows = rows(of: entry, place: index + 1, start: start, url: url, meaning: meaning, names: &names)
        log.entries += rows
        if rows.count == 1 { unanswered += 1 }
        if Self.isNewer(entry.request) || Self.isNewer(entry.response) { newer += 1 }
      } catch {
        bad.note("entry \(index + 1)", error)
      }
    }
    try bad.check(file: file, rows: entries.count)
    log.skippedRows = skipped.values.reduce(0, +)
    guard !log.entries.isEmpty else {
      throw LogError(file: file, "has \(log.skippedRows) entries, none of them of HTTP")
    }
    for (scheme, count) in skipped.sorted(by: { $0.key < $1.key }).prefix(10) {
      log.notices.append("entries of \(scheme): URLs, which are not HTTP, left out: \(count)")
    }
    if unanswered > 0 { log.notices.append("entries without a response: \(unanswered)") }
    if newer > 0 { log.notices.append("entries of HTTP/2 or HTTP/3, whose headers are not HTTP/1's: \(newer)") }
    return log
  }

  private static func origin(_ entry: HAREntry, _ times: LogTime) throws(RowProblem) -> (Int64, LogURL) {
    guard let text = entry.request.url else { throw RowProblem("request: no url") }
    guard let url = LogURL(text), !url.host.isEmpty || !url.scheme.hasPrefix("http") else {
      throw RowProblem("request.url: expected a URL, found '\(text.shortened())'")
    }
    guard CalendarTime(entry.startedDateTime) != nil, let start = times.time(entry.startedDateTime) else {
      throw RowProblem("startedDateTime: expected ISO 8601, found '\(entry.startedDateTime.shortened())'")
    }
    return (start, url)
  }

  private func rows(
    of entry: HAREntry, place: Int, start: Int64, url: LogURL, meaning: any HARMeaning, names: inout NamePool
  ) -> [LogEntry] {
    let (host, path) = (names.shared(url.host), names.shared(url.path))
    let isFromCache = meaning.isFromCache(entry)
    let isAborted = meaning.isAborted(entry)
    let delay = entry.timings.map(meaning.requestDelay) ?? 0

    var request = LogEntry(place: place, kind: .request, host: host, path: path, time: start + Self.nanoseconds(delay))
    request.method = entry.request.method ?? ""
    request.queryLength = url.queryLength
    request.set(meaning.request(entry.request))
    request.isFromCache = isFromCache
    request.isAborted = isAborted && (entry.response?.status ?? 0) == 0
    guard let answer = entry.response, answer.status != 0 else { return [request] }

    // Without timings the response is as late as the request: nearer than nothing.
    let wait = (entry.timings?.send ?? 0) + (entry.timings?.wait ?? 0)
    var response = LogEntry(
      place: place, kind: answer.status < 200 && answer.status != 101 ? .interim : .response, host: host, path: path,
      time: start + Self.nanoseconds(delay + wait))
    response.method = request.method
    response.queryLength = url.queryLength
    response.status = answer.status
    response.set(meaning.response(answer))
    response.isFromCache = isFromCache
    response.isAborted = isAborted
    return [request, response]
  }

  private static func isNewer(_ message: HARMessage?) -> Bool {
    let version = message?.httpVersion.lowercased() ?? ""
    return ["h2", "h3", "http/2", "http/3", "quic"].contains { version.hasPrefix($0) }
  }

  private static func nanoseconds(_ milliseconds: Double) -> Int64 { Int64((milliseconds * 1e6).rounded()) }
}

extension LogEntry {
  fileprivate mutating func set(_ figures: HARFigures) {
    headerLength = figures.headers
    bodyLength = figures.body
    decodedLength = figures.decoded
    length = figures.whole
  }
}
