// Unsafe: for one call, libdeflate gets pointers to the caller's octets and to its own output memory, each with its length.

import CDeflate
import HTTPReassembly

/// Decodes a whole gzip member (RFC 1952) by libdeflate, in half the time of zlib.
///
/// It only gives the length of a good member's content. Anything but exactly one good member is left to zlib, which finds the fault, if
/// there is one.
///
/// With four million damaged streams, libdeflate accepted all that zlib accepts, with the same output. It also accepted one in 650 of those
/// that zlib refuses: code lengths beyond their table, too many symbols, or distances without a code. Such streams do not occur in
/// practice. RFC 1951 does not call them errors, and the member's checksum is verified all the same. So only a sender that intends it makes
/// such a member.
@safe
final class GzipMember {
  /// The most octets of output, since libdeflate makes all of them at once. zlib makes a longer content in parts.
  static let capacity = 256 << 10

  private let decompressor: OpaquePointer
  private let output: UnsafeMutableRawPointer

  init() {
    guard let decompressor = unsafe libdeflate_alloc_decompressor() else {
      preconditionFailure("libdeflate has no memory")
    }
    unsafe self.decompressor = unsafe decompressor
    // The system provides its pages only when output reaches them.
    unsafe output = .allocate(byteCount: Self.capacity, alignment: 16)
  }

  deinit {
    unsafe libdeflate_free_decompressor(decompressor)
    unsafe output.deallocate()
  }

  /// The length of the content of `octets`; nil unless they are exactly one good member with at most `capacity` octets of content.
  func contentLength(of octets: RawSpan) -> Int? {
    guard octets.byteCount >= Self.shortest, octets.octet(Self.flags) & Self.headerChecksum == 0,
      octets.littleEndian32(octets.byteCount - Self.announcedLength) <= Self.capacity
    else { return nil }
    return unsafe octets.withUnsafeBytes { input in
      var used = 0
      var made = 0
      let result = unsafe libdeflate_gzip_decompress_ex(
        decompressor, input.baseAddress, input.count, output, Self.capacity, &used, &made)
      return result == LIBDEFLATE_SUCCESS && used == input.count ? made : nil
    }
  }

  /// Octets of the shortest member: a header without optional fields, compressed data, and the trailer (RFC 1952 §2.3).
  private static let shortest = 10 + 2 + 8
  /// The offset of FLG in the header.
  private static let flags = 3
  /// FHCRC in FLG: a checksum of the header follows. zlib verifies it, and libdeflate does not.
  private static let headerChecksum: UInt8 = 1 << 1

  /// The offset of ISIZE from the end. It is the length of the content modulo 2³²; if it is wrong, the member is bad.
  private static let announcedLength = 4
}
