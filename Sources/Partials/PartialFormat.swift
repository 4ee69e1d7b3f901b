/// A partial on disk: segments, one for each capture, one behind the other. So partials are put into one by putting their octets one behind
/// the other.
///
/// ```
/// segment   magic (8)  blocks  head  footer
/// block     length of its frame (4)  frame of Zstandard (RFC 8878) with its checksum: whole records
/// head      frame of Zstandard with its checksum
/// footer    length of the blocks (8)  length of the head (4)  CRC-32 of blocks and head (4)  version (4)  magic (8)
/// ```
/// Lengths are octets, least significant octet first.
enum PartialFormat {
  /// Eight octets at both ends of a segment.
  static let magic = Array("SNIFPART".utf8)
  /// Changes with each change of what records say.
  static let version = 3
  /// Octets of a footer.
  static let footerLength = 28
  /// Octets of records that are gathered for a block.
  static let blockLength = 1 << 20
  /// Octets of records that a block has at most: those, the next piece of records, and a packet.
  static let blockLimit = 64 << 20
  /// Octets of a head at most, nearly all of them secrets.
  static let headLimit = 128 << 20

  /// A number of `count` octets, least significant octet first.
  static func octets(_ number: Int, count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  /// The same, read.
  static func number(_ octets: ArraySlice<UInt8>) -> Int {
    octets.reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
