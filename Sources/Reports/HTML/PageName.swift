import HTTPReassembly
import Tabular

/// Hosts, paths and other text from the wire, as the page shows them: redacted, escaped and cut.
///
/// The result is a short text of printable characters in their order. It is still hostile: nothing may take it for
/// markup or a script.
struct PageName {
  let redaction: Redaction?

  func host(_ octets: [UInt8]) -> String { text(redaction?.host(octets) ?? octets) }

  func path(_ octets: [UInt8]) -> String { text(redaction?.path(octets) ?? octets) }

  /// A text of at most `length` Unicode scalars, and how long it is where it is longer.
  func text(_ octets: [UInt8], length: Int = PageLimits.nameLength) -> String {
    // A scalar has at most four octets: more of them than are looked at are more scalars than are shown.
    let scalars = TextEscaping.string(Array(octets.prefix(4 * (length + 1)))).unicodeScalars
    guard scalars.count > length else { return String(scalars) }
    return String(scalars.prefix(length)) + "… (\(Numerals.grouped(octets.count)) bytes)"
  }

  func endpoint(_ endpoint: Endpoint) -> String {
    guard let redaction else { return endpoint.description }
    return String(decoding: redaction.address(endpoint.address), as: UTF8.self) + ":\(endpoint.port)"
  }
}
