import HTTPReassembly

extension PageData {
  /// Fields by name and direction, most octets first.
  func fields(_ waste: PageWaste) -> PageTable {
    Self.table(["direction", "name"], ["messages", "bytes", "repeated_bytes"], waste.fields) { field in
      [.text(Self.direction(field.isRequest)), .text(name.text(field.name))]
    } figures: {
      [$0.messages, $0.octets, $0.repeated]
    }
  }

  /// Cookies by host and direction, most octets first.
  func cookies(_ waste: PageWaste) -> PageTable {
    Self.table(["direction", "host", "name"], ["messages", "bytes", "repeated_bytes"], waste.cookies) { field in
      [.text(Self.direction(field.isRequest)), .text(field.host), .text(name.text(field.name))]
    } figures: {
      [$0.messages, $0.octets, $0.repeated]
    }
  }

  /// Contents by API and direction; with `isEstimate`, also the octets that gzip would save.
  func contents(_ rows: [PageWaste.Content], isEstimate: Bool) -> PageTable {
    Self.table(
      ["direction", "host", "path"], ["contents", "bytes"] + (isEstimate ? ["saved_bytes"] : []), rows
    ) {
      [.text(Self.direction($0.isRequest)), .text($0.host), .text($0.path)]
    } figures: {
      [$0.count, $0.octets] + (isEstimate ? [$0.saved] : [])
    }
  }

  /// Repeated contents, and contents that were not fetched because they had not changed.
  func contents(_ waste: PageWaste) -> PageValue {
    .object([
      ("contents", .integer(waste.contents.count)), ("bytes", .integer(waste.contents.octets)),
      ("repeated_contents", .integer(waste.repeated.reduce(0) { $0 + $1.count })),
      ("repeated_bytes", .integer(waste.repeated.reduce(0) { $0 + $1.octets })),
      ("elsewhere_contents", .integer(waste.elsewhere.reduce(0) { $0 + $1.count })),
      ("elsewhere_bytes", .integer(waste.elsewhere.reduce(0) { $0 + $1.octets })),
      ("not_modified", .integer(waste.notModified.count)),
      ("known_not_modified", .integer(waste.notModified.known)),
      ("not_modified_saved_bytes", .integer(waste.notModified.saved)),
      ("not_estimated_bytes", .integer(waste.notEstimated)),
    ])
  }

  /// The savings of content codings.
  var codings: PageTable {
    let sorted = figures.codings.rows.sorted { a, b in
      a.value.octets == b.value.octets ? a.key < b.key : a.value.octets > b.value.octets
    }
    return PageTable(
      ["coding", "messages", "bytes", "decoded_messages", "coded_bytes", "decoded_bytes"],
      sorted.map { [.text($0.key)] + Self.values($0.value) },
      rest: figures.codings.hasOthers ? [.null] + Self.values(figures.codings.others) : nil)
  }

  /// Messages with content by media type, most octets first.
  var contentTypes: PageTable {
    let types = figures.contentTypes
    var rows = zip(types.names.indices, types.figures).map { number, figures in
      (name: number == 0 ? "(others)" : name.text(types.names[number]), figures: figures)
    }
    rows.append(("(no content type)", types.untyped))
    let order = rows.indices.filter { rows[$0].figures.octets > 0 }.sorted { a, b in
      let (first, second) = (rows[a].figures.octets, rows[b].figures.octets)
      return first == second ? a < b : first > second
    }
    return Self.table(["type"], ["messages", "bytes", "decoded_bytes"], order.map { rows[$0] }) { row in
      [.text(row.name)]
    } figures: {
      [$0.figures.count, $0.figures.octets, $0.figures.partOctets]
    }
  }

  private static func values(_ coding: CodingFigures) -> [PageValue] {
    [coding.messages, coding.octets, coding.decodedMessages, coding.codedOctets, coding.decodedOctets]
      .map { .integer($0) }
  }

  private static func direction(_ isRequest: Bool) -> String { isRequest ? "up" : "down" }

  /// The first rows in their order, and the sums of the others.
  private static func table<Row>(
    _ names: [String], _ figureNames: [String], _ rows: [Row], name: (Row) -> [PageValue], figures: (Row) -> [Int]
  ) -> PageTable {
    let hidden = rows.dropFirst(PageLimits.rows)
    let rest = hidden.reduce(figureNames.map { _ in 0 }) { sums, row in zip(sums, figures(row)).map { $0 + $1 } }
    return PageTable(
      names + figureNames, rows.prefix(PageLimits.rows).map { name($0) + figures($0).map { .integer($0) } },
      total: rows.count, rest: hidden.isEmpty ? nil : names.map { _ in .null } + rest.map { .integer($0) })
  }
}
