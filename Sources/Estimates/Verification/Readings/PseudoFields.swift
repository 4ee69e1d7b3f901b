import HTTPReassembly

/// The pseudo-header fields of a message on HTTP/2 (RFC 9113 §8.3), for programs that list them with the others.
struct PseudoFields {
  /// The number of fields.
  var count = 0
  /// Octets of their names with the leading colon, and of their values.
  var textLength = 0

  /// The fields of a message whose start-line is known.
  init(_ message: WireMessage) {
    let words = message.startLine.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard words.count > 1 else { return }
    if message.row.kind == .request {
      add(":method", words[0].count)
      add(":path", words[1].count)
      add(":scheme", message.row.isSecure ? 5 : 4)
      if let authority = message.values(of: "host").first { add(":authority", authority.count) }
    } else {
      add(":status", words[1].count)
    }
  }

  private mutating func add(_ name: StaticString, _ value: Int) {
    count += 1
    textLength += name.utf8CodeUnitCount + value
  }
}
