/// Writes what one side of an HTTP/2 connection sends: its frames (RFC 9113 §4), and its field blocks with a dynamic table of its
/// own (RFC 7541).
package struct HTTP2Writer: Sendable {
  package static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  /// Fields in the order in which they were inserted, the latest first.
  private var table: [(name: String, value: String)] = []
  /// Whether fields are inserted into the table.
  package var isIndexing = true
  /// The size of the table in octets.
  private var tableSize = 4096

  package init() {}

  // MARK: Frames

  package static func frame(_ type: UInt8, flags: UInt8 = 0, stream: UInt32, _ payload: [UInt8] = []) -> [UInt8] {
    let length = payload.count
    return [UInt8(length >> 16 & 0xff), UInt8(length >> 8 & 0xff), UInt8(length & 0xff), type, flags] + octets(stream)
      + payload
  }

  package static func octets(_ number: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(number >> UInt32(24 - 8 * $0) & 0xff) }
  }

  package static func settings(_ parameters: [(UInt16, UInt32)] = []) -> [UInt8] {
    frame(4, stream: 0, parameters.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 0xff)] + octets($0.1) })
  }

  package static var settingsAcknowledgment: [UInt8] { frame(4, flags: 1, stream: 0) }

  package static func data(_ stream: UInt32, _ content: [UInt8], ends: Bool = false, padding: Int? = nil) -> [UInt8] {
    let end: UInt8 = ends ? 1 : 0
    guard let padding else { return frame(0, flags: end, stream: stream, content) }
    return frame(0, flags: end | 8, stream: stream, [UInt8(padding)] + content + [UInt8](repeating: 0, count: padding))
  }

  package static func windowUpdate(_ stream: UInt32) -> [UInt8] { frame(8, stream: stream, octets(1000)) }
  package static func reset(_ stream: UInt32) -> [UInt8] { frame(3, stream: stream, octets(8)) }

  /// HEADERS, and CONTINUATION for each further part of the block.
  package static func headers(
    _ stream: UInt32, _ block: [UInt8], ends: Bool = false, parts: Int = 1, padding: Int? = nil,
    hasPriority: Bool = false
  ) -> [UInt8] {
    let size = max((block.count + parts - 1) / parts, 1)
    var pieces = stride(from: 0, to: block.count, by: size).map { Array(block[$0..<min($0 + size, block.count)]) }
    if pieces.isEmpty { pieces = [[]] }
    var result: [UInt8] = []
    for (index, piece) in pieces.enumerated() {
      let last: UInt8 = index == pieces.count - 1 ? 4 : 0
      if index > 0 {
        result += frame(9, flags: last, stream: stream, piece)
        continue
      }
      var flags = last | (ends ? 1 : 0)
      var payload = piece
      if hasPriority {
        flags |= 0x20
        payload = octets(0) + [15] + payload
      }
      if let padding {
        flags |= 8
        payload = [UInt8(padding)] + payload + [UInt8](repeating: 0, count: padding)
      }
      result += frame(1, flags: flags, stream: stream, payload)
    }
    return result
  }

  // MARK: Field blocks

  /// The block of a field section.
  package mutating func block(_ fields: [(String, String)]) -> [UInt8] {
    fields.flatMap { representation($0.0, $0.1) }
  }

  /// Fields of the static table that all encoders use (RFC 7541, Appendix A), by their index.
  private static let staticFields: [(name: String, value: String, index: Int)] = [
    (":authority", "", 1), (":method", "GET", 2), (":method", "POST", 3), (":path", "/", 4), (":scheme", "http", 6),
    (":status", "200", 8), (":status", "204", 9), (":status", "404", 13),
  ]

  private mutating func representation(_ name: String, _ value: String) -> [UInt8] {
    if let field = Self.staticFields.first(where: { $0.name == name && $0.value == value }) {
      return Self.integer(field.index, 7, 0x80)
    }
    if let index = table.firstIndex(where: { $0 == (name, value) }) { return Self.integer(index + 62, 7, 0x80) }
    guard isIndexing else { return [0x00] + Self.string(name) + Self.string(value) }
    let nameIndex =
      Self.staticFields.first { $0.name == name }?.index ?? table.firstIndex { $0.name == name }.map { $0 + 62 }
    insert(name, value)
    guard let nameIndex else { return [0x40] + Self.string(name) + Self.string(value) }
    return Self.integer(nameIndex, 6, 0x40) + Self.string(value)
  }

  private mutating func insert(_ name: String, _ value: String) {
    table.insert((name, value), at: 0)
    evict()
  }

  private mutating func evict() {
    var size = table.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 }
    while size > tableSize {
      let last = table.removeLast()
      size -= last.name.utf8.count + last.value.utf8.count + 32
    }
  }

  /// Changes the size of the table. Returns the update that starts the next block (RFC 7541 §6.3).
  package mutating func resize(to size: Int) -> [UInt8] {
    tableSize = size
    evict()
    return Self.integer(size, 5, 0x20)
  }

  /// An integer with a prefix of `bits` bits (RFC 7541 §5.1).
  package static func integer(_ value: Int, _ bits: Int, _ pattern: UInt8) -> [UInt8] {
    let most = 1 << bits - 1
    guard value >= most else { return [pattern | UInt8(value)] }
    var result = [pattern | UInt8(most)]
    var rest = value - most
    while rest >= 128 {
      result.append(UInt8(rest & 0x7f) | 0x80)
      rest >>= 7
    }
    return result + [UInt8(rest)]
  }

  package static func string(_ text: String) -> [UInt8] { integer(text.utf8.count, 7, 0) + Array(text.utf8) }

  // MARK: Messages

  package static func request(
    _ path: String, method: String = "GET", authority: String = "h.example", _ more: [(String, String)] = []
  ) -> [(String, String)] {
    [(":method", method), (":scheme", "http"), (":authority", authority), (":path", path)] + more
  }

  package static func response(_ status: Int = 200, _ more: [(String, String)] = []) -> [(String, String)] {
    [(":status", "\(status)")] + more
  }
}
