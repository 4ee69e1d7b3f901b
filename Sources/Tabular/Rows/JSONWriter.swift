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

  /// Lends what has been written since `clear`.
  package func withOctets(_ body: (RawSpan) throws(ReportError) -> Void) throws(ReportError) {
    try buffer.withOctets(body)
  }

  /// Starts over: after `needingComma`, the next thing is not the first of its object.
  package mutating func clear(needingComma: Bool = false) {
    buffer.clear()
    needsComma = needingComma
  }

  /// The name of a member; its value comes next. Names are our own and need no escapes.
  package mutating func key(_ name: String) {
    separate()
    buffer.append(UInt8(ascii: "\""))
    buffer.append(name)
    buffer.append("\":")
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

  /// A number.
  package mutating func integer(_ value: Int) {
    separate()
    buffer.append(value)
    needsComma = true
  }

  /// A duration in milliseconds, exact; −1 for nil, as HAR has it.
  package mutating func milliseconds(_ nanoseconds: Int64?) {
    separate()
    if let nanoseconds { buffer.appendMilliseconds(nanoseconds) } else { buffer.append(-1) }
    needsComma = true
  }

  /// `true` or `false`.
  package mutating func boolean(_ value: Bool) {
    separate()
    buffer.append(value ? "true" : "false")
    needsComma = true
  }

  /// A text of our own that needs no escapes.
  package mutating func name(_ text: String) {
    quoted { $0.append(text) }
  }

  /// A text from the wire as every report has it (`TextEscaping`).
  package mutating func escaped(_ octets: [UInt8]) {
    quoted { buffer in octets.withOctets { buffer.appendEscapedForJSON($0) } }
  }

  /// A text from the wire as it was sent: UTF-8, or else each octet as the character of ISO 8859-1.
  ///
  /// - Returns: Whether it was UTF-8.
  @discardableResult
  package mutating func literal(_ octets: [UInt8]) -> Bool {
    text.removeAll(keepingCapacity: true)
    let isUTF8 = JSONText.isUTF8(octets)
    if isUTF8 { JSONText.append(utf8: octets, to: &text) } else { JSONText.append(latin1: octets, to: &text) }
    quoteText()
    return isUTF8
  }

  /// Plain ASCII without quotes and backslashes.
  package mutating func plain(_ octets: [UInt8]) {
    quoted { $0.append(octets) }
  }

  /// A time of capture in nanoseconds since the Unix epoch (RFC 3339).
  package mutating func dateTime(_ time: Int64) {
    quoted { $0.appendDateTime(time) }
  }

  /// `address:port`.
  package mutating func endpoint(_ endpoint: Endpoint, _ redaction: Redaction?) {
    quoted { buffer in
      guard let redaction else { return buffer.append(endpoint) }
      buffer.append(redaction.address(endpoint.address))
      buffer.append(UInt8(ascii: ":"))
      buffer.append(Int(endpoint.port))
    }
  }

  private mutating func quoteText() {
    let text = text
    quoted { $0.append(text) }
  }

  private mutating func quoted(_ body: (inout RowBuffer) -> Void) {
    separate()
    buffer.append(UInt8(ascii: "\""))
    body(&buffer)
    buffer.append(UInt8(ascii: "\""))
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { buffer.append(UInt8(ascii: ",")) }
  }
}
