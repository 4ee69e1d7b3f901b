import Reports
import Shared
import Tabular

/// Errors on standard error, one line each.
enum ErrorOutput {
  /// Writes a line. File names can have any content, so characters with effects on a terminal are escaped.
  static func write(_ text: String) {
    ProgressBar<ContinuousClock>.standardError("sniffer: \(escaped(text))\n")
  }

  /// Reports that a command's answer could not be written.
  ///
  /// - Returns: The command's result.
  static func report(_ error: ReportError) -> ExitStatus {
    if error.isEnough { return .success }
    write(error.description)
    return .failure
  }

  /// Shows a question, or a line before one, without the program's name. Line ends are unchanged.
  static func show(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { escaped(String($0)) }
    ProgressBar<ContinuousClock>.standardError(lines.joined(separator: "\n"))
  }

  /// The text with all characters escaped that have effects on a terminal.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      if let octet = FileName.octet(of: scalar) {
        result += "\\x" + String(octet, radix: 16)
        continue
      }
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

extension ReportError {
  /// Whether the reader of standard output closed its pipe, as `head` does. It has enough of the answer: this is an end, not a failure.
  var isEnough: Bool { isReaderGone && file == "standard output" }
}
