import HTTPReassembly
import Tabular

/// Everything that the page shows, as its script reads it. Times are milliseconds since `start`.
struct PageData {
  let figures: PageFigures
  let unread: PageObserver.Unread
  let fieldNames: FieldNames
  let totals: Totals
  let grouping: Configuration.Grouping
  let redaction: Redaction?
  let comparisons: [PageComparison]

  var name: PageName { PageName(redaction: redaction) }
  /// What times are relative to.
  var start: Int64 { figures.earliest <= figures.latest ? figures.earliest : 0 }

  /// The data.
  var value: PageValue {
    let apis = APIsTable(totals: totals, grouping: grouping, name: name)
    let waste: [(name: String, value: PageValue)] = [
      ("fields", fields.value), ("codings", codings.value), ("uncompressed", uncompressed.value),
      ("contents", contents), ("repeated", repeated.value),
    ]
    return .object(
      [
        ("summary", summary(apis.sums, apis.parts)), ("parts", .list(apis.parts.names.map { .text($0) })),
        ("apis", apis.table.value), ("throughput", throughput), ("exchanges", exchanges.value),
        ("connections", connections.value),
      ] + waste + [
        ("redirects", outcomes(figures.redirects).value), ("errors", outcomes(figures.errors).value),
        ("ledger", ledger.value), ("anomalies", anomalies.value),
        ("comparisons", .list(comparisons.map { value($0) })), ("passed_over", passedOver),
      ])
  }

  // MARK: Totals

  private func summary(_ sums: APITotals, _ parts: MessageParts) -> PageValue {
    let unsure = UnsureOctets(totals)
    return .object([
      // Milliseconds since the epoch are exact in a script's numbers, nanoseconds are not.
      ("start", start == 0 ? .null : .milliseconds(start)),
      ("duration", figures.earliest <= figures.latest ? .milliseconds(figures.latest - figures.earliest) : .null),
      ("original", .integer(totals.ledger.original)), ("difference", .integer(totals.ledger.difference)),
      // Of a run that goes on: what has no class yet is no error.
      ("pending", .integer(totals.ledger.pending)),
      ("packets", .integer(totals.ledger.packets)), ("dropped", .integer(totals.ledger.droppedPackets)),
      ("truncated", .integer(totals.ledger.truncatedPackets)), ("missing", .integer(totals.ledger.missing)),
      ("inferred", .integer(unsure.inferred)), ("unknown", .integer(unsure.unknown)),
      ("compressed", .flag(sums.request.savedByCompression + sums.response.savedByCompression != 0)),
      ("messages", .integer(figures.messages)), ("requests", .integer(sums.requests)),
      ("responses", .integer(sums.responses)), ("connections", .integer(figures.connections.count)),
      ("setup", .integer(figures.setup)), ("teardown", .integer(figures.teardown)),
      ("unattributed", .integer(figures.unattributed)), ("status_4xx", .integer(sums.status4xx)),
      ("status_5xx", .integer(sums.status5xx)), ("wait_ms_p50", .milliseconds(figures.wait.percentile(50))),
      ("wait_ms_p95", .milliseconds(figures.wait.percentile(95))), ("redacted", .flag(redaction != nil)),
      ("up", .list(parts.octets(sums.request).map { .integer($0) })),
      ("down", .list(parts.octets(sums.response).map { .integer($0) })),
    ])
  }

  private var throughput: PageValue {
    guard let intervals = figures.throughput.intervals else { return .null }
    return .object([
      ("start", .milliseconds(intervals.start - start)), ("width", .milliseconds(figures.throughput.width)),
      ("up", .list(intervals.up.map { .integer($0) })), ("down", .list(intervals.down.map { .integer($0) })),
    ])
  }

  private var ledger: PageTable {
    PageTable(["class", "bytes"], LedgerRow.rows(totals.ledger).map { [.text($0.name), .integer($0.value)] })
  }

  private var anomalies: PageTable {
    PageTable(
      ["name", "count", "first", "connection", "example"],
      totals.anomalies.all.map { anomaly, count in
        [
          // The first one may be of a packet before the first message.
          .text(anomaly.rawValue), .integer(count.count), .milliseconds(count.firstTime - start),
          count.firstConnection == 0 ? .null : .integer(count.firstConnection),
          redaction == nil && !count.example.isEmpty ? .text(TextEscaping.string(count.example)) : .null,
        ]
      })
  }

  /// What is in no figure of a section because a limit was reached.
  private var passedOver: PageValue {
    .object([
      ("messages", .integer(unread.messages)), ("fields", .integer(unread.fields)),
      ("contents", .integer(unread.contents)), ("fields_not_remembered", .integer(figures.forgotten.fields)),
      ("contents_not_remembered", .integer(figures.forgotten.contents)),
    ])
  }
}
