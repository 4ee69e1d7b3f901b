import TestSupport

/// Writes field sections and the encoder stream of one direction (RFC 9204), and counts what it writes.
struct QPACKWriter {
  /// Octets of the encoder stream so far.
  private(set) var instructions: [UInt8] = []
  /// All fields that were ever inserted, with the sizes that they have in the table.
  private var inserted: [(name: String, value: String)] = []
  /// The size of them.
  private var size = 0
  private let capacity: Int

  /// - Parameter capacity: The size of the table in octets, which the other side's settings allow.
  init(capacity: Int) {
    self.capacity = capacity
    if capacity > 0 { instructions = HTTP2Writer.integer(capacity, 5, 0x20) }
  }

  /// How a field is written.
  enum Way: CaseIterable {
    case literal
    /// The whole field of the static table, or its name, where there is one.
    case staticTable
    /// A field of the dynamic table, which is inserted before if it is not there.
    case dynamicTable
    /// A name of the dynamic table, and a literal value.
    case dynamicName
  }

  /// A field section and the octets of its parts.
  struct Section {
    var octets: [UInt8] = []
    /// Octets of the pseudo-header fields' representations.
    var pseudo = 0
    /// Octets of all else.
    var other = 0
    /// The number of fields that must have been inserted.
    var required = 0
  }

  /// Writes a section of fields. The base of its indices is `baseOffset` beyond the number of insertions that it needs.
  mutating func section(_ fields: [(name: String, value: String, way: Way)], baseOffset: Int = 0) -> Section {
    var places: [Int?] = []
    var section = Section()
    for field in fields {
      var place: Int?
      switch field.way {
      case .dynamicTable: place = find { $0 == (field.name, field.value) } ?? insert(field.name, field.value)
      case .dynamicName: place = find { $0.name == field.name } ?? insert(field.name, "another value")
      default: break
      }
      places.append(place)
      if let place { section.required = max(section.required, place + 1) }
    }
    let base = max(section.required + baseOffset, 0)
    let entries = capacity / 32
    let encoded = section.required == 0 ? 0 : section.required % (2 * entries) + 1
    section.octets = HTTP2Writer.integer(encoded, 8, 0)
    section.octets +=
      base >= section.required
      ? HTTP2Writer.integer(base - section.required, 7, 0)
      : HTTP2Writer.integer(section.required - base - 1, 7, 0x80)
    section.other = section.octets.count
    for (field, place) in zip(fields, places) {
      let octets = Self.representation(field, place, base)
      section.octets += octets
      if field.name.hasPrefix(":") { section.pseudo += octets.count } else { section.other += octets.count }
    }
    return section
  }

  private static func representation(
    _ field: (name: String, value: String, way: Way), _ place: Int?, _ base: Int
  ) -> [UInt8] {
    let value = string(field.value, prefix: 7, first: 0)
    if let place {
      let isWhole = field.way == .dynamicTable
      if place < base {
        let index = base - 1 - place
        return isWhole ? HTTP2Writer.integer(index, 6, 0x80) : HTTP2Writer.integer(index, 4, 0x40) + value
      }
      let index = place - base
      return isWhole ? HTTP2Writer.integer(index, 4, 0x10) : HTTP2Writer.integer(index, 3, 0) + value
    }
    if field.way == .staticTable {
      if let index = known.firstIndex(where: { $0.name == field.name && $0.value == field.value }) {
        return HTTP2Writer.integer(known[index].index, 6, 0xc0)
      }
      if let index = known.firstIndex(where: { $0.name == field.name }) {
        return HTTP2Writer.integer(known[index].index, 4, 0x50) + value
      }
    }
    return string(field.name, prefix: 3, first: 0x20) + value
  }

  /// Some fields of the static table.
  private static let known: [(index: Int, name: String, value: String)] = [
    (0, ":authority", ""), (1, ":path", "/"), (4, "content-length", "0"), (15, ":method", "CONNECT"),
    (17, ":method", "GET"), (20, ":method", "POST"), (23, ":scheme", "https"), (24, ":status", "103"),
    (25, ":status", "200"), (27, ":status", "404"), (46, "content-type", "application/json"), (92, "server", ""),
    (95, "user-agent", ""),
  ]

  private func find(_ isFound: ((name: String, value: String)) -> Bool) -> Int? {
    inserted.indices.last { isFound(inserted[$0]) }
  }

  /// Inserts a field; nil without room. Nothing is evicted, because nobody acknowledges the sections that refer to it.
  private mutating func insert(_ name: String, _ value: String) -> Int? {
    let more = name.utf8.count + value.utf8.count + 32
    guard size + more <= capacity else { return nil }
    size += more
    let octets = Self.string(value, prefix: 7, first: 0)
    if let same = find({ $0 == (name, value) }) {
      instructions += HTTP2Writer.integer(inserted.count - 1 - same, 5, 0)
    } else if let index = find({ $0.name == name }) {
      instructions += HTTP2Writer.integer(inserted.count - 1 - index, 6, 0x80) + octets
    } else if let entry = Self.known.first(where: { $0.name == name }) {
      instructions += HTTP2Writer.integer(entry.index, 6, 0xc0) + octets
    } else {
      instructions += Self.string(name, prefix: 5, first: 0x40) + octets
    }
    inserted.append((name, value))
    return inserted.count - 1
  }

  private static func string(_ text: String, prefix: Int, first: UInt8) -> [UInt8] {
    HTTP2Writer.integer(text.utf8.count, prefix, first) + Array(text.utf8)
  }
}
