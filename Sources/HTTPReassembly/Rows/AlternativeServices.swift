import Packets

/// The protocols in which a server offers its resources: by Alt-Svc (RFC 7838 §3), or by HTTPS records of DNS (RFC 9460 §7.1).
public struct AlternativeServices: NamedBits, Sendable, Hashable {
  /// One bit for each kind of protocol.
  public var rawValue: UInt8
  /// Wraps a bit set.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// HTTP/3, by its final name or a draft's name.
  public static let http3 = AlternativeServices(rawValue: 1 << 0)
  /// HTTP/2.
  public static let http2 = AlternativeServices(rawValue: 1 << 1)
  /// Anything else.
  public static let other = AlternativeServices(rawValue: 1 << 2)

  /// Names in reports, by bit.
  public static let names = ["h3", "h2", "other"]

  /// The offers in a field's value; empty for `clear`.
  init(_ value: RawSpan) {
    rawValue = 0
    var offset = 0
    while let element = value.nextElement(&offset, in: 0..<value.byteCount) {
      guard let equals = value.firstOffset(of: UInt8(ascii: "="), in: element) else { continue }
      insert(protocol: value.extracting(element.lowerBound..<equals))
    }
  }

  /// Inserts a protocol by its name in ALPN.
  mutating func insert(protocol name: RawSpan) {
    // The drafts' names continue with a hyphen and a number.
    if name.byteCount >= 2, name.matches("h3", at: 0), name.byteCount == 2 || name.octet(2) == UInt8(ascii: "-") {
      insert(.http3)
    } else if name.byteCount == 2, name.matches("h2", at: 0) {
      insert(.http2)
    } else {
      insert(.other)
    }
  }
}
