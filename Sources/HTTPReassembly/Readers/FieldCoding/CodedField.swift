import Packets

/// One representation of a field section (RFC 7541 §6, RFC 9204 §4.5): its encoded length, and its field as far as that is known.
package struct CodedField {
  /// The number of octets that encode index, name and value, Huffman-coded or not.
  package var length: Int
  package var name = CodedText.unknown
  package var value = CodedText.unknown
  /// The mark of a value from an entry of the dynamic table, or of one that is Huffman-coded; else 0.
  var valueMark: UInt64 = 0
  /// The code of its name (`FieldNameCode`) in HPACK; 0 if it is unknown.
  var nameCode: UInt32 = 0
  /// Whether it is no field, but a table size update (RFC 7541 §6.3) or the prefix of a section (RFC 9204 §4.5.1).
  var isInstruction = false
  /// Whether it is invalid, by its index, its string, or its size.
  package var isMalformed = false

  /// Whether both its name and its value are known.
  var isKnown: Bool { name.isKnown && value.isKnown }
}

/// The result of reading the next representation of a field section.
package enum CodedStep {
  case field(CodedField)
  /// The end of the section.
  case end
  /// An invalid or incomplete representation.
  case undecodable
}

/// The place of a name's or value's octets, until the next representation is read.
package struct CodedText {
  enum Origin: UInt8 {
    /// The octets are unknown.
    case unknown
    case staticTable
    case dynamicTable
    /// In the field block itself.
    case block
    /// The memory for decoded Huffman strings.
    case decoded
  }

  var origin: Origin
  /// The meaning of a name; `unknown` for a value, and for a name that was not looked at.
  var kind = FieldNameKind.unknown
  var start: Int32 = 0
  /// The number of its octets; -1 when unknown.
  private var count: Int32 = -1

  static var unknown: CodedText { CodedText() }

  private init() { origin = .unknown }

  init(_ origin: Origin, start: Int, length: Int, kind: FieldNameKind = .unknown) {
    self.origin = origin
    self.kind = kind
    self.start = Int32(truncatingIfNeeded: start)
    count = Int32(clamping: length)
  }

  /// The number of its octets; nil when unknown. It can be known even if the text is not.
  @inline(__always)
  var length: Int? { count < 0 ? nil : Int(count) }

  @inline(__always)
  package var isKnown: Bool { origin != .unknown }

  @inline(__always)
  var range: Range<Int> { Int(start)..<Int(start &+ max(count, 0)) }
}

/// A number for the name of a field, to tell whether names are equal. Different names hardly ever share one.
enum FieldNameCode {
  /// The number that stands for the start of a block.
  static let start: UInt32 = 1

  /// The number of a name (FNV-1a), which is never 0.
  static func of(_ name: RawSpan) -> UInt32 {
    var code: UInt32 = 0x811c_9dc5
    for offset in 0..<name.byteCount { code = (code ^ UInt32(name.octet(offset))) &* 0x0100_0193 }
    return max(code, 2)
  }
}

/// The parts that representations of HPACK and QPACK are made of: integers (RFC 7541 §5.1) and strings (§5.2, RFC 9204 §4.1).
struct CodedStrings {
  /// Memory for the decoded Huffman strings of the current representation. It is reused.
  private(set) var decoded: [UInt8] = []
  /// Its used length.
  private var count = 0
  /// The mark of the last string, if it was Huffman-coded; else 0.
  private(set) var mark: UInt64 = 0
  /// Strings that came before, on any connection.
  private let familiar: OwnMemory<FamiliarStrings>

  init(_ familiar: OwnMemory<FamiliarStrings>) { self.familiar = familiar }

  /// Octets of memory that are kept for the next string.
  private static var keptCapacity: Int { 16 << 10 }

  /// Octets of memory on the heap.
  var memory: Int { decoded.capacity }

  /// Begins a representation. The texts of the one before are gone.
  @inline(__always)
  mutating func begin() {
    count = 0
    if decoded.count > Self.keptCapacity { decoded = [] }
  }

  /// Begins a representation, and keeps all memory.
  mutating func restart() { count = 0 }

  /// An integer with `prefix` bits in its first octet; nil when it is incomplete, or too large for any use.
  static func integer(_ block: RawSpan, _ offset: inout Int, prefix: Int) -> Int? {
    let mask = 1 << prefix - 1
    var value = Int(block.octet(offset)) & mask
    offset += 1
    guard value == mask else { return value }
    var shift = 0
    while offset < block.byteCount, shift <= 28 {
      let octet = block.octet(offset)
      offset += 1
      value += Int(octet & 0x7f) << shift
      if octet & 0x80 == 0 { return value <= Int(Int32.max) ? value : nil }
      shift += 7
    }
    return nil
  }

  /// A string whose length has `prefix` bits in its first octet, behind the bit that says whether it is Huffman-coded. Nil when it is
  /// incomplete. A string that violates the Huffman code is unknown.
  mutating func string(
    _ block: RawSpan, _ offset: inout Int, _ field: inout CodedField, prefix: Int = 7
  ) -> CodedText? {
    guard offset < block.byteCount else { return nil }
    let isHuffman = block.octet(offset) & 1 << UInt8(prefix) != 0
    guard let length = Self.integer(block, &offset, prefix: prefix), length <= block.byteCount - offset else {
      return nil
    }
    let range = offset..<offset + length
    offset += length
    mark = 0
    guard isHuffman else { return CodedText(.block, start: range.lowerBound, length: length) }
    let start = count
    let most = start + HuffmanCode.longestText(length)
    if most > decoded.count {
      decoded.append(contentsOf: repeatElement(0, count: max(most, 2 * decoded.count, 256) - decoded.count))
    }
    let coded = block.extracting(range)
    if let known = familiar.value.text(of: coded, to: &decoded, at: start) {
      count = start + known.length
      mark = known.mark
      return CodedText(.decoded, start: start, length: known.length)
    }
    guard let end = HuffmanCode.decode(coded, to: &decoded, at: start) else {
      field.isMalformed = true
      return .unknown
    }
    count = end
    mark = decoded.withOctets { familiar.value.remember(coded, $0.extracting(start..<end)) }
    return CodedText(.decoded, start: start, length: end - start)
  }
}
