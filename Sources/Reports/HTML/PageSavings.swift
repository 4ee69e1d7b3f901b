import HTTPReassembly

/// The largest possible savings, by octets: the page's first list.
struct PageSavings {
  /// One cost in octets, and the rows behind it.
  struct Saving {
    /// Its identifier; the page's script has the sentence.
    let id: String
    /// Its name for people.
    var title: String { PageSavings.titles[id] ?? id }
    /// Its octets.
    let octets: Int
    /// The number of its occurrences.
    let count: Int
    /// Whether the octets are estimated; else they were counted.
    var isEstimate = false
    /// Octets of the whole that it is a part of; nil where that is not useful.
    var whole: Int?
    /// The largest rows behind it.
    var rows: [(host: String, path: String, octets: Int, count: Int)]
    /// The number of all rows; nil when it exceeds the kept ones.
    var rowCount: Int?
  }

  /// The names of savings by their identifiers.
  private static let titles = [
    "again": "Same content transferred again", "elsewhere": "Same content under different URLs",
    "fields": "Header fields that repeat", "cookies": "Cookies that repeat",
    "gzip": "Contents that gzip would make smaller", "retransmissions": "Bytes retransmitted by TCP or QUIC",
    "connections": "Connections beyond the first", "redirects": "Redirections", "errors": "Failed exchanges",
  ]

  /// The savings with octets, most first.
  let savings: [Saving]

  init(_ figures: SavingFigures, _ waste: PageWaste, _ totals: Totals, _ name: PageName) {
    savings = [
      Self.fields(waste, name), Self.cookies(waste, name),
      Self.contents("gzip", waste.uncompressed, isEstimate: true, \.saved),
      Self.contents("again", waste.repeated, isEstimate: false, \.octets),
      Self.contents("elsewhere", waste.elsewhere, isEstimate: false, \.octets), Self.retransmissions(totals, name),
      Self.connections(figures, name), Self.outcomes("redirects", figures.redirects),
      Self.outcomes("errors", figures.errors),
    ].filter { $0.octets > 0 }.enumerated().sorted { a, b in
      a.element.octets == b.element.octets ? a.offset < b.offset : a.element.octets > b.element.octets
    }.map(\.element)
  }

  private static func fields(_ waste: PageWaste, _ name: PageName) -> Saving {
    let rows = waste.fields.filter { $0.repeated > 0 && !$0.isCookie }.sorted { $0.repeated > $1.repeated }
    return Saving(
      id: "fields", octets: rows.reduce(0) { $0 + $1.repeated }, count: rows.count,
      whole: waste.fields.filter { !$0.isCookie }.reduce(0) { $0 + $1.octets },
      rows: rows.prefix(PageLimits.savingRows).map {
        ("", name.text($0.name) + ($0.isRequest ? " (up)" : " (down)"), $0.repeated, $0.messages)
      }, rowCount: rows.count)
  }

  private static func cookies(_ waste: PageWaste, _ name: PageName) -> Saving {
    let rows = waste.cookies.filter { $0.repeated > 0 }.sorted { $0.repeated > $1.repeated }
    return Saving(
      id: "cookies", octets: rows.reduce(0) { $0 + $1.repeated }, count: rows.count,
      whole: waste.cookies.reduce(0) { $0 + $1.octets },
      rows: rows.prefix(PageLimits.savingRows).map {
        ($0.host, " " + name.text($0.name), $0.repeated, $0.messages)
      }, rowCount: rows.count)
  }

  private static func contents(
    _ id: String, _ rows: [PageWaste.Content], isEstimate: Bool, _ size: (PageWaste.Content) -> Int
  ) -> Saving {
    Saving(
      id: id, octets: rows.reduce(0) { $0 + size($1) }, count: rows.reduce(0) { $0 + $1.count },
      isEstimate: isEstimate, whole: isEstimate ? rows.reduce(0) { $0 + $1.octets } : nil,
      rows: rows.prefix(PageLimits.savingRows).map { ($0.host, $0.path, size($0), $0.count) }, rowCount: rows.count)
  }

  private static func retransmissions(_ totals: Totals, _ name: PageName) -> Saving {
    let rows = totals.hosts.filter { $0.retransmitted > 0 }.sorted { $0.retransmitted > $1.retransmitted }
    return Saving(
      id: "retransmissions", octets: totals.ledger[.retransmitted], count: rows.count,
      rows: rows.prefix(PageLimits.savingRows).map {
        (name.host(totals.texts.octets($0.host)), "", $0.retransmitted, $0.connections.total)
      }, rowCount: rows.count)
  }

  private static func connections(_ figures: SavingFigures, _ name: PageName) -> Saving {
    let rows = figures.sortedPairs.filter { $0.figures.beyondFirst > 0 }
    return Saving(
      id: "connections", octets: rows.reduce(0) { $0 + $1.figures.beyondFirst },
      count: rows.reduce(0) { $0 + $1.figures.reusable - 1 }, isEstimate: true,
      whole: rows.reduce(0) { $0 + $1.figures.octets } + figures.pairs.others.octets,
      rows: rows.prefix(PageLimits.savingRows).map { pair, row in
        (
          pair.host.isEmpty ? name.endpoint(pair.server) : pair.host, " from \(name.address(pair.client))",
          row.beyondFirst, row.reusable
        )
      }, rowCount: figures.pairs.hasOthers ? nil : rows.count)
  }

  private static func outcomes(_ id: String, _ added: AddedRows<ShownAPI, AddedFigures>) -> Saving {
    let rows = added.rows.sorted { a, b in
      a.value.octets == b.value.octets ? a.key < b.key : a.value.octets > b.value.octets
    }
    return Saving(
      id: id, octets: rows.reduce(0) { $0 + $1.value.octets } + added.others.octets,
      count: rows.reduce(0) { $0 + $1.value.count } + added.others.count,
      rows: rows.prefix(PageLimits.savingRows).map { ($0.key.host, $0.key.path, $0.value.octets, $0.value.count) },
      rowCount: added.hasOthers ? nil : rows.count)
  }

  /// The list as the page's script reads it.
  var value: PageValue {
    .list(
      savings.map { saving in
        .object([
          ("id", .text(saving.id)), ("title", .text(saving.title)), ("bytes", .integer(saving.octets)),
          ("count", .integer(saving.count)),
          ("estimate", .flag(saving.isEstimate)), ("whole", .optional(saving.whole)),
          (
            "rows",
            .list(
              saving.rows.map { .list([.text($0.host), .text($0.path), .integer($0.octets), .integer($0.count)]) })
          ), ("total", .optional(saving.rowCount)),
        ])
      })
  }
}

extension SavingFigures {
  /// Clients, servers and hosts; those with the highest cost beyond the first connection come first.
  var sortedPairs: [(pair: AddressPair, figures: PairFigures)] {
    pairs.rows.map { (pair: $0.key, figures: $0.value) }.sorted { a, b in
      if a.figures.beyondFirst != b.figures.beyondFirst { return a.figures.beyondFirst > b.figures.beyondFirst }
      if a.pair.client != b.pair.client { return a.pair.client.isBefore(b.pair.client) }
      if a.pair.server.address != b.pair.server.address {
        return a.pair.server.address.isBefore(b.pair.server.address)
      }
      if a.pair.server.port != b.pair.server.port { return a.pair.server.port < b.pair.server.port }
      return a.pair.host < b.pair.host
    }
  }
}

extension IPAddress {
  /// The order of addresses by their octets.
  func isBefore(_ other: IPAddress) -> Bool { high == other.high ? low < other.low : high < other.high }
}
