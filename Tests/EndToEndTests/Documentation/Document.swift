import Foundation
import Testing

/// A page of the documentation, taken apart.
struct Document: Sendable, CustomTestStringConvertible {
  /// The path from the top of the repository.
  let name: String
  let text: String

  var testDescription: String { name }

  /// The top of the repository.
  static let root = Corpus.folder.deletingLastPathComponent()

  /// Every page that users read.
  static let pages: [Document] = {
    let fixed = ["README.md", "CONTRIBUTING.md"]
    return (fixed + files("docs") + files("docs/models")).sorted().compactMap(page)
  }()

  /// The articles of the libraries.
  static let articles: [Document] = ["HTTPReassembly", "TrafficProbe"].flatMap { module in
    files("Sources/\(module)/\(module).docc").compactMap(page)
  }

  /// A page by its path; nil where there is none.
  static func page(_ name: String) -> Document? {
    let text = try? String(contentsOf: root.appendingPathComponent(name), encoding: .utf8)
    return text.map { Document(name: name, text: $0) }
  }

  private static func files(_ folder: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path)) ?? []
    return names.filter { $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }
  }

  /// A block of code.
  struct Block: Sendable {
    /// What stands behind the fence; empty for none.
    let language: String
    let lines: [String]
  }

  /// The blocks of code, in their order.
  var blocks: [Block] {
    var blocks: [Block] = []
    var open: (language: String, lines: [String])?
    for line in text.components(separatedBy: "\n") {
      if line.hasPrefix("```") {
        if let block = open { blocks.append(Block(language: block.language, lines: block.lines)) }
        open = open == nil ? (String(line.dropFirst(3)), []) : nil
      } else {
        open?.lines.append(line)
      }
    }
    return blocks
  }

  /// The blocks of code in a language, as they stand there.
  func blocks(_ language: String) -> [String] {
    blocks.filter { $0.language == language }.map { $0.lines.joined(separator: "\n") }
  }

  /// The text without blocks of code.
  var prose: String {
    text.components(separatedBy: "```").enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
      .joined(separator: "\n")
  }

  /// The text under a heading, up to the next one of the same or a higher level; nil without the heading.
  func section(_ heading: String) -> String? {
    let lines = text.components(separatedBy: "\n")
    guard let start = lines.firstIndex(where: { Self.level($0) > 0 && $0.drop { $0 == "#" } == " " + heading }) else {
      return nil
    }
    let level = Self.level(lines[start])
    return lines[(start + 1)...].prefix { Self.level($0) == 0 || Self.level($0) > level }.joined(separator: "\n")
  }

  /// The level of a heading; 0 for other lines.
  private static func level(_ line: String) -> Int {
    let marks = line.prefix { $0 == "#" }.count
    return line.dropFirst(marks).hasPrefix(" ") ? marks : 0
  }

  /// The anchors of the headings, as GitHub makes them.
  var anchors: Set<String> {
    let headings = prose.components(separatedBy: "\n").filter { Self.level($0) > 0 }
    return Set(
      headings.map { heading in
        heading.drop { $0 == "#" }.dropFirst().lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
          .replacing(" ", with: "-")
      })
  }
}
