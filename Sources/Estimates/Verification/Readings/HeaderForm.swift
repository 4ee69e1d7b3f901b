/// The forms in which an app may write the fields that it counts: *n* fields with *S* octets of names and values.
enum HeaderForm: CaseIterable, Hashable, Sendable {
  /// As on the wire: S + 4n + 2.
  case wire
  /// Without the empty line: S + 4n.
  case withoutEmptyLine
  /// Lines that end with LF, without the empty line: S + 3n.
  case lineFeed
  /// Lines that end with LF, the empty line too: S + 3n + 1.
  case lineFeedWithEmptyLine
  /// Names and values alone: S.
  case namesAndValues
  /// "name: value", nothing between the lines: S + 2n.
  case joined
  /// JSON, pretty-printed as JSONSerialization does: S + 11n + 2, and one for each escaped character.
  case prettyJSON
  /// JSON without whitespace: S + 6n + 1, and one for each escaped character.
  case compactJSON
  /// A list of pairs as Python prints it, whose length mitmproxy (11.0) takes: S + 12n + 7.
  case printedList
  /// The representations of the fields in HTTP/2.
  case encoded
  /// As `encoded`, with the header of the HEADERS frame: 9 octets.
  case encodedWithFrame

  /// The ways to write fields as text.
  static let texts = allCases.filter { !$0.isEncoded }

  /// Whether the form has octets that only HTTP/2 has on the wire.
  var isEncoded: Bool { self == .encoded || self == .encodedWithFrame }

  /// Octets beside names and values, for each field.
  var perField: Int {
    switch self {
    case .wire, .withoutEmptyLine: 4
    case .lineFeed, .lineFeedWithEmptyLine: 3
    case .namesAndValues, .encoded, .encodedWithFrame: 0
    case .joined: 2
    case .prettyJSON: 11
    case .compactJSON: 6
    case .printedList: 12
    }
  }

  /// Octets beside the fields.
  var base: Int {
    switch self {
    case .wire, .prettyJSON: 2
    case .lineFeedWithEmptyLine, .compactJSON: 1
    case .printedList: 7
    case .withoutEmptyLine, .lineFeed, .namesAndValues, .joined, .encoded, .encodedWithFrame: 0
    }
  }

  var isJSON: Bool { self == .prettyJSON || self == .compactJSON }

  /// The causes of the difference from the wire, for `fields` fields with `escaped` characters that JSON escapes.
  func causes(fields: Int, escaped: Int) -> [Cause] {
    let octets = base + perField * fields + (isJSON ? escaped : 0) - (2 + 4 * fields)
    return switch self {
    case .wire: []
    case .withoutEmptyLine: [Cause(.emptyLine, -2)]
    case .lineFeed: [Cause(.lineTerminator, -fields), Cause(.emptyLine, -2)]
    case .lineFeedWithEmptyLine: [Cause(.lineTerminator, -fields - 1)]
    case .namesAndValues, .joined: [Cause(.separators, octets + 2), Cause(.emptyLine, -2)]
    case .prettyJSON, .compactJSON: [Cause(.jsonShape, octets)]
    case .printedList: [Cause(.printedList, octets)]
    case .encoded: []
    case .encodedWithFrame: [Cause(.frameHeaders, Self.frameHeader)]
    }
  }

  /// Octets of the header of a frame (RFC 9113 §4.1).
  private static let frameHeader = 9

  /// The improbability of the form.
  var cost: Int {
    switch self {
    case .wire, .encoded: 0
    case .encodedWithFrame: 1
    case .withoutEmptyLine: 1
    case .lineFeed, .prettyJSON: 2
    case .lineFeedWithEmptyLine, .namesAndValues, .joined, .compactJSON, .printedList: 3
    }
  }
}
