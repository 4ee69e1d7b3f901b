// Unsafe: for one call, zlib gets the address of a whole array with its length.

import CZlib

/// The checksum in the header of a page.
enum PageChecksum {
  /// The CRC-32 of octets, as in gzip.
  static func of(_ octets: [UInt8]) -> Int32 {
    let sum = unsafe octets.withUnsafeBufferPointer { unsafe crc32_z(0, $0.baseAddress, $0.count) }
    return Int32(truncatingIfNeeded: sum)
  }
}
