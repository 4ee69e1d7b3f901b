/// A field line of a header section (RFC 9112, section 5), as it is expected on the wire.
struct ExpectedField: Equatable, Sendable {
  /// The field name, as it is sent.
  var name: String
  /// The field value, as it is sent, without the white space that parsers strip.
  var value: String
  /// The text between the colon and the value. libcurl sends none before an empty value.
  var space = " "

  /// The octets of the line: name, colon, space, value and CRLF.
  var octets: Int { name.utf8.count + 1 + space.utf8.count + value.utf8.count + 2 }

  /// Whether the line has this name, in any case (RFC 9110, section 5.1).
  func named(_ other: String) -> Bool { name.lowercased() == other.lowercased() }
}

extension [ExpectedField] {
  /// The octets of a header section: every field line, and the empty line that ends it.
  var sectionOctets: Int { reduce(2) { $0 + $1.octets } }

  /// Whether a field has this name.
  func has(_ name: String) -> Bool { contains { $0.named(name) } }

  /// Adds a field unless one has this name: the app's fields precede the system's.
  mutating func fill(_ name: String, _ value: String) {
    if !has(name) { append(ExpectedField(name: name, value: value)) }
  }
}
