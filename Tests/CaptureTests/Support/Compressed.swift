/// Wraps octets in the containers of compressed files, without compressing them.
enum Compressed {
  /// A gzip member (RFC 1952) of one stored block (RFC 1951 §3.2.4), of at most 65,535 octets.
  static func gzip(_ octets: [UInt8]) -> [UInt8] {
    let length = UInt16(octets.count)
    let header: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1]
    return header + Order.little(length) + Order.little(~length) + octets + Order.little(checksum(octets))
      + Order.little(UInt32(length))
  }

  /// A Zstandard frame (RFC 8878 §3.1.1) of one raw block, of at most 65,535 octets.
  static func zstd(_ octets: [UInt8]) -> [UInt8] {
    // A single segment with four octets of content size, and no checksum.
    let header: [UInt8] = [0x28, 0xb5, 0x2f, 0xfd, 0xa0]
    let block = UInt32(octets.count) << 3 | 1
    return header + Order.little(UInt32(octets.count)) + Order.little(block).prefix(3) + octets
  }

  /// A Zstandard frame of one raw block, of at most 65,535 octets, with a window of `1 << windowLog` octets (RFC 8878 §3.1.1.1.2).
  static func zstdFrame(_ octets: [UInt8], windowLog: UInt8) -> [UInt8] {
    [0x28, 0xb5, 0x2f, 0xfd, 0, (windowLog - 10) << 3] + Order.little(UInt32(octets.count) << 3 | 1).prefix(3) + octets
  }

  /// A Zstandard frame that decoders pass over.
  static func zstdSkippable(_ octets: [UInt8]) -> [UInt8] {
    [0x5a, 0x2a, 0x4d, 0x18] + Order.little(UInt32(octets.count)) + octets
  }

  /// CRC-32 (RFC 1952 §8), bit by bit.
  private static func checksum(_ octets: [UInt8]) -> UInt32 {
    ~octets.reduce(UInt32.max) { sum, octet in
      (0..<8).reduce(sum ^ UInt32(octet)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xedb8_8320 : value >> 1 }
    }
  }
}
