import HTTPReassembly

/// The APIs with the most octets, and the sums of the others.
struct APIsTable {
  let totals: Totals
  let grouping: Configuration.Grouping
  let name: PageName
  /// The parts of messages in this analysis.
  let parts: MessageParts

  init(totals: Totals, grouping: Configuration.Grouping, name: PageName) {
    self.totals = totals
    self.grouping = grouping
    self.name = name
    parts = MessageParts(totals.apis)
  }

  /// The sums over all APIs, shown or not.
  var sums: APITotals { totals.apis.reduce(into: APITotals()) { $0.add($1) } }

  /// The APIs, most octets first.
  private var sorted: [APITotals] {
    let apis = APIRow.sorted(totals, redaction: name.redaction)
    // Sorting is not stable by contract; equal APIs stay in the order of the CSV file.
    let order = apis.indices.sorted { a, b in
      let (mine, other) = (apis[a].ipLength, apis[b].ipLength)
      return mine == other ? a < b : mine > other
    }
    return order.map { apis[$0] }
  }

  /// The hashes of the shown APIs, in the table's order; exchanges know their APIs by them.
  var shownHashes: [Int] {
    sorted.prefix(PageLimits.apis).map { api in
      KeptExchanges.hash(
        host: totals.texts.octets(api.host), path: totals.texts.octets(api.path),
        method: totals.texts.octets(api.method), process: totals.texts.octets(api.process), grouping)
    }
  }

  /// The table.
  var table: PageTable {
    let apis = sorted
    let hidden = apis.dropFirst(PageLimits.apis)
    var rest: [PageValue]?
    if !hidden.isEmpty {
      let sums = hidden.reduce(into: APITotals()) { $0.add($1) }
      rest = names.map { _ in .null } + figures(sums) + [.null, .null, .integer(sums.savedByCompression)]
    }
    let directions = ["up", "down"].flatMap { direction in parts.names.map { "\(direction)_\($0)" } }
    return PageTable(
      names + ["requests", "responses"] + directions + [
        "decoded_body", "missing", "inferred", "status_4xx", "status_5xx", "wait_ms_p50", "wait_ms_p95",
        "saved",
      ],
      apis.prefix(PageLimits.apis).map { api in
        texts(api) + figures(api) + [
          .milliseconds(api.wait.percentile(50)), .milliseconds(api.wait.percentile(95)),
          .integer(api.savedByCompression),
        ]
      }, total: apis.count, rest: rest)
  }

  private var names: [String] {
    ["host", "path"] + (grouping.method ? ["method"] : []) + (grouping.process ? ["process"] : [])
  }

  private func texts(_ api: APITotals) -> [PageValue] {
    let method: [PageValue] = grouping.method ? [.text(name.text(totals.texts.octets(api.method)))] : []
    return [.text(name.host(totals.texts.octets(api.host))), .text(name.path(totals.texts.octets(api.path)))] + method
      + (grouping.process ? [.text(name.text(totals.texts.octets(api.process)))] : [])
  }

  private func figures(_ api: APITotals) -> [PageValue] {
    let counts = [api.requests, api.responses] + parts.octets(api.request) + parts.octets(api.response)
    let further = [api.response.decodedBody, api.missing, api.inferred, api.status4xx, api.status5xx]
    return (counts + further).map { .integer($0) }
  }
}

/// The parts of an API's messages, in the order of the page's bars.
struct MessageParts {
  /// Whether there are frames with neither fields nor content, as in HTTP/2.
  let hasControl: Bool
  /// Whether TLS or QUIC was opened, whose records or packets have octets besides the messages.
  let hasTLS: Bool
  /// Whether exchanges opened tunnels, as WebSocket does.
  let hasTunnels: Bool

  /// The parts that these APIs have.
  init(_ apis: [APITotals]) {
    func anyHas(_ figure: KeyPath<APIOctets, Int>) -> Bool {
      apis.contains { $0.request[keyPath: figure] > 0 || $0.response[keyPath: figure] > 0 }
    }
    hasControl = anyHas(\.control)
    hasTLS = anyHas(\.tls)
    hasTunnels = anyHas(\.tunnel)
  }

  /// The names, as in the ledger and the CSV files.
  var names: [String] {
    ["start_line", "header", "body", "framing", "trailer", "overhead", "retransmitted"]
      + (hasControl ? ["control"] : []) + (hasTLS ? ["tls"] : []) + (hasTunnels ? ["tunnel"] : [])
  }

  /// The octets of one direction; their sum is its `ip_bytes`.
  func octets(_ api: APIOctets) -> [Int] {
    let octets = api.octets
    return [
      octets.startLine, octets.header, octets.body, octets.framing, octets.trailer, api.overhead, api.retransmitted,
    ] + (hasControl ? [api.control] : []) + (hasTLS ? [api.tls] : []) + (hasTunnels ? [api.tunnel] : [])
  }
}
