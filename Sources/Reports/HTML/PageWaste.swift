import HTTPReassembly

/// Octets that repeat, or that could be fewer, from the tables of fields and contents, summed for the page.
struct PageWaste {
  /// A field in one direction.
  private struct FieldName: Hashable {
    var name: [UInt8]
    var isRequest: Bool
  }

  /// Figures of a field. Lengths are octets on the wire.
  struct Field {
    var name: [UInt8]
    var isRequest: Bool
    /// Empty when the figures are for all hosts.
    var host = ""
    var messages = 0
    var octets = 0
    /// Octets that repeat the field's value in the message before.
    var repeated = 0

    mutating func add(_ field: FieldTotals) {
      messages += field.messages
      octets += field.octets
      repeated += field.repeatedOctets
    }

    var isCookie: Bool { name == Array("cookie".utf8) || name == Array("set-cookie".utf8) }
  }

  /// Figures of one direction of an API's contents. Lengths are octets of content as transferred.
  struct Content {
    var host: String
    var path: String
    var isRequest: Bool
    var count: Int
    var octets: Int
    /// The estimated saving of gzip.
    var saved = 0
  }

  /// Fields by name and direction, most octets first.
  let fields: [Field]
  /// Cookies by host and direction, most octets first.
  let cookies: [Field]
  /// Contents without coding that gzip would make smaller, largest saving first.
  let uncompressed: [Content]
  /// Contents that the same client had transferred for the same URL before, most octets first.
  let repeated: [Content]
  /// Contents that are new for their URL, and that the same client had transferred for another one, most octets first.
  let elsewhere: [Content]
  /// The number of contents, and their octets.
  let contents: (count: Int, octets: Int)
  /// Answers that nothing was modified, the number of them whose content was sent before, and that content's octets.
  let notModified: (count: Int, known: Int, saved: Int)
  /// Octets of contents without coding for which no estimate was made.
  let notEstimated: Int

  init(_ totals: Totals, _ name: PageName) {
    var fields: [FieldName: Field] = [:]
    var cookies: [String: Field] = [:]
    for field in totals.fields {
      let new = Field(name: field.name, isRequest: field.isRequest)
      fields[FieldName(name: field.name, isRequest: field.isRequest), default: new].add(field)
      guard new.isCookie else { continue }
      let host = name.host(totals.texts.octets(field.host))
      var ofHost = new
      ofHost.host = host
      cookies[(field.isRequest ? "up " : "down ") + host, default: ofHost].add(field)
    }
    self.fields = Self.sorted(fields.values)
    self.cookies = Self.sorted(cookies.values)

    var uncompressed: [Content] = []
    var repeated: [Content] = []
    var elsewhere: [Content] = []
    var notEstimated = 0
    for content in totals.contents
    where content.uncodedOctets > 0 || content.repeated > 0 || content.repeatedElsewhere > 0 {
      func row(_ count: Int, _ octets: Int) -> Content {
        Content(
          host: name.host(totals.texts.octets(content.host)), path: name.path(totals.texts.octets(content.path)),
          isRequest: content.isRequest, count: count, octets: octets)
      }
      if let estimate = content.gzipEstimate {
        var plain = row(content.uncoded, content.uncodedOctets)
        plain.saved = content.uncodedOctets - estimate
        if plain.saved > 0 { uncompressed.append(plain) }
      } else {
        notEstimated += content.uncodedOctets
      }
      if content.repeated > 0 { repeated.append(row(content.repeated, content.repeatedOctets)) }
      if content.repeatedElsewhere > 0 {
        elsewhere.append(row(content.repeatedElsewhere, content.repeatedElsewhereOctets))
      }
    }
    self.uncompressed = Self.sorted(uncompressed, \.saved)
    self.repeated = Self.sorted(repeated, \.octets)
    self.elsewhere = Self.sorted(elsewhere, \.octets)
    self.notEstimated = notEstimated
    contents = totals.contents.reduce((0, 0)) { ($0.0 + $1.contents, $0.1 + $1.octets) }
    notModified = totals.contents.reduce((0, 0, 0)) {
      ($0.0 + $1.notModified, $0.1 + $1.knownNotModified, $0.2 + $1.savedOctets)
    }
  }

  private static func sorted(_ fields: some Collection<Field>) -> [Field] {
    fields.sorted { a, b in
      if a.octets != b.octets { return a.octets > b.octets }
      if a.name != b.name { return a.name.lexicographicallyPrecedes(b.name) }
      return a.host == b.host ? !a.isRequest && b.isRequest : a.host < b.host
    }
  }

  /// The largest first; equal ones keep the order of APIs.
  private static func sorted(_ contents: [Content], _ size: (Content) -> Int) -> [Content] {
    contents.indices.sorted { a, b in
      let (mine, other) = (size(contents[a]), size(contents[b]))
      return mine == other ? a < b : mine > other
    }.map { contents[$0] }
  }
}
