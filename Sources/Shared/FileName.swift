/// Names of files as text. Linux allows any octets in a name, but a text has only characters.
///
/// An octet that is not UTF-8 stands in the text as a character that Unicode leaves without meaning, from U+10FF80 for 0x80 to U+10FFFF
/// for 0xFF. So does each octet of such a character, so that every name has a text of its own.
package enum FileName {
  private static let stand: UInt32 = 0x10_ff00
  private static let standing: ClosedRange<UInt32> = 0x10_ff80...0x10_ffff

  /// The text for a name.
  package static func text(of name: [UInt8]) -> String {
    if let text = String(validating: name, as: UTF8.self), !hasStanding(text) { return text }
    var text = String.UnicodeScalarView()
    var rest = name[...]
    while let first = rest.first {
      let character = (1...4).lazy.compactMap { String(validating: rest.prefix($0), as: UTF8.self) }.first
      if let scalar = character?.unicodeScalars.first, !standing.contains(scalar.value) {
        text.append(scalar)
        rest.removeFirst(UTF8.width(scalar))
      } else if let scalar = Unicode.Scalar(stand | UInt32(first)) {
        text.append(scalar)
        rest.removeFirst()
      }
    }
    return String(text)
  }

  /// The octet that a character stands for; nil if it stands for itself.
  package static func octet(of scalar: Unicode.Scalar) -> UInt8? {
    standing.contains(scalar.value) ? UInt8(truncatingIfNeeded: scalar.value) : nil
  }

  /// The name that a text stands for.
  package static func octets(of text: String) -> [UInt8] {
    guard hasStanding(text) else { return Array(text.utf8) }
    return text.unicodeScalars.flatMap { scalar in
      octet(of: scalar).map { [$0] } ?? Array(String(scalar).utf8)
    }
  }

  /// The folder of a path, with the slash at its end, and the name behind that. The folder is empty where there is no slash.
  ///
  /// In a text's characters, one that combines with a slash would hide it.
  package static func split(_ path: String) -> (folder: String, name: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return ("", path) }
    let start = path.utf8.index(after: slash)
    return (String(path[..<start]), String(path[start...]))
  }

  private static func hasStanding(_ text: String) -> Bool {
    // The first octet of the characters in UTF-8: other names need no look at their characters.
    text.utf8.contains(0xf4) && text.unicodeScalars.contains { standing.contains($0.value) }
  }
}

extension String {
  /// The name of a file for the system: the octets of `FileName.octets`, and a zero.
  package var systemName: [CChar] { FileName.octets(of: self).map { CChar(bitPattern: $0) } + [0] }
}
