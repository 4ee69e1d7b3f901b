// Unsafe: zlib is handed the address of a whole array, with its length, for one call.

import CZlib

/// The CRC-32 of octets, as gzip has it (RFC 1952 §8).
package struct Checksum: Sendable {
  /// The checksum of the octets so far.
  package private(set) var value: UInt32 = 0

  /// Of no octets.
  package init() {}

  /// Adds octets.
  package mutating func add(_ octets: [UInt8]) {
    value = UInt32(
      truncatingIfNeeded: unsafe octets.withUnsafeBufferPointer {
        unsafe crc32_z(UInt(value), $0.baseAddress, $0.count)
      })
  }

  /// The checksum of octets.
  package static func of(_ octets: [UInt8]) -> UInt32 {
    var checksum = Checksum()
    checksum.add(octets)
    return checksum.value
  }
}
