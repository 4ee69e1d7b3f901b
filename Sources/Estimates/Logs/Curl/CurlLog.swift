import Foundation
import HTTPReassembly
import TableReading

/// Makes entries of curl's output for `-w '%{json}\\n'`. Each line is a transfer: a request and its response.
struct CurlLog {
  let file: TableFile

  /// A line without certificates has 1,500 octets; with them, some thousands more.
  static let longestLine = 1 << 20

  /// Whether the first line is an object that curl wrote.
  static func begins(_ line: FirstLine) -> Bool {
    // This skips the parse of a HAR on one line.
    guard line.octets.firstRange(of: Data("\"url_effective\"".utf8)) != nil else { return false }
    return (try? JSONDecoder().decode(CurlTransfer.self, from: line.octets)) != nil
  }

  /// Reads the lines. Throws when there are no transfers, more of them than the limit, or lines that are not transfers.
  func read(_ options: LogOptions) throws(LogError) -> AppLog {
    let path = file.path
    var log = AppLog(dialect: .curl, entries: [])
    var names = NamePool()
    var bad = BadRows()
    var rows = 0
    var skipped = 0
    var newer = 0
    var number = 0
    let decoder = JSONDecoder()
    try file.forEachLine(longest: Self.longestLine) { line throws(LogError) in
      number += 1
      guard line.contains(where: { $0 != 0x20 && $0 != 0x0d && $0 != 0x09 }) else { return }
      rows += 1
      try options.admit(rows, of: path)
      var found: [LogEntry] = []
      do throws(RowProblem) {
        let transfer = try Self.transfer(line, decoder)
        guard let url = LogURL(CurlTransfer.repaired(transfer.effectiveURL)),
          !url.host.isEmpty || !url.scheme.hasPrefix("http")
        else {
          throw RowProblem("url_effective: expected a URL, found '\(transfer.effectiveURL.shortened())'")
        }
        guard ["http", "https", "ws", "wss"].contains(url.scheme) else {
          skipped += 1
          return
        }
        if transfer.isEncoded { newer += 1 }
        found = Self.rows(of: transfer, url, row: number, exchange: rows, &names)
      } catch {
        bad.note("line \(number)", error)
      }
      try log.add(found, of: path, options)
    }
    try bad.check(file: path, rows: rows)
    log.skippedRows = skipped
    guard rows > 0 else { throw LogError(file: path, "has no line with a transfer") }
    guard !log.entries.isEmpty else { throw LogError(file: path, "has \(rows) transfers, none of them of HTTP") }
    if skipped > 0 { log.notices.append("transfers that are not HTTP, left out: \(skipped)") }
    if newer > 0 { log.notices.append("transfers of HTTP/2 or HTTP/3: \(newer)") }
    let several = log.entries.count { $0.kind == .request && $0.redirectCount > 0 }
    if several > 0 { log.notices.append("transfers with redirects or challenges, whose figures are sums: \(several)") }
    log.noteTimes()
    return log
  }

  private static func transfer(_ line: [UInt8], _ decoder: JSONDecoder) throws(RowProblem) -> CurlTransfer {
    guard line.count <= longestLine else { throw RowProblem("expected at most \(longestLine) bytes of JSON") }
    do { return try decoder.decode(CurlTransfer.self, from: Data(line)) } catch {
      throw RowProblem("expected an object of curl's %{json}: \(JSONLog.words(error))")
    }
  }

  private static func rows(
    of transfer: CurlTransfer, _ last: LogURL, row: Int, exchange: Int, _ names: inout NamePool
  ) -> [LogEntry] {
    let isSeveral = transfer.redirectCount > 0
    // Without redirects both URLs are the same, and the last has a scheme. The scheme does not affect host and path.
    let given =
      isSeveral
      ? transfer.url.map(CurlTransfer.repaired).flatMap {
        LogURL($0.contains("://") ? $0 : "http://\($0)")
      } : nil
    let first = given.flatMap { $0.host.isEmpty ? nil : $0 } ?? last

    var request = LogEntry(
      row: row, kind: .request, host: names.shared(first.host), path: names.shared(first.path), time: nil)
    request.exchange = exchange
    request.redirectCount = transfer.redirectCount
    // A redirect may change the method, and only the last is known.
    request.method = isSeveral ? "" : transfer.method
    request.query = names.shared(first.query ?? "")
    request.queryLength = first.queryLength
    request.bodyLength = transfer.uploadSize
    if transfer.isEncoded, !transfer.countsBodyAsSent {
      // curl counts here the text of the head alone.
      request.headerLength = transfer.sentSize
    } else if let upload = transfer.uploadSize, let sent = transfer.sentSize,
      upload == 0 || transfer.countsBodyAsSent && upload <= sent
    {
      request.length = sent
      // The earlier bodies are in the sum, and no figure tells their lengths.
      request.headerLength = isSeveral ? nil : sent - upload
    }
    let phases = phases(transfer)
    request.phases = isSeveral || phases.isEmpty ? nil : phases
    guard transfer.status != 0 else {
      request.isAborted = transfer.exitCode != 0
      return [request]
    }

    var response = LogEntry(
      row: row, kind: .response, host: names.shared(last.host), path: names.shared(last.path), time: nil)
    response.exchange = exchange
    response.redirectCount = transfer.redirectCount
    response.method = transfer.method
    response.query = names.shared(last.query ?? "")
    response.queryLength = last.queryLength
    response.status = transfer.status
    response.headerLength = transfer.headerSize
    response.bodyLength = transfer.downloadSize
    response.isAborted = transfer.exitCode != 0
    return [request, response]
  }

  /// The phases of a transfer with one exchange. Skipped steps, such as connecting again, are 0.
  private static func phases(_ transfer: CurlTransfer) -> ExchangeTimings {
    let times = transfer.times
    var phases = ExchangeTimings()
    if let connected = times.connected, connected > 0 {
      phases.dns = times.resolved
      phases.connect = difference(times.resolved, connected)
      phases.tls = difference(connected, times.secured.flatMap { $0 > 0 ? $0 : nil })
    }
    let sent = times.sent.flatMap { $0 > 0 ? $0 : nil }
    let answered = times.answered.flatMap { $0 > 0 ? $0 : nil }
    phases.send = difference(times.ready, sent)
    phases.wait = difference(sent, answered)
    phases.receive = difference(answered, times.total)
    return phases
  }

  private static func difference(_ start: Int64?, _ end: Int64?) -> Int64? {
    guard let start, let end, start <= end else { return nil }
    return end - start
  }
}
