import HTTPReassembly

/// Which contents gzip does not make smaller, so that trying is a waste of time.
enum ContentKind {
  /// Starts of media types whose formats compress by themselves.
  private static let compressedTypes: [StaticString] = [
    "image/jpeg", "image/png", "image/gif", "image/webp", "image/avif", "image/heic", "video/", "audio/", "font/woff",
    "application/font-woff", "application/zip", "application/gzip", "application/x-gzip", "application/zstd",
  ]

  /// Whether a field says that the content is compressed; `name` is in lower case.
  static func isCompressed(_ name: [UInt8], _ value: RawSpan) -> Bool {
    if name == Array("content-encoding".utf8) { return value.byteCount > 0 && !starts(value, with: "identity") }
    guard name == Array("content-type".utf8) else { return false }
    return compressedTypes.contains { starts(value, with: $0) }
  }

  private static func starts(_ value: RawSpan, with text: StaticString) -> Bool {
    let length = text.utf8CodeUnitCount
    guard value.byteCount >= length else { return false }
    // Media types and codings are case-insensitive (RFC 9110 §8.3.1, §8.4.1).
    return (0..<length).allSatisfy { index in
      let octet = value.octet(index)
      return (octet &- UInt8(ascii: "A") < 26 ? octet | 0x20 : octet) == text.octet(index)
    }
  }
}
