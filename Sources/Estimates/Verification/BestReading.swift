/// The way in which an app seems to count one figure, in words.
public struct BestReading: Sendable, Equatable {
  /// The figure of a message.
  public var figure: String
  /// The way of counting. Field names in it come from the wire and are not escaped.
  public var description: String
  /// Rows that it fits exactly, among the examined ones (at most 500).
  public var rows: Int
  /// Examined rows that neither it nor an earlier reading of the figure fits, and whose figure is not the wire's.
  public var misses: Int
  /// The number of other ways to count that fit as many rows. The log does not tell which way is used.
  public var rivals: Int
  /// Whether it explains rows that the figure's earlier readings do not fit.
  public var isFurther: Bool

  init(_ figure: String, _ description: String, _ rows: Int, misses: Int, rivals: Int, isFurther: Bool) {
    self.figure = figure
    self.description = description
    self.rows = rows
    self.misses = misses
    self.rivals = rivals
    self.isFurther = isFurther
  }
}

extension LineReading: CustomStringConvertible {
  var description: String {
    switch self {
    case .nothing: "not counted"
    case .encoded: "pseudo-header fields as encoded on the wire"
    case .request(let target, let end, let version):
      "request-line with \(target.words), \(version.words)\(end.words)"
    case .status(let reason, let end, let version):
      "status-line with \(reason.words), \(version.words)\(end.words)"
    }
  }
}

extension LineReading {
  fileprivate var isAsSent: Bool { self == .request(.asSent, .crlf) || self == .status(.asSent, .crlf) }
}

extension LineReading.Target {
  fileprivate var words: String {
    switch self {
    case .asSent: "the target as sent"
    case .path: "the path as sent, no query"
    case .decodedPath: "the path percent-decoded, no query"
    case .decodedPathWithoutSlash: "the path percent-decoded without a slash at its end, no query"
    case .decoded: "path and query percent-decoded"
    case .absolute: "the whole URL"
    }
  }
}

extension LineReading.Reason {
  fileprivate var words: String {
    switch self {
    case .asSent: "the reason phrase as sent"
    case .none: "no reason phrase"
    case .empty: "an empty reason phrase"
    case .registered: "the registered reason phrase"
    case .localized: "the reason phrase as Apple localizes it"
    }
  }
}

extension LineReading.Version {
  /// The version's words before the words of the line's end; empty for the default version.
  fileprivate var words: String {
    switch self {
    case .full: ""
    case .short: "HTTP/2 or HTTP/3 as the version, "
    case .none: "no version, "
    case .absent: "no version and no space for it, "
    }
  }
}

extension LineEnd {
  fileprivate var words: String {
    switch self {
    case .crlf: "ended by CR LF"
    case .lineFeed: "ended by LF"
    case .none: "without line end"
    }
  }
}

extension HeaderReading: CustomStringConvertible {
  var description: String { form.map { described($0.words) } ?? "not counted" }

  /// The description as a part of a sum that may lack any constant octets.
  var descriptionOfSum: String { form.map { described("\($0.ownWords) (\($0.formula))") } ?? "not counted" }

  private func described(_ form: String) -> String {
    var words = form
    if let line { words += line.isAsSent ? ", start-line included" : ", with a \(line)" }
    switch folds {
    case .none: break
    case .comma: words += ", repeated fields folded"
    case .lineFeed: words += ", repeated fields folded with a line feed"
    }
    if namesIdentity { words += ", Transfer-Encoding named Identity" }
    if countsPseudoFields { words += ", pseudo-header fields as fields" }
    if !unsent.isEmpty { words += ", with \(unsent.map(\.name).joined(separator: ", ")), which was not sent" }
    if !unseen.isEmpty { words += ", without \(unseen.joined(separator: ", "))" }
    return words
  }
}

extension HeaderForm {
  fileprivate var words: String {
    let words =
      switch self {
      case .wire: "field lines and empty line as on the wire"
      case .withoutEmptyLine: "field lines without the empty line"
      case .lineFeed: "field lines ended by LF, no empty line"
      case .lineFeedWithEmptyLine: "lines ended by LF"
      case .namesAndValues: "names and values"
      case .joined: "\"name: value\" without line ends"
      case .prettyJSON: "pretty-printed JSON"
      case .compactJSON: "compact JSON"
      case .stringifiedJSON: "JSON as JSON.stringify writes it"
      case .spacedJSON: "JSON as json.dumps of Python writes it"
      case .printedDictionary: "names and values and 8 bytes a field, as Python or Swift prints a dictionary"
      case .propertyList: "the description of an NSDictionary"
      case .printedList: "a list as Python prints it"
      case .encoded: "fields as encoded on the wire"
      case .encodedWithFrame: "fields as encoded on the wire, with the header of their frame"
      default: ownWords
      }
    return isEncoded ? words : "\(words) (\(formula))"
  }

  /// The words for a form that has no name.
  fileprivate var ownWords: String {
    var words =
      switch texts {
      case .namesAndValues: ["names and values"]
      case .values: ["values"]
      case .names: ["names"]
      case .none: [String]()
      }
    if perField != 0 { words.append("\(perField) bytes a field") }
    if base > 0 || words.isEmpty { words.append("\(base) bytes a message") }
    switch quoting {
    case .none: break
    case .quotes, .solidus: words.append("1 byte an escaped character")
    case .propertyList: words.append("the quotes of a property list")
    }
    return words.joined(separator: " and ") + (base < 0 ? ", less \(-base) a message" : "")
  }
}

extension WholeReading: CustomStringConvertible {
  var description: String {
    // A body may have the other parts.
    let parts = body.countsHead && line == .nothing && header == .nothing
    return parts ? "\(body)" : "\(line); \(isOneSum ? header.descriptionOfSum : header.description); \(body)"
  }
}

extension BodyReading: CustomStringConvertible {
  var description: String {
    switch self {
    case .transferred: "content as transferred"
    case .nothing: "not counted"
    case .decoded: "content after decoding"
    case .recompressed: "content decoded and compressed again"
    case .declared: "Content-Length as declared"
    case .expectedLength: "expected length, -1"
    case .framed: "content with chunk framing, or with all frame headers of the message"
    case .framedWithTrailers: "content with chunk framing, or all frame headers, and trailers"
    case .dataFrames: "content with the headers of its frames"
    case .everything: "everything transferred, start-line and header section included"
    case .everythingUnframed: "everything transferred but chunk framing, start-line and header section included"
    case .characters: "characters of the decoded content"
    case .utf16Units: "UTF-16 units of the decoded content"
    case .limited: "content, at most 1 MiB of it"
    case .uncaptured: "content with what the capture lost"
    }
  }
}
