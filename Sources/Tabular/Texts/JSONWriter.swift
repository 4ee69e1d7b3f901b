import Packets

/// Writes JSON values (RFC 8259) one after the other, and puts the commas between them.
package struct JSONWriter: ~Copyable {
  private var buffer = RowBuffer()
  private var text: [UInt8] = []
  private var needsComma = false

  /// Nothing has been written.
  package init() {}

  /// A copy of what has been written since `clear`.
  package var octets: [UInt8] { buffer.octets }

  /// How many octets have been written since `clear`.
  package var length: Int { buffer.length }

  /// Lends what has been written since `clear`.
  package func withOctets<Failure: Error>(_ body: (RawSpan) throws(Failure) -> Void) throws(Failure) {
    try buffer.withOctets(body)
  }

  /// Starts over: after `needingComma`, the next thing is not the first of its object.
  package mutating func clear(needingComma: Bool = false) {
    buffer.clear()
    needsComma = needingComma
  }

  // MARK: Structure

  /// The name of a member; its value comes next. Names are our own and need no escapes.
  package mutating func key(_ name: String) {
    separate()
    buffer.append(UInt8(ascii: "\""))
    buffer.append(name)
    buffer.append("\":" as StaticString)
    needsComma = false
  }

  /// The name of a member as it is written, with its quotes and its colon; its value comes next.
  package mutating func key(_ written: [UInt8]) {
    separate()
    buffer.append(written)
    needsComma = false
  }

  /// The name of a member in a `script` element (`inScript`); its value comes next.
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

  /// A line end, where white space does not matter.
  package mutating func newline() { buffer.append(UInt8(ascii: "\n")) }

  /// A line end after the comma, where one is needed.
  package mutating func newlineAfterComma() {
    separate()
    newline()
    needsComma = false
  }

  // MARK: Numbers and words

  /// `null`.
  package mutating func null() { value { $0.append("null" as StaticString) } }

  /// `true` or `false`.
  package mutating func boolean(_ flag: Bool) {
    value { $0.append(flag ? "true" : "false" as StaticString) }
  }

  /// A value that another writer has written.
  package mutating func written(_ octets: [UInt8]) { value { $0.append(octets) } }

  /// A number.
  package mutating func integer(_ integer: Int) { value { $0.append(integer) } }

  /// A duration in nanoseconds, in milliseconds: exact.
  package mutating func milliseconds(_ nanoseconds: Int64) { value { $0.appendMilliseconds(nanoseconds) } }

  /// A number given in thousandths: exact.
  package mutating func thousandths(_ thousandths: Int) { value { $0.appendThousandths(thousandths) } }

  // MARK: Strings

  /// A text of our own that needs no escapes.
  package mutating func name(_ text: String) { quoted { $0.append(text) } }

  /// A text of the program's own that needs no escapes.
  package mutating func name(_ text: StaticString) { quoted { $0.append(text) } }

  /// Plain ASCII without quotes and backslashes.
  package mutating func plain(_ octets: [UInt8]) { quoted { $0.append(octets) } }

  /// A time of capture in nanoseconds since the Unix epoch (RFC 3339).
  package mutating func dateTime(_ time: Int64) { quoted { $0.appendDateTime(time) } }

  /// `address:port`.
  package mutating func endpoint(_ endpoint: Endpoint, _ redaction: Redaction?) {
    quoted { $0.append(endpoint, redaction) }
  }

  /// An address, hashed if there is a redaction.
  package mutating func address(_ address: IPAddress, _ redaction: Redaction?) {
    quoted { $0.append(address, redaction) }
  }

  /// A text from the wire as every report has it (`TextEscaping`), which makes it UTF-8 without control characters
  /// whatever the octets were; then JSON's own escapes are put before quotes and backslashes.
  package mutating func escaped(_ octets: RawSpan) {
    quoted { if !$0.appendPlain(octets) { $0.appendEscapedForJSON(octets) } }
  }

  /// As above.
  package mutating func escaped(_ octets: [UInt8]) { octets.withOctets { escaped($0) } }

  /// As above, with something of our own after it, which has no control characters.
  package mutating func escaped(_ octets: RawSpan, followedBy end: String) {
    quoted { buffer in
      buffer.appendEscapedForJSON(octets)
      for octet in end.utf8 { buffer.appendForJSON(octet) }
    }
  }

  /// As above, of a text that comes again: what is written is held in `cells`.
  package mutating func escaped(_ octets: [UInt8], holdingIn cells: inout TextCells) {
    separate()
    needsComma = false
    let start = buffer.length
    escaped(octets)
    cells.remember(octets, cellFrom: start, of: buffer)
  }

  /// A text that is held in `cells`; nothing when it is not.
  package mutating func held(_ octets: RawSpan, in cells: borrowing TextCells) {
    separate()
    needsComma = cells.append(cellOf: octets, to: &buffer)
  }

  /// A text from the wire as it was sent: UTF-8, or else each octet as the character of ISO 8859-1.
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

  /// A text that can stand in a `script` element of HTML: `<`, `>` and `&` are escaped, so that neither `</script` nor
  /// `<!--` can occur (HTML Living Standard §4.12.1.3).
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
  /// Appends text from the wire, escaped, and as what stands between the quotes of a JSON string (RFC 8259 §7). No
  /// control character is left by then.
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
