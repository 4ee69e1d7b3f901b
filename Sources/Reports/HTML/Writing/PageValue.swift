/// A JSON value (RFC 8259) of the page's data.
enum PageValue {
  case null
  case flag(Bool)
  case integer(Int)
  /// A duration in nanoseconds, written in milliseconds.
  case milliseconds(Int64)
  case text(String)
  case list([PageValue])
  case object([(name: String, value: PageValue)])

  /// The value, or null.
  static func optional(_ integer: Int?) -> PageValue { integer.map { .integer($0) } ?? .null }

  /// The duration, or null.
  static func milliseconds(_ nanoseconds: Int64?) -> PageValue { nanoseconds.map { .milliseconds($0) } ?? .null }

  /// Appends the value as JSON that can stand in a `script` element: `<`, `>` and `&` are escaped, so that neither
  /// `</script` nor `<!--` can occur (HTML Living Standard §4.12.1.3).
  func append(to buffer: inout RowBuffer) {
    switch self {
    case .null: buffer.append("null")
    case .flag(let flag): buffer.append(flag ? "true" : "false")
    case .integer(let integer): buffer.append(integer)
    case .milliseconds(let nanoseconds): buffer.appendMilliseconds(nanoseconds)
    case .text(let text): Self.append(text, to: &buffer)
    case .list(let values):
      Self.append(values, "[", "]", to: &buffer) { value, buffer in value.append(to: &buffer) }
    case .object(let members):
      Self.append(members, "{", "}", to: &buffer) { member, buffer in
        Self.append(member.name, to: &buffer)
        buffer.append(UInt8(ascii: ":"))
        member.value.append(to: &buffer)
      }
    }
  }

  private static func append<Element>(
    _ elements: [Element], _ start: String, _ end: String, to buffer: inout RowBuffer,
    _ append: (Element, inout RowBuffer) -> Void
  ) {
    buffer.append(start)
    for (index, element) in elements.enumerated() {
      if index > 0 { buffer.append(UInt8(ascii: ",")) }
      append(element, &buffer)
    }
    buffer.append(end)
  }

  private static func append(_ text: String, to buffer: inout RowBuffer) {
    buffer.append(UInt8(ascii: "\""))
    for octet in text.utf8 {
      switch octet {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        buffer.append(UInt8(ascii: "\\"))
        buffer.append(octet)
      case 0..<0x20, 0x7f, UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"):
        buffer.append("\\u00")
        buffer.append(TextEscaping.hexadecimalDigit(octet >> 4))
        buffer.append(TextEscaping.hexadecimalDigit(octet & 0xf))
      default: buffer.append(octet)
      }
    }
    buffer.append(UInt8(ascii: "\""))
  }
}
