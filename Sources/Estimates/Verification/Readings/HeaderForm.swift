/// The form in which an app writes the fields that it counts: *n* fields with *S* octets of names and values make
/// *S* + `perField` · *n* + `base` octets, and those of `quoting`.
///
/// The named forms are those of known programs. `FormFit` finds others from the figures of a log.
struct HeaderForm: Hashable, Sendable {
  /// The parts of a field that count.
  var texts = Texts.namesAndValues
  /// Octets beside names and values, for each field.
  var perField: Int
  /// Octets beside the fields.
  var base: Int
  /// Octets that the form adds to some texts.
  var quoting = Quoting.none
  /// Whether representations of HTTP/2 and HTTP/3 are counted, in place of text.
  var encoding = Encoding.text

  /// The parts of a field that count.
  enum Texts: Int, CaseIterable, Hashable, Sendable { case namesAndValues, values, names, none }

  /// The texts that get longer when they are written.
  enum Quoting: Int, CaseIterable, Hashable, Sendable {
    case none
    /// `"` and `\\` are escaped: json.dumps, JSON.stringify, descriptions of Swift's dictionaries.
    case quotes
    /// As `quotes`, and the solidus: JSONSerialization.
    case solidus
    /// A text in which a character is neither letter nor digit gets quotes: descriptions of NSDictionary.
    case propertyList
  }

  /// The kinds of octets that a form counts.
  enum Encoding: Int, Hashable, Sendable {
    case text
    /// The representations of the fields in HTTP/2 and HTTP/3.
    case representations
    /// As `representations`, with the header of the HEADERS frame.
    case frame
  }

  /// As on the wire.
  static let wire = HeaderForm(perField: 4, base: 2)
  /// Without the empty line.
  static let withoutEmptyLine = HeaderForm(perField: 4, base: 0)
  /// Lines that end with LF, without the empty line.
  static let lineFeed = HeaderForm(perField: 3, base: 0)
  /// Lines that end with LF, the empty line too.
  static let lineFeedWithEmptyLine = HeaderForm(perField: 3, base: 1)
  /// Names and values alone.
  static let namesAndValues = HeaderForm(perField: 0, base: 0)
  /// "name: value", nothing between the lines.
  static let joined = HeaderForm(perField: 2, base: 0)
  /// JSON, pretty-printed as JSONSerialization does.
  static let prettyJSON = HeaderForm(perField: 11, base: 2, quoting: .solidus)
  /// JSON without whitespace, as JSONSerialization writes it.
  static let compactJSON = HeaderForm(perField: 6, base: 1, quoting: .solidus)
  /// JSON without whitespace, as JSON.stringify writes it.
  static let stringifiedJSON = HeaderForm(perField: 6, base: 1, quoting: .quotes)
  /// JSON as json.dumps of Python writes it.
  static let spacedJSON = HeaderForm(perField: 8, base: 0, quoting: .quotes)
  /// A dictionary as Python prints it.
  static let printedDictionary = HeaderForm(perField: 8, base: 0)
  /// The description of an NSDictionary.
  static let propertyList = HeaderForm(perField: 9, base: 3, quoting: .propertyList)
  /// A list of pairs as Python prints it, whose length mitmproxy (11.0) takes.
  static let printedList = HeaderForm(perField: 12, base: 7)
  /// The representations of the fields in HTTP/2.
  static let encoded = HeaderForm(perField: 0, base: 0, encoding: .representations)
  /// As `encoded`, with the header of the HEADERS frame.
  static let encodedWithFrame = HeaderForm(perField: 0, base: 0, encoding: .frame)

  /// The named ways to write fields as text.
  static let texts: [HeaderForm] = [
    .wire, .withoutEmptyLine, .lineFeed, .lineFeedWithEmptyLine, .namesAndValues, .joined, .prettyJSON, .compactJSON,
    .stringifiedJSON, .spacedJSON, .printedDictionary, .propertyList, .printedList,
  ]
  /// The named forms.
  static let all: [HeaderForm] = texts + [.encoded, .encodedWithFrame]

  /// The form, and those that are the same where no text needs a quote.
  var variants: [HeaderForm] {
    [self]
      + Quoting.allCases.filter { $0 != quoting }.map { quoting in
        var form = self
        form.quoting = quoting
        return form
      }
  }

  /// Whether the form has octets that only HTTP/2 has on the wire.
  var isEncoded: Bool { encoding != .text }

  /// The octets beside those of names, values and quoting. A form that has some between fields has other ones without any.
  func octets(fields: Int) -> Int {
    guard fields == 0 else { return base + perField * fields }
    return switch self {
    case .prettyJSON: 4
    case .compactJSON, .stringifiedJSON, .spacedJSON, .printedDictionary: 2
    default: base
    }
  }

  /// The causes of the difference from the wire, for a form of text. `fields` is the number of fields, `quoted` the octets that quoting adds, and
  /// `uncounted` the octets of names and values that do not count.
  func causes(fields: Int, quoted: Int, uncounted: Int) -> [Cause] {
    let octets = octets(fields: fields) + quoted - uncounted - (2 + 4 * fields)
    return switch self {
    case .wire: []
    case .withoutEmptyLine: [Cause(.emptyLine, -2)]
    case .lineFeed: [Cause(.lineTerminator, -fields), Cause(.emptyLine, -2)]
    case .lineFeedWithEmptyLine: [Cause(.lineTerminator, -fields - 1)]
    case .namesAndValues, .joined: [Cause(.separators, octets + 2), Cause(.emptyLine, -2)]
    case .prettyJSON, .compactJSON, .stringifiedJSON: [Cause(.jsonShape, octets)]
    case .printedList: [Cause(.printedList, octets)]
    // Where no character needs an escape, JSON and a printed dictionary are one form.
    case .spacedJSON, .printedDictionary: [Cause(.ownForm, octets, detail: Self.printedDictionary.formula)]
    default: [Cause(.ownForm, octets, detail: formula)]
    }
  }

  /// The improbability of the form.
  var cost: Int {
    switch self {
    case .wire, .encoded: 0
    case .encodedWithFrame, .withoutEmptyLine: 1
    case .lineFeed, .prettyJSON: 2
    case .lineFeedWithEmptyLine, .namesAndValues, .joined, .compactJSON, .stringifiedJSON, .spacedJSON,
      .printedDictionary, .propertyList, .printedList:
      3
    default: Self.unnamedCost + texts.rawValue + quoting.rawValue
    }
  }

  /// The least cost of a form without a name.
  private static let unnamedCost = 6

  /// Whether the form has no name.
  var isUnnamed: Bool { cost >= Self.unnamedCost }

  /// The form as an expression, as in "S + 8n".
  var formula: String {
    var terms: [String] = []
    switch texts {
    case .namesAndValues: terms.append("S")
    case .values: terms.append("values")
    case .names: terms.append("names")
    case .none: break
    }
    if perField != 0 { terms.append(perField == 1 ? "n" : "\(perField)n") }
    if base != 0 || terms.isEmpty { terms.append("\(base)") }
    let sum = terms.dropFirst().reduce(terms[0]) { sum, term in
      term.hasPrefix("-") ? "\(sum) - \(term.dropFirst())" : "\(sum) + \(term)"
    }
    return switch quoting {
    case .none: sum
    case .quotes, .solidus: sum + " + escapes"
    case .propertyList: sum + " + quotes"
    }
  }
}
