/// Encodes integers as differences (DELTA_BINARY_PACKED). It suits numbers and times, which grow by little.
enum Deltas {
  private static let blockLength = 128
  private static let miniblocks = 4
  private static let miniblockLength = blockLength / miniblocks

  /// Appends at least one integer.
  static func append(_ values: [Int64], to octets: inout [UInt8]) {
    octets.append(unsigned: UInt64(blockLength))
    octets.append(unsigned: UInt64(miniblocks))
    octets.append(unsigned: UInt64(values.count))
    octets.append(signed: values[0])
    for start in stride(from: 1, to: values.count, by: blockLength) {
      appendBlock(values, start..<min(start + blockLength, values.count), to: &octets)
    }
  }

  private static func appendBlock(_ values: [Int64], _ range: Range<Int>, to octets: inout [UInt8]) {
    // Differences wrap, and so does their sum.
    var least = Int64.max
    for index in range { least = min(least, values[index] &- values[index - 1]) }
    octets.append(signed: least)
    let excesses = range.map { UInt64(bitPattern: values[$0] &- values[$0 - 1] &- least) }
    let parts = stride(from: 0, to: excesses.count, by: miniblockLength).map {
      excesses[$0..<min($0 + miniblockLength, excesses.count)]
    }
    let widths = parts.map { BitPacking.width($0.reduce(0, |)) }
    for index in 0..<miniblocks { octets.append(index < widths.count ? UInt8(widths[index]) : 0) }
    for (part, width) in zip(parts, widths) {
      var bits = BitPacking()
      for excess in part { bits.append(excess, width: width, to: &octets) }
      for _ in part.count..<miniblockLength { bits.append(0, width: width, to: &octets) }
      bits.finish(to: &octets)
    }
  }
}
