/// *J*: the length of a dictionary of fields as `NSJSONSerialization` writes it with `NSJSONWritingPrettyPrinted`.
///
/// ```
/// {
///   "Host" : "a.example",
///   "Range" : "bytes=0-9"
/// }
/// ```
/// Two octets open it and two close it. Each field takes its text and nine octets (indentation, four quotes, " : "). Each but the
/// last takes two more (comma, line feed). The sum is S + 11n + 2, and 4 for no field, whose lines are empty.
///
/// Escaping adds one octet to `"`, `\`, `/` and the controls with a short form (RFC 8259 §7). It adds five to other controls
/// (`\u001f`).
public enum PrettyJSON {
  /// Octets of the whole text.
  public static func length(of dictionary: FieldDictionary) -> Int {
    guard dictionary.count > 0 else { return 4 }
    let escapes = dictionary.fields.reduce(0) { $0 + escapeLength($1.name) + escapeLength($1.value) }
    return dictionary.textLength + 11 * dictionary.count + 2 + escapes
  }

  /// Octets that escaping adds to a text.
  static func escapeLength(_ text: [UInt8]) -> Int {
    text.reduce(0) { $0 + escapeLength($1) }
  }

  /// Octets that escaping adds to an octet.
  static func escapeLength(_ octet: UInt8) -> Int {
    switch octet {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), 0x08, 0x09, 0x0a, 0x0c, 0x0d: 1
    case 0..<0x20: 5
    default: 0
    }
  }
}
