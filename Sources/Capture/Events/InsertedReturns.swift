import Packets

/// Carriage returns that a terminal, or a program that writes text, put before line feeds of a capture.
enum InsertedReturns {
  /// The way to a capture without them.
  static let way = "fetch it anew as binary data, as in: adb exec-out tcpdump -w -"

  /// Whether each line feed follows a carriage return.
  static func areBeforeAllLineFeeds(of octets: RawSpan) -> Bool {
    var hasLineFeed = false
    for index in 0..<octets.byteCount where octets.octet(index) == 0x0a {
      guard index > 0, octets.octet(index - 1) == 0x0d else { return false }
      hasLineFeed = true
    }
    return hasLineFeed
  }

  /// The octets without the carriage returns before line feeds.
  static func removed(from octets: RawSpan) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(octets.byteCount)
    for index in 0..<octets.byteCount {
      let octet = octets.octet(index)
      if octet == 0x0a, result.last == 0x0d { result.removeLast() }
      result.append(octet)
    }
    return result
  }
}
