import HTTPReassembly

/// The APIs with the most octets, and the sums of the others.
struct APIsTable {
  let totals: Totals
  let grouping: Configuration.Grouping
  let name: PageName

  /// The sums over all APIs, shown or not.
  var sums: APITotals { totals.apis.reduce(into: APITotals()) { Self.add($1, to: &$0) } }

  /// The table.
  var table: PageTable {
    let apis = APIRow.sorted(totals, redaction: name.redaction)
    // Sorting is not stable by contract; ties stay in the order of the CSV file.
    let order = apis.indices.sorted { a, b in
      let (mine, other) = (Self.octets(apis[a]), Self.octets(apis[b]))
      return mine == other ? a < b : mine > other
    }
    let hidden = order.dropFirst(PageLimits.apis)
    var rest: [PageValue]?
    if !hidden.isEmpty {
      let sums = hidden.reduce(into: APITotals()) { Self.add(apis[$1], to: &$0) }
      rest = names.map { _ in .null } + figures(sums) + [.null, .null, .integer(Self.saved(sums))]
    }
    let directions = ["up", "down"].flatMap { direction in parts.names.map { "\(direction)_\($0)" } }
    return PageTable(
      names + ["requests", "responses"] + directions + [
        "decoded_body", "missing", "inferred", "status_4xx", "status_5xx", "wait_ms_p50", "wait_ms_p95",
        "saved",
      ],
      order.prefix(PageLimits.apis).map { index in
        let api = apis[index]
        return texts(api) + figures(api) + [
          .milliseconds(api.wait.percentile(50)), .milliseconds(api.wait.percentile(95)), .integer(Self.saved(api)),
        ]
      }, total: apis.count, rest: rest)
  }

  private var names: [String] { ["host", "path"] + (grouping.method ? ["method"] : []) }

  private func texts(_ api: APITotals) -> [PageValue] {
    let method: [PageValue] = grouping.method ? [.text(name.text(totals.texts.octets(api.method)))] : []
    return [.text(name.host(totals.texts.octets(api.host))), .text(name.path(totals.texts.octets(api.path)))] + method
  }

  private func figures(_ api: APITotals) -> [PageValue] {
    let counts = [api.requests, api.responses] + parts.octets(api.request) + parts.octets(api.response)
    let further = [api.response.decodedBody, api.missing, api.inferred, api.status4xx, api.status5xx]
    return (counts + further).map { .integer($0) }
  }

  /// What messages are made of here.
  var parts: MessageParts {
    MessageParts(hasControl: totals.ledger[.control] > 0, hasTLS: totals.ledger.tlsRecord > 0)
  }

  /// Octets that field compression keeps off the wire.
  private static func saved(_ api: APITotals) -> Int {
    api.request.savedByCompression + api.response.savedByCompression
  }

  private static func octets(_ api: APITotals) -> Int { api.request.ipLength + api.response.ipLength }

  private static func add(_ api: APITotals, to sums: inout APITotals) {
    sums.requests += api.requests
    sums.responses += api.responses
    add(api.request, to: &sums.request)
    add(api.response, to: &sums.response)
    sums.missing += api.missing
    sums.inferred += api.inferred
    sums.status4xx += api.status4xx
    sums.status5xx += api.status5xx
  }

  private static func add(_ octets: APIOctets, to sums: inout APIOctets) {
    sums.octets.startLine += octets.octets.startLine
    sums.octets.header += octets.octets.header
    sums.octets.body += octets.octets.body
    sums.octets.framing += octets.octets.framing
    sums.octets.trailer += octets.octets.trailer
    sums.decodedBody += octets.decodedBody
    sums.retransmitted += octets.retransmitted
    sums.overhead += octets.overhead
    sums.control += octets.control
    sums.tls += octets.tls
    sums.expandedHeader += octets.expandedHeader
    sums.compressedHeader += octets.compressedHeader
  }
}

/// What the octets of an API's messages are, in the order of the page's bars.
struct MessageParts {
  /// Whether frames that carry neither fields nor content are among them, as in HTTP/2.
  let hasControl: Bool
  /// Whether TLS was opened, and what its records have beside the messages' octets is among them.
  let hasTLS: Bool

  /// The names, as the ledger and the CSV files have them.
  var names: [String] {
    ["start_line", "header", "body", "framing", "trailer", "overhead", "retransmitted"]
      + (hasControl ? ["control"] : []) + (hasTLS ? ["tls"] : [])
  }

  /// The octets of one direction; their sum is its `ip_bytes`.
  func octets(_ api: APIOctets) -> [Int] {
    let octets = api.octets
    return [
      octets.startLine, octets.header, octets.body, octets.framing, octets.trailer, api.overhead, api.retransmitted,
    ] + (hasControl ? [api.control] : []) + (hasTLS ? [api.tls] : [])
  }
}
