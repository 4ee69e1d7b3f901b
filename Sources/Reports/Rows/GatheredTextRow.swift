import HTTPReassembly
import Tabular

/// A row whose texts are in a buffer of its own, one after the other, and whose cells have their lengths.
protocol GatheredTextRow: RowWriter, ~Copyable {
  /// The texts so far.
  var texts: RowBuffer { get set }

  /// Ends a cell whose text is in `texts` from `start` on.
  mutating func endText(_ start: Int)
}

extension GatheredTextRow where Self: ~Copyable {
  mutating func name(_ name: StaticString) {
    guard name.utf8CodeUnitCount > 0 else { return empty() }
    let start = texts.length
    texts.append(name)
    endText(start)
  }

  mutating func name(_ name: String) {
    guard !name.isEmpty else { return empty() }
    let start = texts.length
    texts.append(name)
    endText(start)
  }

  mutating func flags(_ bits: UInt64, names: @autoclosure () -> [String]) {
    let start = texts.length
    if bits != 0 { texts.append(flags: bits, names: names()) }
    endText(start)
  }

  mutating func endpoint(_ endpoint: Endpoint) {
    let start = texts.length
    texts.append(endpoint, redaction)
    endText(start)
  }

  mutating func endpointParts(client: Endpoint, server: Endpoint) {
    for end in [client, server] {
      let start = texts.length
      texts.append(end.address, redaction)
      endText(start)
      integer(Int(end.port))
    }
  }

  mutating func text(_ octets: RawSpan) {
    guard !octets.isEmpty else { return empty() }
    let start = texts.length
    if !texts.appendPlain(octets) { texts.appendEscaped(octets) }
    endText(start)
  }

  mutating func cutText(_ start: RawSpan, leavingOut count: Int) {
    let cell = texts.length
    texts.appendEscaped(start)
    texts.append(RepeatedText.mark)
    texts.append(count)
    endText(cell)
  }
}
