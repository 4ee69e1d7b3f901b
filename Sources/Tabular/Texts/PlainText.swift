import Packets

/// Text that never needs escaping or quoting: printable ASCII without backslash, comma and quotes. Most text is plain, so it is tested and
/// copied eight octets at a time.
package enum PlainText {
  /// Whether an octet is plain.
  @inline(__always)
  package static func contains(_ octet: UInt8) -> Bool {
    octet &- 0x20 < 0x5f && octet != UInt8(ascii: "\\") && octet != UInt8(ascii: ",") && octet != UInt8(ascii: "\"")
  }

  /// Whether all eight octets are plain. The tests are exact for octets below 0x80; others fail the last test.
  @inline(__always)
  package static func contains(_ octets: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    /// Sets the high bit where an octet is `value`. There is no carry while all octets are below 0x80.
    func matches(_ value: UInt64) -> UInt64 { ((octets ^ ones &* value) &+ ones &* 0x7f) ^ highs }
    // An octet below 0x20 does not reach the high bit when 0x60 is added.
    let controls = (octets &+ ones &* 0x60) ^ highs
    let unwanted = controls | matches(0x22) | matches(0x2c) | matches(0x5c) | matches(0x7f) | octets
    return unwanted & highs == 0
  }
}

extension RawSpan {
  /// Copies the octets if all are plain. Returns whether they are; if not, some may have been copied.
  ///
  /// Unsafe: it writes at an address, which must have room for all octets.
  @inline(__always)
  package func copyPlainText(to target: UnsafeMutablePointer<UInt8>) -> Bool {
    let count = byteCount
    guard count >= 8 else {
      for offset in 0..<count {
        guard PlainText.contains(octet(offset)) else { return false }
        unsafe target[offset] = octet(offset)
      }
      return true
    }
    var offset = 0
    while offset < count {
      // Some of the last eight may have been copied already.
      let start = min(offset, count - 8)
      let octets = littleEndian64(within: start)
      guard PlainText.contains(octets) else { return false }
      unsafe UnsafeMutableRawPointer(target + start).storeBytes(of: octets.littleEndian, as: UInt64.self)
      offset = start + 8
    }
    return true
  }
}
