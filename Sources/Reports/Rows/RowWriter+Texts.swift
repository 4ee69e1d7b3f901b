import HTTPReassembly
import Tabular

extension RowWriter where Self: ~Copyable {
  /// Text from the wire; none is unknown.
  @inline(__always)
  mutating func text(_ id: TextID, _ texts: borrowing TextPool) {
    if id == .none { empty() } else { texts.withOctets(id) { text($0, of: texts.octets(id)) } }
  }

  /// A host from the wire.
  mutating func host(_ id: TextID, _ texts: borrowing TextPool) {
    if redaction == nil { text(id, texts) } else { host(texts.octets(id)) }
  }

  /// A path from the wire.
  mutating func path(_ id: TextID, _ texts: borrowing TextPool) {
    if redaction == nil { text(id, texts) } else { path(texts.octets(id)) }
  }
}
