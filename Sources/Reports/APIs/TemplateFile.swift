import HTTPReassembly
import Yams

/// A file of path patterns: one a line, or an OpenAPI description with its paths.
package enum TemplateFile {
  /// The largest number of patterns: large services describe some thousands.
  package static let patternLimit = 1 << 16
  /// The largest number of octets: the largest published descriptions have some ten million.
  package static let sizeLimit = 32 << 20

  /// Reads the text of a file.
  ///
  /// A line is a pattern; a line that begins with `#` is a comment. A mapping with the key `paths`, in YAML or JSON, is an
  /// OpenAPI or Swagger description. The path of its first server, or its `basePath`, precedes each of its paths.
  ///
  /// - Throws: The fault, in one line.
  package static func patterns(in text: String) throws(TemplateFileError) -> [[UInt8]] {
    // No description begins with a path, and YAML takes long for many of them.
    var found = isList(text) ? [] : try described(in: text)
    if found.isEmpty { found = try lines(of: text) }
    guard found.count <= patternLimit else { throw TemplateFileError("has more than \(patternLimit) patterns") }
    guard !found.isEmpty else { throw TemplateFileError("has no patterns") }
    return found.map { Array($0.utf8) }
  }

  /// Whether the first line that is no comment is a pattern.
  private static func isList(_ text: String) -> Bool {
    var rest = text[...]
    while !rest.isEmpty {
      let line = rest.prefix { !$0.isNewline }
      let pattern = line.drop(while: \.isWhitespace)
      if !pattern.isEmpty, !pattern.hasPrefix("#") { return pattern.hasPrefix("/") }
      rest = rest[line.endIndex...].drop(while: \.isNewline)
    }
    return false
  }

  private static func lines(of text: String) throws(TemplateFileError) -> [String] {
    var patterns: [String] = []
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
      let pattern = String(line.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
      if pattern.isEmpty || pattern.hasPrefix("#") { continue }
      guard pattern.hasPrefix("/") else {
        throw TemplateFileError("line \(index + 1): a pattern begins with a slash, as in /users/{id}")
      }
      patterns.append(pattern)
      // Refused before more of them are read.
      if patterns.count > patternLimit { break }
    }
    return patterns
  }

  /// The paths of a description; empty when the text is not a description.
  private static func described(in text: String) throws(TemplateFileError) -> [String] {
    // A list of patterns is not a mapping, even if it is valid YAML.
    guard let root = (try? Yams.compose(yaml: text)) ?? nil, let mapping = root.mapping,
      let paths = mapping["paths"]?.mapping
    else { return [] }
    let server = mapping["servers"]?.sequence?.first?.mapping?["url"]?.scalar?.string
    let base = mapping["basePath"]?.scalar?.string ?? server.map { path(ofServer: $0) } ?? ""
    let prefix = base.hasSuffix("/") ? String(base.dropLast()) : base
    return paths.compactMap { $0.key.scalar?.string }.filter { $0.hasPrefix("/") }.map { prefix + $0 }
  }

  /// The path of a server's URL, which may be a path itself.
  private static func path(ofServer url: String) -> String {
    guard let scheme = url.firstRange(of: "://") else { return url.hasPrefix("/") ? url : "" }
    let rest = url[scheme.upperBound...]
    return rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? ""
  }
}

/// The reason why a file of path patterns could not be read: one line, without the file's name.
package struct TemplateFileError: Error, Sendable, Equatable, CustomStringConvertible {
  /// One line for people.
  package let description: String

  package init(_ description: String) { self.description = description }
}
