/// A HAR file of mitmproxy.
///
/// Header: `headersSize`, the length of the list of fields as Python prints it: S + 12n + 7, and one octet more for each tab,
/// backslash or line end, three for each other octet that is no printable ASCII. Body: `bodySize`, the content as transferred,
/// without chunk framing; of a request after decoding.
///
/// Assumes that the proxy sends on what it got; its `content.size`, which HAR 1.2 wants decoded, is the transferred size too.
/// Source: measured with mitmproxy 11.0.2 against packets.
struct MitmproxyHARModel: TrafficModel {
  func request(_ request: SeenRequest) -> PartLengths? {
    PartLengths(
      header: Self.header(request.wire), body: request.wire.decodedLength ?? request.wire.row.octets.body)
  }

  func response(_ response: SeenResponse) -> PartLengths? {
    PartLengths(header: Self.header(response.wire), body: response.wire.row.octets.body)
  }

  private static func header(_ wire: WireMessage) -> Int {
    wire.fields.reduce(7) { length, field in
      length + 12 + field.name.count + field.value.count + escapes(field.name) + escapes(field.value)
    }
  }

  /// Octets that `repr` of Python adds to text.
  private static func escapes(_ text: [UInt8]) -> Int {
    text.reduce(0) { sum, octet in
      switch octet {
      case 0x09, 0x0a, 0x0d, UInt8(ascii: "\\"): sum + 1
      case 0x20..<0x7f: sum
      default: sum + 3
      }
    }
  }
}
