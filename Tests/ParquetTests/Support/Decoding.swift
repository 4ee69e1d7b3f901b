/// Parquet's encodings, taken back bit by bit.
enum Decoding {
  /// A number of `width` bits from a bit on.
  static func bits(_ octets: [UInt8], from bit: Int, width: Int) -> UInt64 {
    var value: UInt64 = 0
    var done = 0
    while done < width {
      let position = bit + done
      let taken = min(8 - position % 8, width - done)
      let part = UInt64(octets[position / 8] >> UInt8(position % 8)) & (1 << UInt64(taken) - 1)
      value |= part << UInt64(done)
      done += taken
    }
    return value
  }

  /// Values of the hybrid of run lengths and packed bits.
  static func runLengths(_ octets: [UInt8], width: Int, count: Int, at position: inout Int) -> [UInt32] {
    var values: [UInt32] = []
    while values.count < count {
      let head = Int(ThriftValue.unsigned(octets, at: &position))
      if head & 1 == 1 {
        let packed = (head >> 1) * 8
        values += (0..<packed).map { UInt32(bits(octets, from: position * 8 + $0 * width, width: width)) }
        position += packed * width / 8
      } else {
        let length = (width + 7) / 8
        let value = bits(octets, from: position * 8, width: length * 8)
        values += Array(repeating: UInt32(value), count: head >> 1)
        position += length
      }
    }
    return Array(values.prefix(count))
  }

  /// Integers of DELTA_BINARY_PACKED.
  static func deltas(_ octets: [UInt8], at position: inout Int) -> [Int64] {
    let block = Int(ThriftValue.unsigned(octets, at: &position))
    let parts = Int(ThriftValue.unsigned(octets, at: &position))
    let count = Int(ThriftValue.unsigned(octets, at: &position))
    var values = [ThriftValue.signed(octets, at: &position)]
    while values.count < count {
      let least = ThriftValue.signed(octets, at: &position)
      let widths = octets[position..<position + parts].map { Int($0) }
      position += parts
      for width in widths where values.count < count {
        let length = block / parts
        for index in 0..<length where values.count < count {
          let excess = bits(octets, from: position * 8 + index * width, width: width)
          values.append(values[values.count - 1] &+ least &+ Int64(bitPattern: excess))
        }
        position += length * width / 8
      }
    }
    return values
  }
}
