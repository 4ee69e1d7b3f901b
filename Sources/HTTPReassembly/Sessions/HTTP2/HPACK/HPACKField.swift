/// One representation of a field block (RFC 7541 §6): how many octets encode it, and what it says as far as that is known.
package struct HPACKField {
  /// Octets that encode it: index, name and value, Huffman-coded or not.
  package var length: Int
  package var name = HPACKText.unknown
  package var value = HPACKText.unknown
  /// The mark of a value that is an entry's of the dynamic table; else 0.
  var valueMark: UInt64 = 0
  /// Whether it is a dynamic table size update, and no field (RFC 7541 §6.3).
  var isSizeUpdate = false
  /// Whether it is no representation: an index that stands for nothing, a string that is none, a size that is not allowed.
  package var isMalformed = false

  /// Whether both its name and its value are known.
  var isKnown: Bool { name.isKnown && value.isKnown }
}

/// Where the octets of a name or value are, until the next representation is read.
package struct HPACKText {
  enum Origin: UInt8 {
    /// They are not known.
    case unknown
    case staticTable
    case dynamicTable
    /// In the field block itself.
    case block
    /// Where Huffman-coded strings are decoded to.
    case decoded
  }

  var origin: Origin
  var start: Int32 = 0
  /// Octets of it; -1 when that is not known.
  private var count: Int32 = -1

  static var unknown: HPACKText { HPACKText() }

  private init() { origin = .unknown }

  init(_ origin: Origin, start: Int, length: Int) {
    self.origin = origin
    self.start = Int32(truncatingIfNeeded: start)
    count = Int32(clamping: length)
  }

  /// Octets of it; nil when that is not known. It can be known of a text that is not.
  @inline(__always)
  var length: Int? { count < 0 ? nil : Int(count) }

  @inline(__always)
  package var isKnown: Bool { origin != .unknown }

  @inline(__always)
  var range: Range<Int> { Int(start)..<Int(start &+ max(count, 0)) }
}
