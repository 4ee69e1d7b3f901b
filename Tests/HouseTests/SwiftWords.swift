/// The words and marks of Swift source text, without comments and without what strings and regular expressions say.
///
/// What is interpolated into a string is code, and is there.
struct SwiftWords {
  /// Words, and each mark for itself. A line end is no mark.
  private(set) var words: [String] = []

  private let text: [Character]
  private var index = 0

  /// Takes source text apart.
  init(_ source: String) {
    text = Array(source)
    readCode(until: nil)
  }

  private func isAt(_ mark: String) -> Bool { text[index...].starts(with: mark) }

  /// Reads up to the parenthesis that closes an interpolation, or up to the end of the text.
  private mutating func readCode(until end: Character?) {
    var depth = 0
    while index < text.count {
      let character = text[index]
      if isAt("//") {
        skipLine()
      } else if isAt("/*") {
        skipComment()
      } else if let marks = openingMarks() {
        readLiteral(marks)
      } else if character.isLetter || character == "_" {
        readWord()
      } else {
        if character == end, depth == 0 { return }
        if character == "(" { depth += 1 }
        if character == ")" { depth -= 1 }
        if !character.isWhitespace { words.append(String(character)) }
        index += 1
      }
    }
  }

  private mutating func readWord() {
    let start = index
    while index < text.count, text[index].isLetter || text[index].isNumber || text[index] == "_" { index += 1 }
    words.append(String(text[start..<index]))
  }

  private mutating func skipLine() {
    while index < text.count, !text[index].isNewline { index += 1 }
  }

  /// Comments nest.
  private mutating func skipComment() {
    var depth = 0
    repeat {
      if isAt("/*") {
        depth += 1
        index += 2
      } else if isAt("*/") {
        depth -= 1
        index += 2
      } else {
        index += 1
      }
    } while depth > 0 && index < text.count
  }

  /// A literal that starts here: how many number signs it has, and what opens and closes it; nil when none does.
  private func openingMarks() -> (signs: Int, quote: String)? {
    let signs = text[index...].prefix { $0 == "#" }.count
    let rest = text[(index + signs)...]
    if rest.starts(with: "\"\"\"") { return (signs, "\"\"\"") }
    if rest.first == "\"" { return (signs, "\"") }
    return signs > 0 && rest.first == "/" ? (signs, "/") : nil
  }

  private mutating func readLiteral(_ marks: (signs: Int, quote: String)) {
    let signs = String(repeating: "#", count: marks.signs)
    index += marks.signs + marks.quote.count
    while index < text.count {
      if isAt(marks.quote + signs) {
        index += marks.quote.count + marks.signs
        return
      }
      if marks.quote != "/", isAt("\\" + signs + "(") {
        index += signs.count + 2
        readCode(until: ")")
        index += 1
      } else if text[index] == "\\", marks.signs == 0 || marks.quote == "/" {
        index += 2
      } else {
        index += 1
      }
    }
  }
}
