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
    if capacity > 0 { instructions = Self.integer(capacity, prefix: 5, first: 0x20) }
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
    section.octets = Self.integer(encoded, prefix: 8, first: 0)
    section.octets +=
      base >= section.required
      ? Self.integer(base - section.required, prefix: 7, first: 0)
      : Self.integer(section.required - base - 1, prefix: 7, first: 0x80)
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
        return isWhole ? integer(index, prefix: 6, first: 0x80) : integer(index, prefix: 4, first: 0x40) + value
      }
      let index = place - base
      return isWhole ? integer(index, prefix: 4, first: 0x10) : integer(index, prefix: 3, first: 0) + value
    }
    if field.way == .staticTable {
      if let index = known.firstIndex(where: { $0.name == field.name && $0.value == field.value }) {
        return integer(known[index].index, prefix: 6, first: 0xc0)
      }
      if let index = known.firstIndex(where: { $0.name == field.name }) {
        return integer(known[index].index, prefix: 4, first: 0x50) + value
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
      instructions += Self.integer(inserted.count - 1 - same, prefix: 5, first: 0)
    } else if let index = find({ $0.name == name }) {
      instructions += Self.integer(inserted.count - 1 - index, prefix: 6, first: 0x80) + octets
    } else if let entry = Self.known.first(where: { $0.name == name }) {
      instructions += Self.integer(entry.index, prefix: 6, first: 0xc0) + octets
    } else {
      instructions += Self.string(name, prefix: 5, first: 0x40) + octets
    }
    inserted.append((name, value))
    return inserted.count - 1
  }

  static func integer(_ value: Int, prefix: Int, first: UInt8) -> [UInt8] {
    let mask = 1 << prefix - 1
    guard value >= mask else { return [first | UInt8(value)] }
    var octets = [first | UInt8(mask)]
    var rest = value - mask
    while rest >= 128 {
      octets.append(UInt8(rest & 127) | 128)
      rest >>= 7
    }
    return octets + [UInt8(rest)]
  }

  private static func string(_ text: String, prefix: Int, first: UInt8) -> [UInt8] {
    integer(text.utf8.count, prefix: prefix, first: first) + Array(text.utf8)
  }
}
