import Tabular

/// Parses conditions (`Condition`) by recursive descent, no deeper than `Condition.depthLimit`.
struct ConditionParser {
  /// The columns so far, each once.
  private(set) var columns: [ConditionColumn] = []
  private let text: String
  private var lexer: ConditionLexer
  /// The next token, and its start.
  private var token: ConditionToken
  private var start: Int

  init(_ text: String) throws(ConditionError) {
    guard text.utf8.count <= Condition.lengthLimit else {
      throw ConditionError("the condition has more than \(Condition.lengthLimit) bytes", at: 0, in: text)
    }
    self.text = text
    lexer = ConditionLexer(text)
    (start, token) = try lexer.next()
  }

  /// Parses the whole condition.
  mutating func parse() throws(ConditionError) -> ConditionNode {
    if token == .end { throw fault("the condition is empty") }
    let node = try condition(depth: 0)
    if token == .end { return node }
    throw fault(token == .close ? "there is no ( for this )" : "&& or || is missing here")
  }

  private mutating func condition(depth: Int) throws(ConditionError) -> ConditionNode {
    var nodes = [try term(depth: depth)]
    while token == .or {
      try advance()
      nodes.append(try term(depth: depth))
    }
    return nodes.count == 1 ? nodes[0] : .any(nodes)
  }

  private mutating func term(depth: Int) throws(ConditionError) -> ConditionNode {
    var nodes = [try factor(depth: depth)]
    while token == .and {
      try advance()
      nodes.append(try factor(depth: depth))
    }
    return nodes.count == 1 ? nodes[0] : .all(nodes)
  }

  private mutating func factor(depth: Int) throws(ConditionError) -> ConditionNode {
    guard depth < Condition.depthLimit else {
      throw fault("more than \(Condition.depthLimit) parentheses and ! lie in each other")
    }
    switch token {
    case .not:
      try advance()
      return .not(try factor(depth: depth + 1))
    case .open:
      try advance()
      let node = try condition(depth: depth + 1)
      guard token == .close else { throw fault("a ) is missing here") }
      try advance()
      return node
    case .word(let name): return try comparison(name)
    default: throw fault("the name of a column is missing here")
    }
  }

  private mutating func comparison(_ name: String) throws(ConditionError) -> ConditionNode {
    guard let column = ConditionColumn(name) else {
      throw fault("there is no column \(name)" + ConditionColumn.hint(for: name))
    }
    try advance()
    guard case .comparison(let comparison) = token else {
      throw fault("one of \(ConditionOperator.allCases.map(\.rawValue).joined(separator: " ")) is missing here")
    }
    let sign = start
    try advance()
    let position = position(of: column)
    switch token {
    case .word("unknown"):
      guard comparison == .equal || comparison == .notEqual else {
        throw ConditionError("unknown goes with == and != only", at: sign, in: text)
      }
      try advance()
      return .known(position, comparison == .notEqual)
    case .text(let value):
      guard column.isText else { throw fault("\(name) is a number, and this is a text") }
      try advance()
      return comparison == .like
        ? .like(position, TextPattern(value)) : .text(position, comparison, Array(value.utf8))
    case .number(let whole, let millionths):
      guard !column.isText else { throw fault("\(name) is a text, which needs quotes here") }
      guard comparison != .like else { throw ConditionError("=~ goes with texts only", at: sign, in: text) }
      try advance()
      return .number(position, comparison, whole, millionths: millionths)
    case .word: throw fault(column.isText ? "a text needs quotes" : "a number is missing here")
    default: throw fault(column.isText ? "a text in quotes is missing here" : "a number is missing here")
    }
  }

  private mutating func position(of column: ConditionColumn) -> Int {
    if let position = columns.firstIndex(of: column) { return position }
    columns.append(column)
    return columns.count - 1
  }

  private mutating func advance() throws(ConditionError) { (start, token) = try lexer.next() }

  private func fault(_ reason: String) -> ConditionError { ConditionError(reason, at: start, in: text) }
}

/// A word, sign or value of a condition.
enum ConditionToken: Equatable {
  case end, and, or, not, open, close
  case comparison(ConditionOperator)
  /// A name of a column, or `unknown`.
  case word(String)
  case text(String)
  case number(Int, millionths: Int)
}

/// Splits a condition into tokens.
struct ConditionLexer {
  private let text: String
  private let scalars: [Unicode.Scalar]
  private var place = 0

  init(_ text: String) {
    self.text = text
    scalars = Array(text.unicodeScalars)
  }

  /// The next token, and the number of scalars before it.
  mutating func next() throws(ConditionError) -> (Int, ConditionToken) {
    while let scalar = scalar(), scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r" { place += 1 }
    let start = place
    guard let first = scalar() else { return (start, .end) }
    switch first {
    case "(": return take(1, .open)
    case ")": return take(1, .close)
    case "\"", "'": return (start, try text(endingWith: first))
    case "0"..."9": return (start, try number())
    case "-":
      guard let digit = scalar(1), "0"..."9" ~= digit else { break }
      return (start, try number())
    case "a"..."z", "A"..."Z", "_":
      while let scalar = scalar(), Self.isOfWord(scalar) { place += 1 }
      return (start, .word(String(String.UnicodeScalarView(scalars[start..<place]))))
    default: break
    }
    switch (first, scalar(1)) {
    case ("&", "&"): return take(2, .and)
    case ("|", "|"): return take(2, .or)
    case ("=", "="): return take(2, .comparison(.equal))
    case ("!", "="): return take(2, .comparison(.notEqual))
    case ("<", "="): return take(2, .comparison(.lessOrEqual))
    case (">", "="): return take(2, .comparison(.greaterOrEqual))
    case ("=", "~"): return take(2, .comparison(.like))
    case ("<", _): return take(1, .comparison(.less))
    case (">", _): return take(1, .comparison(.greater))
    case ("!", _): return take(1, .not)
    case ("&", _): throw fault("and is written &&")
    case ("|", _): throw fault("or is written ||")
    case ("=", _): throw fault("equal is written ==")
    default: throw fault("no word, sign or value begins like this")
    }
  }

  private mutating func take(_ count: Int, _ token: ConditionToken) -> (Int, ConditionToken) {
    defer { place += count }
    return (place, token)
  }

  private func scalar(_ offset: Int = 0) -> Unicode.Scalar? {
    place + offset < scalars.count ? scalars[place + offset] : nil
  }

  private static func isOfWord(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "_", "0"..."9": true
    default: false
    }
  }

  /// A text; a backslash before the quote, or before a backslash, makes it part of the text.
  private mutating func text(endingWith quote: Unicode.Scalar) throws(ConditionError) -> ConditionToken {
    let start = place
    var value = String.UnicodeScalarView()
    place += 1
    while let scalar = scalar() {
      place += 1
      if scalar == quote { return .text(String(value)) }
      guard scalar == "\\" else {
        value.append(scalar)
        continue
      }
      guard let escaped = self.scalar(), escaped == "\\" || escaped == "\"" || escaped == "'" else {
        throw ConditionError("after a backslash comes a quote or a backslash", at: place - 1, in: text)
      }
      value.append(escaped)
      place += 1
    }
    throw ConditionError("this text has no end", at: start, in: text)
  }

  /// A number with up to six decimals.
  private mutating func number() throws(ConditionError) -> ConditionToken {
    let start = place
    let isNegative = scalar() == "-"
    if isNegative { place += 1 }
    var whole = 0
    while let digit = digit() {
      let (product, overflow) = whole.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(digit)
      if overflow || carry { throw ConditionError("this number is too large", at: start, in: text) }
      whole = sum
      place += 1
    }
    var millionths = 0
    if scalar() == "." {
      place += 1
      var unit = 100_000
      guard digit() != nil else { throw fault("a digit is missing here") }
      while let digit = digit() {
        guard unit > 0 else { throw ConditionError("a number has six decimals at most", at: start, in: text) }
        millionths += digit * unit
        unit /= 10
        place += 1
      }
    }
    if let scalar = scalar(), Self.isOfWord(scalar) || scalar == "." {
      throw ConditionError("this is not a number", at: start, in: text)
    }
    guard isNegative else { return .number(whole, millionths: millionths) }
    return millionths == 0 ? .number(-whole, millionths: 0) : .number(-whole - 1, millionths: 1_000_000 - millionths)
  }

  private func digit() -> Int? {
    guard let scalar = scalar(), "0"..."9" ~= scalar else { return nil }
    return Int(scalar.value - 0x30)
  }

  private func fault(_ reason: String) -> ConditionError { ConditionError(reason, at: place, in: text) }
}
