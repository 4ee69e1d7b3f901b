import Reports

/// What goes wrong, one line each, on standard error.
enum ErrorOutput {
  /// Writes a line. File names can hold anything, so what a terminal would act on is escaped.
  static func write(_ text: String) {
    ProgressBar<ContinuousClock>.standardError("sniffer: \(escaped(text))\n")
  }

  /// Shows a question, or a line of what leads to one, without the program's name. Line ends stay as they are.
  static func show(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { escaped(String($0)) }
    ProgressBar<ContinuousClock>.standardError(lines.joined(separator: "\n"))
  }

  /// Text with everything escaped that a terminal would act on.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate:
        for octet in String(scalar).utf8 {
          result += (octet < 0x10 ? "\\x0" : "\\x") + String(octet, radix: 16)
        }
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
