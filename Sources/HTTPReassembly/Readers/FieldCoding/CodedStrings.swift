/// The parts that representations of HPACK and QPACK are made of: integers (RFC 7541 §5.1) and strings (§5.2, RFC 9204 §4.1).
struct CodedStrings {
  /// Memory for the decoded Huffman strings of the current representation. It is reused.
  private(set) var decoded: [UInt8] = []
  /// Its used length.
  private var count = 0

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
    guard isHuffman else { return CodedText(.block, start: range.lowerBound, length: length) }
    let start = count
    let most = start + HuffmanCode.longestText(length)
    if most > decoded.count {
      decoded.append(contentsOf: repeatElement(0, count: max(most, 2 * decoded.count, 256) - decoded.count))
    }
    guard let end = HuffmanCode.decode(block, range, to: &decoded, at: start) else {
      field.isMalformed = true
      return .unknown
    }
    count = end
    return CodedText(.decoded, start: start, length: end - start)
  }
}
