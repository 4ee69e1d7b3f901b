import Packets

/// Writes JSON values (RFC 8259) in sequence, with commas between them.
package struct JSONWriter: ~Copyable {
  private var buffer = RowBuffer()
  private var text: [UInt8] = []
  private var needsComma = false

  /// Creates an empty writer.
  package init() {}

  /// A copy of the octets written since `clear`.
  package var octets: [UInt8] { buffer.octets }

  /// The number of octets written since `clear`.
  package var length: Int { buffer.length }

  /// Lends the octets written since `clear`.
  package func withOctets<Failure: Error>(_ body: (RawSpan) throws(Failure) -> Void) throws(Failure) {
    try buffer.withOctets(body)
  }

  /// Starts over. With `needingComma`, the next value is not the first of its object.
  package mutating func clear(needingComma: Bool = false) {
    buffer.clear()
    needsComma = needingComma
  }

  // MARK: Structure

  /// Writes the name of a member; its value comes next. The name needs no escapes.
  package mutating func key(_ name: String) {
    separate()
    buffer.append(UInt8(ascii: "\""))
    buffer.append(name)
    buffer.append("\":" as StaticString)
    needsComma = false
  }

  /// Writes a member's name that is already encoded, with quotes and colon; its value comes next.
  package mutating func key(_ written: [UInt8]) {
    separate()
    buffer.append(written)
    needsComma = false
  }

  /// Writes the name of a member in a `script` element (`inScript`); its value comes next.
  package mutating func key(inScript name: String) {
    inScript(name)
    buffer.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// Starts an object or an array: `{` or `[`.
  package mutating func open(_ bracket: Unicode.Scalar) {
    separate()
    buffer.append(UInt8(ascii: bracket))
    needsComma = false
  }

  /// Ends an object or an array: `}` or `]`.
  package mutating func close(_ bracket: Unicode.Scalar) {
    buffer.append(UInt8(ascii: bracket))
    needsComma = true
  }

  /// Writes a line end, where white space does not matter.
  package mutating func newline() { buffer.append(UInt8(ascii: "\n")) }

  /// Writes a line end after the comma, if one is needed.
  package mutating func newlineAfterComma() {
    separate()
    newline()
    needsComma = false
  }

  // MARK: Numbers and words

  /// Writes `null`.
  package mutating func null() { value { $0.append("null" as StaticString) } }

  /// Writes `true` or `false`.
  package mutating func boolean(_ flag: Bool) {
    value { $0.append(flag ? "true" : "false" as StaticString) }
  }

  /// Writes a value that is already encoded.
  package mutating func written(_ octets: [UInt8]) { value { $0.append(octets) } }

  /// Writes a number.
  package mutating func integer(_ integer: Int) { value { $0.append(integer) } }

  /// Writes a number, or `null` without one.
  package mutating func integer(orNull integer: Int?) {
    if let integer { self.integer(integer) } else { null() }
  }

  /// Writes a duration in nanoseconds as exact milliseconds.
  package mutating func milliseconds(_ nanoseconds: Int64) { value { $0.appendMilliseconds(nanoseconds) } }

  /// Writes a number in thousandths, exactly.
  package mutating func thousandths(_ thousandths: Int) { value { $0.appendThousandths(thousandths) } }

  // MARK: Strings

  /// Writes a text that needs no escapes.
  package mutating func name(_ text: String) { quoted { $0.append(text) } }

  /// Writes a static text that needs no escapes.
  package mutating func name(_ text: StaticString) { quoted { $0.append(text) } }

  /// Writes plain ASCII without quotes and backslashes.
  package mutating func plain(_ octets: [UInt8]) { quoted { $0.append(octets) } }

  /// Writes a capture time in nanoseconds since the Unix epoch (RFC 3339).
  package mutating func dateTime(_ time: Int64) { quoted { $0.appendDateTime(time) } }

  /// Writes `address:port`, with the address hashed if there is a redaction.
  package mutating func endpoint(_ endpoint: Endpoint, _ redaction: Redaction?) {
    quoted { $0.append(endpoint, redaction) }
  }

  /// Writes an address, hashed if there is a redaction.
  package mutating func address(_ address: IPAddress, _ redaction: Redaction?) {
    quoted { $0.append(address, redaction) }
  }

  /// Writes a text from the wire, escaped as in every report (`TextEscaping`). This makes any octets UTF-8 without control characters.
  /// Quotes and backslashes then get JSON's own escapes.
  package mutating func escaped(_ octets: RawSpan) {
    quoted { if !$0.appendPlain(octets) { $0.appendEscapedForJSON(octets) } }
  }

  /// Writes an escaped text from an array.
  package mutating func escaped(_ octets: [UInt8]) { octets.withOctets { escaped($0) } }

  /// Writes an escaped text, followed by a text of the program without control characters.
  package mutating func escaped(_ octets: RawSpan, followedBy end: String) {
    quoted { buffer in
      buffer.appendEscapedForJSON(octets)
      for octet in end.utf8 { buffer.appendForJSON(octet) }
    }
  }

  /// Writes an escaped text that comes again, and keeps its cell in `cells`.
  package mutating func escaped(_ octets: [UInt8], holdingIn cells: inout TextCells) {
    separate()
    needsComma = false
    let start = buffer.length
    escaped(octets)
    cells.remember(octets, cellFrom: start, of: buffer)
  }

  /// Writes a text by its cell in `cells`.
  package mutating func held(_ cell: Int, in cells: borrowing TextCells) {
    separate()
    needsComma = true
    cells.append(cell, to: &buffer)
  }

  /// Writes a text from the wire as it was sent: as UTF-8, or each octet as the character of ISO 8859-1.
  ///
  /// - Returns: Whether it was UTF-8.
  @discardableResult
  package mutating func literal(_ octets: [UInt8]) -> Bool {
    text.removeAll(keepingCapacity: true)
    let isUTF8 = JSONText.isUTF8(octets)
    if isUTF8 { JSONText.append(utf8: octets, to: &text) } else { JSONText.append(latin1: octets, to: &text) }
    let text = text
    quoted { $0.append(text) }
    return isUTF8
  }

  /// Writes a text for a `script` element of HTML. It escapes `<`, `>` and `&`, so that neither `</script` nor `<!--` can occur (HTML
  /// Living Standard §4.12.1.3).
  package mutating func inScript(_ string: String) {
    text.removeAll(keepingCapacity: true)
    JSONText.append(inScript: string, to: &text)
    let text = text
    quoted { $0.append(text) }
  }

  private mutating func quoted(_ body: (inout RowBuffer) -> Void) {
    value { buffer in
      buffer.append(UInt8(ascii: "\""))
      body(&buffer)
      buffer.append(UInt8(ascii: "\""))
    }
  }

  private mutating func value(_ body: (inout RowBuffer) -> Void) {
    separate()
    body(&buffer)
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { buffer.append(UInt8(ascii: ",")) }
  }
}

extension RowBuffer {
  /// Appends escaped text from the wire as the inside of a JSON string (RFC 8259 §7). No control character is left at this point.
  fileprivate mutating func appendEscapedForJSON(_ text: RawSpan) {
    var escaped: [UInt8] = []
    TextEscaping.append(text, to: &escaped)
    for octet in escaped { appendForJSON(octet) }
  }

  /// Appends an octet that is no control character.
  fileprivate mutating func appendForJSON(_ octet: UInt8) {
    if octet == UInt8(ascii: "\"") || octet == UInt8(ascii: "\\") { append(UInt8(ascii: "\\")) }
    append(octet)
  }
}
