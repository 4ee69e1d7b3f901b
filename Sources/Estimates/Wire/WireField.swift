import HTTPReassembly

/// A field line of a header section as it was sent (RFC 9112 §5).
public struct WireField: Sendable, Hashable {
  /// The name as sent, in any case; empty when the line is malformed.
  public var name: [UInt8]
  /// The value, without whitespace around; folded lines are joined by one space.
  public var value: [UInt8]
  /// Octets of the line, unfolded and without its terminator. With canonical whitespace ("name: value") they are two more than
  /// name and value together.
  public var lineLength: Int

  /// A field line with canonical whitespace unless `lineLength` says otherwise.
  public init(name: [UInt8], value: [UInt8], lineLength: Int? = nil) {
    self.name = name
    self.value = value
    self.lineLength = lineLength ?? name.count + 2 + value.count
  }

  /// Whether the field has this name, given in lower case; names are case-insensitive (RFC 9110 §5.1).
  public func isNamed(_ lowercased: StaticString) -> Bool {
    guard name.count == lowercased.utf8CodeUnitCount else { return false }
    return name.withOctets { $0.matches(lowercased, at: 0) }
  }

  /// The name in lower case; octets that are not UTF-8 become U+FFFD.
  public var lowercasedName: String { String(decoding: name, as: UTF8.self).lowercased() }
}
