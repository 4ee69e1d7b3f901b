/// The text of a label, made of octets from the wire.
///
/// The text is the same as in the other reports, and can be turned back into the octets. A backslash becomes `\\`. Octets of
/// control characters, of invisible characters and of invalid UTF-8 become `\xNN`.
enum LabelText {
  /// Octets shown of one text. A label is repeated on every series of an API and on every scrape, so a request-target
  /// of many kilobytes would cost too much.
  static let limit = 256

  /// `octets` escaped; a text longer than `limit` is cut and ends in `…`.
  static func string(_ octets: [UInt8]) -> String {
    var result = String.UnicodeScalarView()
    var parser = Unicode.UTF8.ForwardParser()
    var rest = octets.makeIterator()
    var index = 0
    while true {
      let length: Int
      var shown: Unicode.Scalar?
      switch parser.parseScalar(from: &rest) {
      case .valid(let encoded):
        length = encoded.count
        shown = Unicode.UTF8.decode(encoded)
      case .error(let errorLength): length = errorLength
      case .emptyInput: return String(result)
      }
      guard index + length <= limit else {
        result.append("…")
        return String(result)
      }
      if let scalar = shown, isVisible(scalar) {
        if scalar == "\\" { result.append("\\") }
        result.append(scalar)
      } else {
        for octet in octets[index..<index + length] { appendHexadecimal(octet, to: &result) }
      }
      index += length
    }
  }

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value >= 0x20 && scalar.value != 0x7f }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: return false
    default: return !scalar.properties.isDefaultIgnorableCodePoint
    }
  }

  private static func appendHexadecimal(_ octet: UInt8, to result: inout String.UnicodeScalarView) {
    result.append(contentsOf: "\\x".unicodeScalars)
    if octet < 0x10 { result.append("0") }
    result.append(contentsOf: String(octet, radix: 16).unicodeScalars)
  }
}
