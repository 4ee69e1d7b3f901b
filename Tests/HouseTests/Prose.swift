import Foundation

/// The paragraphs of comments in Swift sources, and of Markdown pages, without code.
struct Prose {
  /// A paragraph, and the number of its first line, from 1.
  struct Paragraph: Equatable {
    let line: Int
    var text: String
  }

  private(set) var paragraphs: [Paragraph] = []

  /// Reads the comments of Swift source text, or a page.
  init(_ text: String, isSwift: Bool) {
    var isInFence = false
    var isOpen = false
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      var prose: Substring? = isSwift ? Self.comment(line) : line.hasPrefix("#") ? nil : line
      if let marked = prose, marked.trimmed.hasPrefix("```") {
        isInFence.toggle()
        prose = nil
      }
      guard !isInFence, let prose, case let words = prose.trimmed, !words.isEmpty else {
        isOpen = false
        continue
      }
      if words.hasPrefix("|") {
        paragraphs += words.split(separator: "|").map { Paragraph(line: index + 1, text: String($0.trimmed)) }
        isOpen = false
      } else if "-*0123456789".utf8.contains(words.utf8.first ?? 0),
        let item = words.wholeMatch(of: /(?:[-*]|[0-9]+\.) +(.*)/)
      {
        paragraphs.append(Paragraph(line: index + 1, text: String(item.1)))
        isOpen = true
      } else if isOpen {
        paragraphs[paragraphs.count - 1].text += " " + words
      } else {
        paragraphs.append(Paragraph(line: index + 1, text: String(words)))
        isOpen = true
      }
    }
    // A regular expression takes far longer than a look for an octet that it needs.
    for (index, text) in paragraphs.map(\.text).enumerated() {
      if text.utf8.contains(UInt8(ascii: "`")) {
        paragraphs[index].text.replace(/``[^`]*``|`[^`]*`/, with: "`")
      }
      if text.utf8.contains(UInt8(ascii: "[")) { paragraphs[index].text.replace(/\[([^\]]*)\]\([^)]*\)/) { $0.1 } }
      if "PRT".utf8.contains(text.utf8.first ?? 0) {
        paragraphs[index].text.replace(/^(?:Parameters?|Returns|Throws|Parameter [^:]*):\s*/, with: "")
      }
    }
  }

  /// The text of a line that is a comment.
  private static func comment(_ line: Substring) -> Substring? {
    let code = line.drop { $0 == " " }
    guard code.hasPrefix("//"), !code.contains("swift-format-ignore"), !code.hasPrefix("// MARK:") else { return nil }
    return code.drop { $0 == "/" }
  }

  /// What is wrong with the words, a line each: patterns that hide the subject of a sentence, and words that have a better one.
  var faults: [(line: Int, fault: String)] {
    paragraphs.flatMap { paragraph -> [(line: Int, fault: String)] in
      let hidden = Self.sentences(paragraph.text).filter { sentence in
        let word = sentence.drop { !$0.isLetter && !$0.isNumber }.prefix { $0.isLetter || $0.isNumber }
        return Self.questions.contains(word) && sentence.firstMatch(of: /\?[")]*$/) == nil
      }
      let words = Self.words.filter { words, _ in
        paragraph.text.range(of: words, options: [.regularExpression, .caseInsensitive]) != nil
      }
      return hidden.map { (paragraph.line, "subject: \($0.prefix(60))") } + words.map { (paragraph.line, $0.better) }
    }
  }

  private static let questions: Set<Substring> = ["What", "Who", "Whoever", "Whatever", "Whose"]
  private static let words = [
    ("\\bof which\\b", better: "of which"), ("\\bthat of\\b", better: "that of"),
    ("\\bthe same of\\b", better: "the same of"), ("\\banalys(?:e|ed|ing|er|ers)\\b", better: "analyze"),
    ("\\bholes?\\b", better: "gap"),
  ]
}

extension Prose {
  /// Sentences, with their marks.
  private static func sentences(_ text: String) -> [String] {
    var sentences = [""]
    var isAtEnd = false
    for character in text {
      if isAtEnd, character.isWhitespace {
        sentences.append("")
      } else {
        sentences[sentences.count - 1].append(character)
      }
      isAtEnd = ".!?:;".contains(character)
    }
    return sentences.filter { !$0.isEmpty }
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    let start = drop { $0.isWhitespace }
    return start[..<(start.lastIndex { !$0.isWhitespace }.map { start.index(after: $0) } ?? start.startIndex)]
  }
}
