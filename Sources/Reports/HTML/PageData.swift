import HTTPReassembly
import Shared
import Tabular

/// All data of the page, as its script reads it. Times are milliseconds since `start`.
struct PageData {
  let figures: PageFigures
  let totals: Totals
  let grouping: Configuration.Grouping
  let redaction: Redaction?
  let captures: [String]
  /// The key logs that a command for the same captures needs.
  var keyLogs: [String] = []
  /// The user's choices, which such a command repeats.
  var choices = RunChoices()
  let comparisons: [PageComparison]

  var name: PageName { PageName(redaction: redaction) }
  /// The origin of times.
  var start: Int64 { figures.earliest <= figures.latest ? figures.earliest : totals.span?.lowerBound ?? 0 }

  /// The place of this page among those of a live run.
  struct Liveness {
    var version: Int
    /// The time when it was made, in nanoseconds since the Unix epoch.
    var time: Int64
    var isOver: Bool

    fileprivate var value: PageValue {
      .object([("version", .integer(version)), ("time", .milliseconds(time)), ("over", .flag(isOver))])
    }
  }

  /// The data; with `live` for a live run.
  func value(live: Liveness? = nil) -> PageValue {
    let apis = APIsTable(totals: totals, grouping: grouping, name: name)
    let waste = PageWaste(totals, name)
    let wasted: [(name: String, value: PageValue)] = [
      ("fields", fields(waste).value), ("cookies", cookies(waste).value), ("codings", codings.value),
      ("uncompressed", contents(waste.uncompressed, isEstimate: true).value), ("contents", contents(waste)),
      ("repeated", contents(waste.repeated, isEstimate: false).value),
      ("elsewhere", contents(waste.elsewhere, isEstimate: false).value),
    ]
    return .object(
      [
        ("captures", .list(fileNames(captures))), ("keys", .list(fileNames(keyLogs))),
        ("options", commandOptions), ("summary", summary(apis.sums, apis.parts)),
        ("parts", .list(apis.parts.names.map { .text($0) })),
        ("savings", PageSavings(figures.savings, waste, totals, name).value),
        ("host_parts", .list(HostsTable.parts.map { .text($0) })),
        ("hosts", HostsTable(totals: totals, name: name).table.value), ("apis", apis.table.value),
        ("timeline", timeline), ("steps", steps.value), ("waits", waits), ("exchanges", exchanges(apis).value),
        ("connections", connections.value), ("pairs", pairs.value), ("clients", clients.value),
        ("websockets", webSockets.value),
        ("content_types", contentTypes.value), ("statuses", statuses.value),
      ] + wasted + [
        ("redirects", outcomes(figures.savings.redirects).value), ("errors", outcomes(figures.savings.errors).value),
        ("ledger", ledger.value), ("anomalies", anomalies.value),
        ("comparisons", .list(comparisons.map { value($0) })),
      ] + (live.map { [("live", $0.value)] } ?? []))
  }

  /// Files by the last parts of their names, without the folders of the person who made the page.
  private func fileNames(_ paths: [String]) -> [PageValue] {
    paths.map { .text(name.text(Array(FileName.split($0).name.utf8))) }
  }

  /// The words of a command that names the same APIs; null where it would need a file of patterns, or names that are hashed.
  private var commandOptions: PageValue {
    guard redaction == nil, !choices.template.contains("patterns") else { return .null }
    let words =
      (choices.template.isEmpty ? [] : ["--template"]) + choices.options.split(separator: " ").map(String.init)
      + (choices.filter.isEmpty ? [] : ["--filter", choices.filter])
    return .list(words.map { .text($0) })
  }

  // MARK: Totals

  private func summary(_ sums: APITotals, _ parts: MessageParts) -> PageValue {
    let unsure = UnsureOctets(totals)
    let traffic = SecureTraffic(totals, redaction: redaction)
    let span = totals.span
    return .object([
      // In a script's numbers milliseconds since the epoch are exact, nanoseconds are not.
      ("start", start == 0 ? .null : .milliseconds(start)),
      ("duration", figures.earliest <= figures.latest ? .milliseconds(figures.latest &- figures.earliest) : .null),
      ("first_packet", span.map { .milliseconds($0.lowerBound) } ?? .null),
      ("span", span.map { .milliseconds($0.upperBound &- $0.lowerBound) } ?? .null),
      ("original", .integer(totals.ledger.original)), ("difference", .integer(totals.ledger.difference)),
      // In a live run, octets without a class are not an error.
      ("pending", .integer(totals.ledger.pending)),
      ("packets", .integer(totals.ledger.packets)), ("dropped", .integer(totals.ledger.droppedPackets)),
      ("truncated", .integer(totals.ledger.truncatedPackets)), ("missing", .integer(totals.ledger.missing)),
      ("inferred", .integer(unsure.inferred)), ("unknown", .integer(unsure.unknown)),
      ("messages", .integer(figures.messages)), ("without_parts", .integer(figures.messagesWithoutParts)),
      ("requests", .integer(sums.requests)), ("responses", .integer(sums.responses)),
      ("connections", .integer(figures.connections.count)), ("setup", .integer(figures.setup)),
      ("teardown", .integer(figures.teardown)), ("unattributed", .integer(figures.unattributed)),
      ("status_4xx", .integer(sums.status4xx)), ("status_5xx", .integer(sums.status5xx)),
      ("wait_ms_p50", .milliseconds(figures.wait.percentile(50))),
      ("wait_ms_p95", .milliseconds(figures.wait.percentile(95))), ("redacted", .flag(redaction != nil)),
      ("up", .list(parts.octets(sums.request).map { .integer($0) })),
      ("down", .list(parts.octets(sums.response).map { .integer($0) })),
      ("closed", .list((traffic.map { [$0.finding, $0.advice] } ?? []).map { .text($0) })),
    ])
  }

  private var timeline: PageValue {
    guard let timeline = PageTimeline(totals.timeline) else { return .null }
    let parts = PageTimeline.parts.indices
    return .object(
      [
        ("start", .milliseconds(timeline.start &- start)), ("width", .milliseconds(timeline.width)),
        ("parts", .list(parts.map { .text(PageTimeline.parts[$0].name) })),
      ]
        + OctetDirection.allCases.map { direction in
          (
            direction == .unknown ? "unknown" : direction.name,
            .list(
              parts.map { part in
                let octets = timeline.octets[direction.rawValue][part]
                return .list(octets.allSatisfy { $0 == 0 } ? [] : octets.map { .integer($0) })
              })
          )
        })
  }

  /// The wait phases of exchanges: exact counts by steps, and percentiles.
  private var waits: PageValue {
    .object([
      ("limits", .list(WaitHistogram.limits.map { .milliseconds($0) })),
      ("counts", .list(figures.waits.counts.map { .integer($0) })),
      (
        "percentiles",
        .list(
          [50, 75, 90, 95, 99, 100].map { .list([.integer(Int($0)), .milliseconds(figures.wait.percentile($0))]) })
      ),
    ])
  }

  private var ledger: PageTable {
    PageTable(["class", "bytes"], LedgerRow.rows(totals.ledger).map { [.text($0.name), .integer($0.value)] })
  }

  private var anomalies: PageTable {
    PageTable(
      ["name", "count", "first", "connection", "example", "explanation"],
      totals.anomalies.all.map { anomaly, count in
        [
          // The first anomaly may come from a packet before the first message.
          .text(anomaly.rawValue), .integer(count.count), .milliseconds(count.firstTime &- start),
          count.firstConnection == 0 ? .null : .integer(count.firstConnection),
          redaction == nil && !count.example.isEmpty ? .text(TextEscaping.string(count.example)) : .null,
          .text(AnomalyExplanation(anomaly).text),
        ]
      })
  }
}
