import HTTPReassembly
import Tabular

/// The form of a long host or path that another row already has.
///
/// An interim response repeats the name of its request. There may be thousands of a few octets each to one request. With the
/// whole name in every row, a report would be thousands of times as long as its capture. A cut text ends with `\+` and the number
/// of octets that are left out. No other text has that: a backslash from the wire is doubled, and `\x` starts every other escape.
enum RepeatedText {
  /// Octets of a repeated text that a row has whole: longer than nearly all names, and no longer than the rest of the row.
  static let limit = 256
  /// The mark before the number of octets that are left out.
  static let mark: StaticString = "\\+"
}

extension RowWriter where Self: ~Copyable {
  /// The host of a message of this kind.
  @inline(__always)
  mutating func host(_ id: TextID, _ texts: borrowing TextPool, of kind: MessageKind) {
    if kind != .interim || isShort(id, texts) { host(id, texts) } else { host(texts.octets(id), of: kind) }
  }

  /// The path of a message of this kind.
  @inline(__always)
  mutating func path(_ id: TextID, _ texts: borrowing TextPool, of kind: MessageKind) {
    if kind != .interim || isShort(id, texts) { path(id, texts) } else { path(texts.octets(id), of: kind) }
  }

  private func isShort(_ id: TextID, _ texts: borrowing TextPool) -> Bool {
    texts.withOctets(id) { $0.byteCount <= RepeatedText.limit }
  }

  /// The host of a message of this kind.
  package mutating func host(_ octets: [UInt8], of kind: MessageKind) {
    if kind == .interim { cut(redaction?.host(octets) ?? octets) } else { host(octets) }
  }

  /// The path of a message of this kind.
  package mutating func path(_ octets: [UInt8], of kind: MessageKind) {
    if kind == .interim { cut(redaction?.path(octets) ?? octets) } else { path(octets) }
  }

  @inline(never)
  private mutating func cut(_ octets: [UInt8]) {
    let rest = octets.count - RepeatedText.limit
    guard rest > 0 else { return text(octets) }
    octets.withOctets { cutText($0.extracting(0..<RepeatedText.limit), leavingOut: rest) }
  }
}
