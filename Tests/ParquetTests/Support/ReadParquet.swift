// Unsafe: libzstd is handed the addresses of whole arrays, for one call.

import CZstd
import Foundation

/// A Parquet file, read by rules written here and not by the code under test.
struct ReadParquet {
  enum Cell: Equatable {
    case null
    case integer(Int64)
    case text([UInt8])
  }

  /// A column of a row group.
  struct Chunk {
    var cells: [Cell] = []
    /// Numbers of the encodings of its data pages, in their order.
    var encodings: [Int] = []
    var hasDictionary = false
    var description: ThriftValue
    var statistics: ThriftValue? { description[12] }
  }

  let octets: [UInt8]
  let metadata: ThriftValue
  /// Row groups, each with its columns.
  private(set) var groups: [[Chunk]] = []

  init(_ octets: [UInt8]) {
    self.octets = octets
    precondition(
      octets.count >= 12 && octets.prefix(4) == octets.suffix(4) && octets.prefix(4) == [0x50, 0x41, 0x52, 0x31])
    let length = Int(Decoding.bits(octets, from: (octets.count - 8) * 8, width: 32))
    var position = octets.count - 8 - length
    metadata = ThriftValue.read(octets, at: &position)
    precondition(position == octets.count - 8)
    let schema = metadata[2]?.list ?? []
    groups = (metadata[4]?.list ?? []).map { group in
      zip(group[1]?.list ?? [], schema.dropFirst()).map { chunk, element in
        self.chunk(chunk[3] ?? .flag(false), element)
      }
    }
  }

  /// The cells of a column in all row groups.
  func cells(_ column: Int) -> [Cell] { groups.flatMap { $0[column].cells } }

  private func chunk(_ description: ThriftValue, _ element: ThriftValue) -> Chunk {
    let start = description[11]?.integer ?? description[9]?.integer ?? 0
    let end = start + (description[7]?.integer ?? 0)
    let (type, isOptional) = (element[1]?.integer ?? -1, element[3]?.integer == 1)
    var chunk = Chunk(description: description)
    var dictionary: [Cell] = []
    var position = start
    var uncompressed = 0
    while position < end {
      let before = position
      let header = ThriftValue.read(octets, at: &position)
      let compressed = Array(octets[position..<position + (header[3]?.integer ?? 0)])
      position += compressed.count
      precondition(header[4]?.integer == Int(Self.checksum(compressed)))
      let page = Self.decompressed(compressed, header[2]?.integer ?? 0)
      uncompressed += position - before - compressed.count + page.count
      if let head = header[7] {
        chunk.hasDictionary = true
        precondition(before == start && description[11]?.integer == start)
        var offset = 0
        dictionary = Self.plain(page, type, head[1]?.integer ?? 0, at: &offset)
        precondition(offset == page.count)
        continue
      }
      if chunk.encodings.isEmpty { precondition(description[9]?.integer == before) }
      let head = header[5] ?? .flag(false)
      let count = head[1]?.integer ?? 0
      var offset = 0
      var levels = [UInt32](repeating: 1, count: count)
      if isOptional {
        let length = Int(Decoding.bits(page, from: 0, width: 32))
        offset = 4
        levels = Decoding.runLengths(page, width: 1, count: count, at: &offset)
        precondition(offset == 4 + length)
      }
      let valueCount = levels.count { $0 == 1 }
      let encoding = head[2]?.integer ?? -1
      chunk.encodings.append(encoding)
      var values: [Cell] = []
      switch encoding {
      case 0: values = Self.plain(page, type, valueCount, at: &offset)
      case 5: values = Decoding.deltas(page, at: &offset).map { .integer($0) }
      case 8:
        offset += 1
        values = Decoding.runLengths(page, width: Int(page[offset - 1]), count: valueCount, at: &offset).map {
          dictionary[Int($0)]
        }
      default: preconditionFailure("encoding \(encoding)")
      }
      precondition(offset == page.count && values.count == valueCount)
      var next = values.makeIterator()
      chunk.cells += levels.map { $0 == 1 ? next.next() ?? .null : .null }
    }
    precondition(position == end && uncompressed == description[6]?.integer)
    precondition(chunk.cells.count == description[5]?.integer)
    return chunk
  }

  private static func plain(_ page: [UInt8], _ type: Int, _ count: Int, at offset: inout Int) -> [Cell] {
    (0..<count).map { _ in
      switch type {
      case 2:
        offset += 8
        return .integer(Int64(bitPattern: Decoding.bits(page, from: (offset - 8) * 8, width: 64)))
      case 7:
        offset += 9
        return .integer(decimal(page[offset - 9..<offset]))
      default:
        let length = Int(Decoding.bits(page, from: offset * 8, width: 32))
        offset += 4 + length
        return .text(Array(page[offset - length..<offset]))
      }
    }
  }

  /// A number of nine octets, the highest first. The first one repeats the sign.
  static func decimal(_ octets: ArraySlice<UInt8>) -> Int64 {
    let value = octets.dropFirst().reduce(Int64(0)) { $0 << 8 | Int64($1) }
    precondition(octets.count == 9 && octets.first == (value < 0 ? 0xff : 0))
    return value
  }

  /// What CRC-32 adds for each octet (RFC 1952, section 8).
  private static let sums: [UInt32] = (0..<256).map { octet in
    (0..<8).reduce(UInt32(octet)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xedb8_8320 : sum >> 1 }
  }

  private static func checksum(_ octets: [UInt8]) -> Int32 {
    let sums = sums
    var sum: UInt32 = 0xffff_ffff
    for octet in octets { sum = sums[Int((sum ^ UInt32(octet)) & 0xff)] ^ sum >> 8 }
    return Int32(bitPattern: ~sum)
  }

  private static func decompressed(_ octets: [UInt8], _ length: Int) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: length) { target, count in
      let result = unsafe octets.withUnsafeBytes { source in
        unsafe ZSTD_decompress(target.baseAddress, length, source.baseAddress, source.count)
      }
      precondition(ZSTD_isError(result) == 0 && result == length)
      count = result
    }
  }
}
