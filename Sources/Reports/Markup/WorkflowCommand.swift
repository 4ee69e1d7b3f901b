/// A line that GitHub Actions takes for an annotation when a step prints it: `::error file=F,line=3,title=T::MESSAGE`.
struct WorkflowCommand {
  /// The level of an annotation.
  enum Level: String {
    case error
    case warning
    case notice
  }

  /// The level.
  let level: Level
  /// The file of the annotation, as a path from the workspace; nil for none.
  var file: String?
  /// The line of the file, from 1.
  var line: Int?
  /// The title above the message.
  let title: String
  /// The message.
  let message: String

  /// The line without its end. Line ends and separators of properties are escaped. So neither a file's name nor a name from the
  /// wire can add a property or begin another command.
  var text: String {
    var properties: [String] = []
    if let file { properties.append("file=" + Self.property(file)) }
    if let line { properties.append("line=\(line)") }
    properties.append("title=" + Self.property(title))
    return "::\(level.rawValue) \(properties.joined(separator: ","))::\(Self.data(message))"
  }

  /// The text after the second pair of colons.
  private static func data(_ text: String) -> String {
    escaped(text, ["%": "%25", "\r": "%0D", "\n": "%0A"])
  }

  /// The text after the equals sign.
  private static func property(_ text: String) -> String {
    escaped(text, ["%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"])
  }

  // It works on scalars, because CR and LF together are one character.
  private static func escaped(_ text: String, _ escapes: [Unicode.Scalar: String]) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      if let escape = escapes[scalar] { result += escape } else { result.unicodeScalars.append(scalar) }
    }
    return result
  }
}
