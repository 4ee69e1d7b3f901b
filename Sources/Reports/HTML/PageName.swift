import HTTPReassembly
import Tabular

/// Hosts, paths and other text from the wire in the page's form: redacted, escaped and cut.
///
/// The result is a short text of printable characters in their order. It is still hostile: no code may take it for markup or a
/// script.
struct PageName {
  let redaction: Redaction?

  func host(_ octets: [UInt8]) -> String { text(redaction?.host(octets) ?? octets) }

  func path(_ octets: [UInt8]) -> String { text(redaction?.path(octets) ?? octets) }

  /// A text of at most `length` Unicode scalars and `room` octets in the page. A cut text shows its length.
  func text(
    _ octets: [UInt8], length: Int = PageLimits.nameLength, room: Int = PageLimits.nameOctets
  ) -> String {
    // A scalar has at most four octets, so these octets have more scalars than are shown.
    let scalars = TextEscaping.string(Array(octets.prefix(4 * (length + 1)))).unicodeScalars
    var room = room
    var end = scalars.startIndex
    var count = 0
    while end < scalars.endIndex, count < length {
      room -= Self.cost(scalars[end])
      if room < 0 { break }
      end = scalars.index(after: end)
      count += 1
    }
    guard end < scalars.endIndex else { return String(scalars) }
    return String(scalars[..<end]) + "… (\(Numerals.grouped(octets.count)) bytes)"
  }

  func endpoint(_ endpoint: Endpoint) -> String {
    guard redaction != nil else { return endpoint.description }
    return "\(address(endpoint.address)):\(endpoint.port)"
  }

  func address(_ address: IPAddress) -> String {
    guard let redaction else { return address.description }
    return String(decoding: redaction.address(address), as: UTF8.self)
  }

  /// Octets of a scalar in the page's data (`JSONWriter.inScript`).
  private static func cost(_ scalar: Unicode.Scalar) -> Int {
    switch scalar {
    case "<", ">", "&": 6
    case "\"", "\\": 2
    default: UTF8.width(scalar)
    }
  }
}
