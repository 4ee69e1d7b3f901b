/// The format of a partial on disk: a sequence of segments, one for each capture. Partials are merged by appending their octets.
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
  /// Changes whenever the meaning of records changes.
  static let version = 9
  /// Octets of a footer.
  static let footerLength = 28
  /// Octets of records that are gathered for a block. A merge without copies holds a block of each capture of the same time.
  static let blockLength = 256 << 10
  /// The most octets of records in a block: the gathered ones, the next piece of records, and a packet.
  static let blockLimit = 64 << 20
  /// The most octets of a head, nearly all of them secrets.
  static let headLimit = 128 << 20

  /// Encodes a number in `count` octets, least significant octet first.
  static func octets(_ number: Int, count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  /// Decodes a number, least significant octet first.
  static func number(_ octets: ArraySlice<UInt8>) -> Int {
    octets.reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}
