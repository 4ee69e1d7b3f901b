/// Makes entries of a HAR: a row for each request, and one for each response.
struct HARLog {
  let archive: HARArchive
  let log: JSONLog
  let times: LogTime

  /// Reads the archive. Throws when there are no entries, more of them than the limit, or entries that break HAR.
  func read() throws(LogError) -> AppLog {
    let (file, options, source) = (log.file.path, log.options, log)
    let meaning = archive.meaning
    var log = AppLog(dialect: meaning.dialect, entries: [])
    var names = NamePool()
    var bad = BadRows()
    var skipped: [String: Int] = [:]
    var unanswered = 0
    var newer = 0
    var count = 0
    try source.forEach(.entry, "log.entries") { (number, attempt: Result<ArchivedEntry, RowProblem>) throws(LogError) in
      count = number
      try options.admit(count, "entries", of: file)
      let (entry, start, url): (ArchivedEntry, Int64?, LogURL)
      do throws(RowProblem) {
        entry = try attempt.get()
        (start, url) = try Self.origin(entry, times)
      } catch {
        return bad.note("entry \(number)", error)
      }
      guard ["http", "https", "ws", "wss"].contains(url.scheme) else {
        return skipped[url.scheme.shortened(), default: 0] += 1
      }
      let rows = rows(of: entry, row: number, start: start, url: url, meaning: meaning, names: &names)
      try log.add(rows, of: file, options)
      if rows.count == 1 { unanswered += 1 }
      if entry.request.isEncoded || entry.response?.isEncoded == true { newer += 1 }
    }
    guard count > 0 else { throw LogError(file: file, "is a HAR without entries") }
    try bad.check(file: file, rows: count)
    log.skippedRows = skipped.values.reduce(0, +)
    guard !log.entries.isEmpty else {
      throw LogError(file: file, "has \(log.skippedRows) entries, none of them of HTTP")
    }
    meaning.settle(&log.entries)
    for (scheme, count) in skipped.sorted(by: { $0.key < $1.key }).prefix(10) {
      log.notices.append("entries of \(scheme): URLs, which are not HTTP, left out: \(count)")
    }
    if unanswered > 0 { log.notices.append("entries without a response: \(unanswered)") }
    if newer > 0 { log.notices.append("entries of HTTP/2 or HTTP/3: \(newer)") }
    log.noteTimes()
    return log
  }

  private static func origin(_ entry: ArchivedEntry, _ times: LogTime) throws(RowProblem) -> (Int64?, LogURL) {
    guard let text = entry.request.url else { throw RowProblem("request: no url") }
    guard let url = LogURL(text), !url.host.isEmpty || !url.scheme.hasPrefix("http") else {
      throw RowProblem("request.url: expected a URL, found '\(text.shortened())'")
    }
    if LogTime.isUnset(entry.startedDateTime) { return (nil, url) }
    guard CalendarTime(entry.startedDateTime) != nil, let start = times.time(entry.startedDateTime) else {
      throw RowProblem("startedDateTime: expected ISO 8601, found '\(entry.startedDateTime.shortened())'")
    }
    return (start, url)
  }

  private func rows(
    of entry: ArchivedEntry, row: Int, start: Int64?, url: LogURL, meaning: any HARMeaning, names: inout NamePool
  ) -> [LogEntry] {
    let isFromCache = meaning.isFromCache(entry)
    let isAborted = meaning.isAborted(entry)
    let timings = entry.timings
    let delay = HARTimings.nanoseconds(timings.map { meaning.requestDelay($0, total: entry.time) } ?? 0)
    let requestTime = start.map { $0 + delay }
    let phases = timings?.phases(total: entry.time)

    var request = LogEntry(
      row: row, kind: .request, host: names.shared(url.host), path: names.shared(url.path), time: requestTime)
    request.exchange = row
    request.method = entry.request.method?.asMethod ?? ""
    request.query = names.shared(url.query ?? "")
    request.queryLength = url.queryLength
    request.endTime = phases?.send.flatMap { send in requestTime.map { $0 + send } }
    request.phases = phases.flatMap { $0.isEmpty ? nil : $0 }
    request.isFromCache = isFromCache
    guard let answer = entry.response, answer.status != 0 else {
      request.set(meaning.request(entry.request))
      request.isAborted = isAborted
      return [request]
    }

    var response = request
    response.kind = answer.status < 200 && answer.status != 101 ? .interim : .response
    // Without timings the response has the request's time, which is a better guess than none.
    let responseTime = requestTime.map { $0 + (phases?.send ?? 0) + (phases?.wait ?? 0) }
    response.time = responseTime
    // Without `wait` the start of the response is unknown.
    response.endTime =
      phases?.wait == nil ? nil : phases?.receive.flatMap { receive in responseTime.map { $0 + receive } }
    response.phases = nil
    response.status = answer.status
    response.set(meaning.response(answer))
    response.isAborted = isAborted
    request.set(meaning.request(entry.request))
    return [request, response]
  }
}

extension LogEntry {
  fileprivate mutating func set(_ figures: ArchivedFigures) {
    headerLength = figures.headers
    bodyLength = figures.body
    decodedLength = figures.decoded
    length = figures.whole
  }
}
