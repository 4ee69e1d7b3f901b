/// The length of header sections as HPACK (RFC 7541) would encode them: one direction of a connection, with its dynamic table.
///
/// An encoder is free in its choices. This one chooses as nghttp2 does, which curl and many servers use. It takes an index where name
/// and value are in a table. It adds other fields to the dynamic table, except those whose values seldom return. It takes the
/// Huffman code where that is shorter. The dynamic table has its first size, 4,096 octets.
package struct FieldCompression: Sendable {
  /// The size of the dynamic table in octets, as RFC 7541 section 4.1 counts it.
  static let tableSize = 4096
  /// Octets that an entry counts beside its text.
  private static let entryOverhead = 32

  private struct Entry {
    let name: String
    let value: String
    var size: Int { name.utf8.count + value.utf8.count + entryOverhead }
  }

  /// The dynamic table, oldest first.
  private var entries: [Entry] = []
  private var size = 0

  /// A direction of a new connection.
  package init() {}

  /// Fields whose values seldom return.
  private static let passing: Set<String> = [
    ":path", "age", "content-length", "etag", "if-modified-since", "if-none-match", "location", "set-cookie",
  ]
  /// Fields that stay out of the table when they are short, because a short secret can be guessed (section 7.1.3).
  private static let secret: Set<String> = ["authorization", "cookie"]

  private static let staticFields: [String: [String: Int]] = {
    var found: [String: [String: Int]] = [:]
    for (index, field) in HPACKTables.fields.enumerated() { found[field.name, default: [:]][field.value] = index + 1 }
    return found
  }()
  private static let staticNames: [String: Int] = {
    var found: [String: Int] = [:]
    for (index, field) in HPACKTables.fields.enumerated() where found[field.name] == nil {
      found[field.name] = index + 1
    }
    return found
  }()

  /// Servers that leave the dynamic table empty, by the beginning of their Server field.
  private static let tableless = ["nginx", "openresty", "tengine"]
  /// The names for which they send an index.
  private static let namesByIndex: Set<String> = [
    "content-length", "content-type", "date", "last-modified", "location", "server", "vary",
  ]

  /// Fields of HTTP/1.1 that a request or response of HTTP/2 has no more (RFC 9113, sections 8.2.2 and 8.3.1).
  private static let connectionFields: Set<String> = [
    "connection", "host", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade",
  ]

  /// The octets of a request's field block. Fields have HTTP/1.1's spelling, and `target` is in origin-form.
  package mutating func request(
    method: String, scheme: String, authority: String, target: String, fields: [(name: String, value: String)]
  ) -> Int {
    octets(of: [(":method", method), (":path", target), (":scheme", scheme), (":authority", authority)])
      + octets(of: Self.lowered(fields))
  }

  /// The octets of a response's field block. Fields have HTTP/1.1's spelling. nginx and its kin use no dynamic table, so a Server
  /// field with their name decides.
  package mutating func response(status: Int, fields: [(name: String, value: String)]) -> Int {
    let fields = [(name: ":status", value: String(status))] + Self.lowered(fields)
    let server = fields.first { $0.name == "server" }?.value.lowercased() ?? ""
    guard Self.tableless.contains(where: server.hasPrefix) else { return octets(of: fields) }
    return fields.reduce(0) { $0 + Self.octetsWithoutTable(of: $1.name, $1.value) }
  }

  /// The octets of a field as nginx sends it: an index for a common status, and for some names. Other names are sent as text, and
  /// numbers without the Huffman code.
  private static func octetsWithoutTable(of name: String, _ value: String) -> Int {
    if name == ":status" { return staticFields[name]?[value] == nil ? 1 + integer(3, prefix: 7) + 3 : 1 }
    let start = namesByIndex.contains(name) ? 1 : 1 + string(name)
    return start + (name == "content-length" ? integer(value.utf8.count, prefix: 7) + value.utf8.count : string(value))
  }

  private static func lowered(_ fields: [(name: String, value: String)]) -> [(name: String, value: String)] {
    fields.map { ($0.name.lowercased(), $0.value) }.filter { !connectionFields.contains($0.0) }
  }

  /// The octets of a field block. Names are in lower case, pseudo-header fields first.
  package mutating func octets(of fields: [(name: String, value: String)]) -> Int {
    fields.reduce(0) { $0 + octets(of: $1.name, $1.value) }
  }

  private mutating func octets(of name: String, _ value: String) -> Int {
    if Self.staticFields[name]?[value] != nil { return 1 }
    if let place = entries.lastIndex(where: { $0.name == name && $0.value == value }) {
      return Self.integer(index(of: place), prefix: 7)
    }
    let named = Self.staticNames[name] ?? entries.lastIndex { $0.name == name }.map(index)
    let entry = Entry(name: name, value: value)
    let isKept =
      !Self.passing.contains(name) && !(Self.secret.contains(name) && value.utf8.count < 20)
      && entry.size <= Self.tableSize * 3 / 4
    let start = Self.integer(named ?? 0, prefix: isKept ? 6 : 4) + (named == nil ? Self.string(name) : 0)
    if isKept { keep(entry) }
    return start + Self.string(value)
  }

  /// The index of an entry: the newest one follows the static table.
  private func index(of place: Int) -> Int { HPACKTables.fields.count + entries.count - place }

  private mutating func keep(_ entry: Entry) {
    entries.append(entry)
    size += entry.size
    while size > Self.tableSize { size -= entries.removeFirst().size }
  }

  /// The octets of an integer whose first octet has this many bits for it (section 5.1).
  static func integer(_ value: Int, prefix: Int) -> Int {
    var rest = value - ((1 << prefix) - 1)
    if rest < 0 { return 1 }
    var octets = 2
    while rest >= 128 {
      rest >>= 7
      octets += 1
    }
    return octets
  }

  /// The octets of a string with its length (section 5.2).
  static func string(_ text: String) -> Int {
    let bits = text.utf8.reduce(0) { $0 + Int(HPACKTables.codeLengths[Int($1)]) }
    let shorter = min((bits + 7) / 8, text.utf8.count)
    return integer(shorter, prefix: 7) + shorter
  }
}
