import HTTPReassembly

/// Makes entries of task metrics: two rows for each transaction, so that redirects have rows.
///
/// Header counts include the start-line; body counts are as transferred, with framing and coding.
struct TaskMetricsLog {
  /// The tasks of a log.
  enum Tasks {
    /// The whole log is one task.
    case single(TaskMetrics)
    /// Each element of an array is a task, or each of several values.
    case elements(JSONElements.Place)
  }

  let tasks: Tasks
  let log: JSONLog
  let times: LogTime

  /// Reads the tasks. Throws when there are no transactions, more of them than the limit, or tasks that break the format. An
  /// entry's row is the number of its transaction in the file.
  func read() throws(LogError) -> AppLog {
    let (file, options, source, limit) = (log.file.path, log.options, log, log.options.rowLimit)
    var log = AppLog(dialect: .urlSessionMetrics, entries: [])
    var names = NamePool()
    var bad = BadRows()
    var skipped: [String: Int] = [:]
    var count = 0
    var newer = 0
    var short = 0
    var seen = 0
    func take(_ index: Int, _ attempt: Result<TaskMetrics, RowProblem>) throws(LogError) {
      seen = index
      try options.admit(seen, "tasks", of: file)
      var found: [LogEntry] = []
      do throws(RowProblem) {
        let task = try attempt.get()
        if task.transactions.count <= task.redirectCount { short += 1 }
        for (number, transaction) in task.transactions.enumerated() {
          count += 1
          guard count <= limit else { throw RowProblem("more than \(limit) transactions; split the file") }
          guard let url = LogURL(transaction.request.url) else {
            throw RowProblem(
              "transaction \(number + 1): request.url: expected a URL, found '\(transaction.request.url.shortened())'")
          }
          guard url.scheme == "http" || url.scheme == "https", !url.host.isEmpty else {
            skipped[url.scheme.shortened(), default: 0] += 1
            continue
          }
          let isLast = number == task.transactions.count - 1
          found += try rows(of: transaction, count, url, hasError: isLast && task.error != nil, &names)
          if transaction.networkProtocolName.hasPrefix("h") && !transaction.networkProtocolName.hasPrefix("http/1") {
            newer += 1
          }
        }
      } catch {
        bad.note("task \(index)", error)
      }
      try log.add(found, of: file, options)
    }
    switch tasks {
    case .single(let task): try take(1, .success(task))
    case .elements(let place): try source.forEach(place, "", take)
    }
    try bad.check(file: file, rows: seen)
    guard count > 0 else { throw LogError(file: file, "has \(seen) tasks and no transaction") }
    log.skippedRows = skipped.values.reduce(0, +)
    guard !log.entries.isEmpty else { throw LogError(file: file, "has \(count) transactions, none of them of HTTP") }
    for (scheme, count) in skipped.sorted(by: { $0.key < $1.key }).prefix(10) {
      log.notices.append("transactions of \(scheme): URLs, which are not HTTP, left out: \(count)")
    }
    if short > 0 { log.notices.append("tasks with fewer transactions than redirects: \(short)") }
    if newer > 0 { log.notices.append("transactions of HTTP/2 or HTTP/3: \(newer)") }
    log.noteTimes()
    return log
  }

  private func rows(
    of metrics: TransactionMetrics, _ row: Int, _ url: LogURL, hasError: Bool, _ names: inout NamePool
  ) throws(RowProblem) -> [LogEntry] {
    let start = try time(metrics.requestStartDate ?? metrics.fetchStartDate)

    var request = LogEntry(
      row: row, kind: .request, host: names.shared(url.host), path: names.shared(url.path), time: start)
    request.exchange = row
    request.method = metrics.request.httpMethod?.asMethod ?? ""
    request.query = names.shared(url.query ?? "")
    request.queryLength = url.queryLength
    request.isFromCache = metrics.fetchType == .localCache || metrics.fetchType == .serverPush
    var response = request

    request.endTime = try time(metrics.requestEndDate)
    let phases = try phases(metrics)
    request.phases = phases.isEmpty ? nil : phases
    request.headerLength = metrics.requestHeader
    request.bodyLength = metrics.requestBody
    request.decodedLength = metrics.requestBodyBeforeEncoding
    request.length = Self.sum(metrics.requestHeader, metrics.requestBody)
    request.isAborted = metrics.response == nil
    guard let answer = metrics.response else { return [request] }
    guard 0...999 ~= answer.statusCode else {
      throw RowProblem("response.statusCode: expected a status code, found \(answer.statusCode)")
    }

    response.kind = .response
    response.time = try time(metrics.responseStartDate) ?? start
    response.endTime = try time(metrics.responseEndDate)
    response.status = answer.statusCode
    response.headerLength = metrics.responseHeader
    response.bodyLength = metrics.responseBody
    response.decodedLength = metrics.responseBodyAfterDecoding
    response.length = Self.sum(metrics.responseHeader, metrics.responseBody)
    response.isAborted = hasError || metrics.responseStartDate != nil && metrics.responseEndDate == nil
    return [request, response]
  }

  /// The phases. Apple's connect phase includes the TLS handshake.
  private func phases(_ metrics: TransactionMetrics) throws(RowProblem) -> ExchangeTimings {
    var phases = ExchangeTimings()
    phases.dns = try duration(metrics.domainLookupStartDate, metrics.domainLookupEndDate)
    phases.connect = try duration(
      metrics.connectStartDate, metrics.secureConnectionStartDate ?? metrics.connectEndDate)
    phases.tls = try duration(metrics.secureConnectionStartDate, metrics.secureConnectionEndDate)
    phases.send = try duration(metrics.requestStartDate, metrics.requestEndDate)
    phases.wait = try duration(metrics.requestEndDate, metrics.responseStartDate)
    phases.receive = try duration(metrics.responseStartDate, metrics.responseEndDate)
    return phases
  }

  /// Nanoseconds between two dates. Nil when one is missing, or when the end is before the start because the clock was set.
  private func duration(_ start: MetricsDate?, _ end: MetricsDate?) throws(RowProblem) -> Int64? {
    guard let start = try time(start), let end = try time(end), start <= end else { return nil }
    return end - start
  }

  private func time(_ date: MetricsDate?) throws(RowProblem) -> Int64? {
    switch date {
    case nil: return nil
    case .number(let number): return try times.time(.real(number))
    case .text(let text): return try times.time(.text(text))
    }
  }

  private static func sum(_ header: Int?, _ body: Int?) -> Int? {
    guard let header, let body else { return nil }
    return header + body
  }
}
