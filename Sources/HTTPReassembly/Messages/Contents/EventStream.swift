/// The events of an event stream (HTML Living Standard §9.2.6), counted while the content passes; nothing is stored.
///
/// An event is a blank line after at least one line of the field `data`. Comments, which keep a connection open, and lines of other fields
/// alone make none. A line ends with CRLF, LF or CR.
final class EventStream {
  /// Octets of memory that the counting takes.
  static let memory = 48

  /// The number of events; nil if octets of the content are unknown.
  private(set) var events: Int? = 0
  /// Octets of a byte order mark at the start that were seen; 3 behind it.
  private var mark = 0
  /// Octets of the current line that are the start of `data`; `Self.other` if it is no line of that field, or its colon was seen.
  private var matched = 0
  private var isAfterReturn = false
  private var hasData = false

  private static let field: [UInt8] = [0x64, 0x61, 0x74, 0x61]
  private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]
  private static let other = 5

  /// Whether a media type names an event stream.
  static func isType(_ type: RawSpan) -> Bool {
    guard type.byteCount >= 17, type.octet(5) | 0x20 == 0x65, type.matches("text/event-stream", at: 0) else {
      return false
    }
    return type.byteCount == 17 || type.octet(17) == ASCII.semicolon || type.octet(17) == ASCII.space
      || type.octet(17) == ASCII.tab
  }

  /// Takes octets of the content without its codings.
  func take(_ octets: RawSpan) {
    guard events != nil else { return }
    for index in 0..<octets.byteCount { take(octets.octet(index)) }
  }

  private func take(_ octet: UInt8) {
    if mark < 3 {
      if octet == Self.byteOrderMark[mark] { return mark += 1 }
      if mark > 0 { matched = Self.other }
      mark = 3
    }
    switch octet {
    case ASCII.lineFeed:
      // The one of CRLF ends no line of its own.
      if isAfterReturn { isAfterReturn = false } else { endLine() }
    case ASCII.carriageReturn:
      isAfterReturn = true
      endLine()
    default:
      isAfterReturn = false
      if matched == Self.field.count {
        if octet == ASCII.colon { hasData = true }
        matched = Self.other
      } else if matched < Self.field.count {
        matched = octet == Self.field[matched] ? matched + 1 : Self.other
      }
    }
  }

  private func endLine() {
    if matched == Self.field.count { hasData = true }
    if matched == 0 {
      if hasData { events? += 1 }
      hasData = false
    }
    matched = 0
  }

  /// Notes that octets of the content are unknown.
  func lose() { events = nil }
}
