/// Writes structs in Thrift's compact protocol, as Parquet's metadata needs.
///
/// A field begins with its type and the difference of its number from the previous field's. Integers have variable length, with the sign in
/// the lowest bit. Fields come in the order of their numbers.
struct CompactWriter {
  /// Types by the protocol's numbers.
  enum Kind: UInt8 {
    case yes = 1
    case no = 2
    case octet = 3
    case integer16 = 4
    case integer32 = 5
    case integer64 = 6
    case binary = 8
    case list = 9
    case structure = 12
  }

  /// The octets written.
  private(set) var octets: [UInt8] = []
  /// The number of the last field of each open struct.
  private var last: [Int] = []

  /// Writes a struct that is no field: alone, or in a list.
  mutating func structure(_ body: (inout CompactWriter) -> Void) {
    last.append(0)
    body(&self)
    last.removeLast()
    octets.append(0)
  }

  /// Writes a field that is a struct.
  mutating func structure(_ field: Int, _ body: (inout CompactWriter) -> Void) {
    begin(field, .structure)
    structure(body)
  }

  /// Writes a field that is a struct without fields.
  mutating func empty(_ field: Int) { structure(field) { _ in } }

  /// Writes a field of 32 bits.
  mutating func integer32(_ field: Int, _ value: Int32) {
    begin(field, .integer32)
    octets.append(signed: Int64(value))
  }

  /// Writes a field of 64 bits.
  mutating func integer64(_ field: Int, _ value: Int) {
    begin(field, .integer64)
    octets.append(signed: Int64(value))
  }

  /// Writes a field of 16 bits.
  mutating func integer16(_ field: Int, _ value: Int16) {
    begin(field, .integer16)
    octets.append(signed: Int64(value))
  }

  /// Writes a truth value.
  mutating func flag(_ field: Int, _ value: Bool) { begin(field, value ? .yes : .no) }

  /// Writes a field of octets.
  mutating func binary(_ field: Int, _ value: [UInt8]) {
    begin(field, .binary)
    append(value)
  }

  /// Writes a field of text.
  mutating func text(_ field: Int, _ value: String) { binary(field, Array(value.utf8)) }

  /// Writes a list of integers of 32 bits.
  mutating func integers(_ field: Int, _ values: [Int32]) {
    list(field, .integer32, values.count)
    for value in values { octets.append(signed: Int64(value)) }
  }

  /// Writes a list of texts.
  mutating func texts(_ field: Int, _ values: [String]) {
    list(field, .binary, values.count)
    for value in values { append(Array(value.utf8)) }
  }

  /// Writes a list of structs.
  mutating func structures(_ field: Int, count: Int, _ body: (inout CompactWriter, Int) -> Void) {
    list(field, .structure, count)
    for index in 0..<count { structure { body(&$0, index) } }
  }

  /// Writes a list of structs from their octets.
  mutating func structures(_ field: Int, count: Int, written: [UInt8]) {
    list(field, .structure, count)
    octets += written
  }

  private mutating func begin(_ field: Int, _ kind: Kind) {
    let step = field - (last.last ?? 0)
    if (1...15).contains(step) {
      octets.append(UInt8(step) << 4 | kind.rawValue)
    } else {
      octets.append(kind.rawValue)
      octets.append(signed: Int64(field))
    }
    if !last.isEmpty { last[last.count - 1] = field }
  }

  private mutating func list(_ field: Int, _ kind: Kind, _ count: Int) {
    begin(field, .list)
    if count < 15 {
      octets.append(UInt8(count) << 4 | kind.rawValue)
    } else {
      octets.append(0xf0 | kind.rawValue)
      octets.append(unsigned: UInt64(count))
    }
  }

  private mutating func append(_ value: [UInt8]) {
    octets.append(unsigned: UInt64(value.count))
    octets += value
  }
}
