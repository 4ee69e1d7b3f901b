// Unsafe: zlib is handed the address of a whole array, with its length, for one call.

import CZlib

/// The checksum that a page's header has of its octets.
enum PageChecksum {
  /// The CRC-32 of octets, as gzip has it.
  static func of(_ octets: [UInt8]) -> Int32 {
    let sum = unsafe octets.withUnsafeBufferPointer { unsafe crc32_z(0, $0.baseAddress, $0.count) }
    return Int32(truncatingIfNeeded: sum)
  }
}
