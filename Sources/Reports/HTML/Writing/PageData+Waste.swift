extension PageData {
  /// Fields by name and direction, those with the most repeated octets first.
  var fields: PageTable {
    PageTable(
      ["direction", "name"], ["lines", "bytes", "repeated_lines", "repeated_bytes"], figures.fields, weight: \.octets,
      name: { field in
        let name = fieldNames.names[field.number]
        return [.text(field.isRequest ? "up" : "down"), name.isEmpty ? .null : .text(self.name.text(name))]
      },
      figures: { [.integer($0.count), .integer($0.octets), .integer($0.partCount), .integer($0.partOctets)] })
  }

  /// What content codings achieved.
  var codings: PageTable {
    let sorted = figures.codings.rows.sorted { a, b in
      a.value.octets == b.value.octets ? a.key < b.key : a.value.octets > b.value.octets
    }
    return PageTable(
      ["coding", "messages", "bytes", "decoded_messages", "coded_bytes", "decoded_bytes"],
      sorted.map { [.text($0.key)] + Self.values($0.value) },
      rest: figures.codings.hasOthers ? [.null] + Self.values(figures.codings.others) : nil)
  }

  private static func values(_ coding: CodingFigures) -> [PageValue] {
    [coding.messages, coding.octets, coding.decodedMessages, coding.codedOctets, coding.decodedOctets]
      .map { .integer($0) }
  }

  /// Content without coding, by what gzip would have saved.
  var uncompressed: PageTable {
    PageTable(
      ["direction", "host", "path"], ["messages", "bytes", "compressible_messages", "saved_bytes"],
      figures.uncompressed, weight: \.partOctets,
      name: { [.text($0.isRequest ? "up" : "down"), .text($0.host), .text($0.path)] },
      figures: { [.integer($0.count), .integer($0.octets), .integer($0.partCount), .integer($0.partOctets)] })
  }

  /// Contents that the same place had sent before.
  var repeated: PageTable {
    PageTable(
      ["host", "path"], ["responses", "bytes"], figures.repeated, weight: \.octets,
      name: { [.text($0.host), .text($0.path)] }, figures: { [.integer($0.count), .integer($0.octets)] })
  }

  /// What came again of all contents that were fetched, and what was not fetched because it had not changed.
  var contents: PageValue {
    let contents = figures.contents
    return .object([
      ("responses", .integer(contents.count)), ("bytes", .integer(contents.octets)),
      ("repeated_responses", .integer(contents.partCount)), ("repeated_bytes", .integer(contents.partOctets)),
      ("not_modified", .integer(figures.notModified.count)),
      ("not_modified_bytes", .integer(figures.notModified.octets)),
    ])
  }
}
