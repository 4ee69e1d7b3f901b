/// Parquet's hybrid of run lengths and packed bits (RLE), used for definition levels and dictionary indices.
enum RunLengths {
  /// The number of equal values from which a run is shorter than packed bits.
  private static let shortestRun = 8

  /// Appends values of at most `width` bits each, without a length in front.
  static func append(_ values: [UInt32], width: Int, to octets: inout [UInt8]) {
    var packed = 0
    var index = 0
    while index < values.count {
      let value = values[index]
      var end = index + 1
      while end < values.count, values[end] == value { end += 1 }
      // Packed bits before a run need a multiple of eight values, so the run gives up its first ones.
      let missing = (8 - (index - packed) % 8) % 8
      if end - index - missing >= shortestRun {
        appendPacked(values[packed..<index + missing], width, to: &octets)
        octets.append(unsigned: UInt64(end - index - missing) << 1)
        octets.append(littleEndian: UInt64(value), count: (width + 7) / 8)
        packed = end
      }
      index = end
    }
    appendPacked(values[packed...], width, to: &octets)
  }

  private static func appendPacked(_ values: ArraySlice<UInt32>, _ width: Int, to octets: inout [UInt8]) {
    guard !values.isEmpty else { return }
    let groups = (values.count + 7) / 8
    octets.append(unsigned: UInt64(groups) << 1 | 1)
    var bits = BitPacking()
    for value in values { bits.append(UInt64(value), width: width, to: &octets) }
    for _ in values.count..<groups * 8 { bits.append(0, width: width, to: &octets) }
    bits.finish(to: &octets)
  }
}
