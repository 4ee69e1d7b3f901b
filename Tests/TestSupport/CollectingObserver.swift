import HTTPReassembly

/// Keeps what messages say, and how often they end.
package final class CollectingObserver: MessageObserver {
  /// What one message said.
  package struct Said: Equatable, Sendable {
    package var startLine = ""
    package var fields: [String] = []
    package var content: [UInt8] = []
    package var decoded: [UInt8] = []
    package var ends = 0
    package var decodedLength: Int?
  }

  /// By message number.
  package var messages: [Int: Said] = [:]

  package init() {}

  package func startLine(_ line: RawSpan, of message: Int, kind: MessageKind) {
    messages[message, default: Said()].startLine = text(line, 0..<line.byteCount)
  }

  package func fieldLine(_ line: RawSpan, name: Range<Int>?, value: Range<Int>?, of message: Int) {
    let field =
      if let name, let value { "\(text(line, name))|\(text(line, value))" } else {
        "?\(text(line, 0..<line.byteCount))"
      }
    messages[message, default: Said()].fields.append(field)
  }

  package func content(_ octets: RawSpan, of message: Int) {
    octets.append(0..<octets.byteCount, to: &messages[message, default: Said()].content)
  }

  package func decodedContent(_ octets: RawSpan, of message: Int) {
    octets.append(0..<octets.byteCount, to: &messages[message, default: Said()].decoded)
  }

  package func end(of message: Int, decodedLength: Int?) {
    messages[message, default: Said()].ends += 1
    messages[message]?.decodedLength = decodedLength
  }

  private func text(_ line: RawSpan, _ range: Range<Int>) -> String {
    var octets: [UInt8] = []
    line.append(range, to: &octets)
    return String(decoding: octets, as: UTF8.self)
  }
}
