import HTTPReassembly

// The header section's facts about the body, for estimates of it.

extension WireMessage {
  /// A Content-Length from this on counts as invalid: 256 TiB.
  static let lengthLimit = 1 << 48

  /// Content-Length, when all its values are the same number below `lengthLimit`; else nil.
  public var contentLength: Int? {
    let values = values(of: "content-length").flatMap { $0.split(separator: UInt8(ascii: ",")) }
      .map { $0.filter { $0 != UInt8(ascii: " ") && $0 != 0x09 } }
    guard let first = values.first, values.allSatisfy({ $0 == first }),
      first.allSatisfy({ (0x30...0x39).contains($0) }), let length = Int(String(decoding: first, as: UTF8.self)),
      length < WireMessage.lengthLimit
    else { return nil }
    return length
  }

  /// The transfer codings in lower case, in order, without parameters (RFC 9112 §6.1).
  public var transferCodings: [String] { names(in: "transfer-encoding") }

  /// Whether the body has chunk framing.
  public var isChunked: Bool { transferCodings.last == "chunked" }

  /// The codings of the content, and of the transfer except chunked, in lower case and in the order in which they were applied.
  public var codings: [String] {
    (names(in: "content-encoding") + transferCodings).filter { $0 != "chunked" && $0 != "identity" }
  }

  /// Whether the row counts everything that was sent, or for a cut message, everything that passed. No octet fell into a gap of
  /// the capture, and the fields were seen and kept.
  public var isWhole: Bool {
    if isHeaderCut || row.flags.contains(.headerNotSeen) { return false }
    if spelledLine == nil || spelledHeader == nil { return false }
    if row.missing == 0 { return true }
    // Octets beyond the snap length are in the counts, but octets in a gap are not.
    return row.exactness == .inferred && contentLength == row.octets.body
  }

  /// Octets of the header of the frame with the header section: 9 in HTTP/2 (RFC 9113 §4.1). In HTTP/3 it is the type, and the length in its
  /// shortest form (RFC 9114 §7.1, RFC 9000 §16).
  var fieldFrameHeader: Int {
    guard version.hasPrefix("HTTP/3") else { return 9 }
    let section = row.octets.startLine + row.octets.header
    return 1 + (section < 1 << 6 ? 1 : section < 1 << 14 ? 2 : 4)
  }

  private func names(in field: StaticString) -> [String] {
    values(of: field).flatMap { $0.split(separator: UInt8(ascii: ",")) }.compactMap { element in
      let name = element.prefix { $0 != UInt8(ascii: ";") }.filter { $0 != UInt8(ascii: " ") && $0 != 0x09 }
      return name.isEmpty ? nil : String(decoding: name, as: UTF8.self).lowercased()
    }
  }
}
