import HTTPReassembly
import Tabular

/// The form of a long host or path that another row already has.
///
/// An interim response repeats the name of its request, and each row of an API in `fields` and `contents` repeats the API's name. There may
/// be thousands of such rows, of a few octets each. With the whole name in every row, a report would be thousands of times as long as its
/// capture. A cut text ends with `\+` and the number of octets that are left out. No other text has that: a backslash from the wire is
/// doubled, and `\x` starts every other escape.
enum RepeatedText {
  /// Octets of a repeated text that a row has whole: longer than nearly all names, and no longer than the rest of the row.
  static let limit = 256
  /// The mark before the number of octets that are left out.
  static let mark: StaticString = "\\+"
}

extension RowWriter where Self: ~Copyable {
  /// A host, which is cut if another row has it whole.
  @inline(__always)
  mutating func host(_ id: TextID, _ texts: borrowing TextPool, isRepeated: Bool) {
    if !isRepeated || isShort(id, texts) { host(id, texts) } else { host(texts.octets(id), isRepeated: true) }
  }

  /// A path, which is cut if another row has it whole.
  @inline(__always)
  mutating func path(_ id: TextID, _ texts: borrowing TextPool, isRepeated: Bool) {
    if !isRepeated || isShort(id, texts) { path(id, texts) } else { path(texts.octets(id), isRepeated: true) }
  }

  private func isShort(_ id: TextID, _ texts: borrowing TextPool) -> Bool {
    texts.withOctets(id) { $0.byteCount <= RepeatedText.limit }
  }

  /// A host, which is cut if another row has it whole.
  package mutating func host(_ octets: [UInt8], isRepeated: Bool) {
    if isRepeated { cut(redaction?.host(octets) ?? octets) } else { host(octets) }
  }

  /// A path, which is cut if another row has it whole.
  package mutating func path(_ octets: [UInt8], isRepeated: Bool) {
    if isRepeated { cut(redaction?.path(octets) ?? octets) } else { path(octets) }
  }

  @inline(never)
  private mutating func cut(_ octets: [UInt8]) {
    let rest = octets.count - RepeatedText.limit
    guard rest > 0 else { return text(octets) }
    octets.withOctets { cutText($0.extracting(0..<RepeatedText.limit), leavingOut: rest) }
  }
}
