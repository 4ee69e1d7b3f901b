import HTTPReassembly
import Shared
import Tabular

/// The facts in a summary about a run, besides its figures.
public struct RunFacts: Sendable {
  /// The command: `analyze`, `live`, `models` or `verify`.
  public var command: String
  /// The version of the program.
  public var toolVersion: String
  /// Capture files or interfaces, as the user named them.
  public var captures: [String]

  /// Facts about a run.
  public init(command: String = "", toolVersion: String = "", captures: [String] = []) {
    self.command = command
    self.toolVersion = toolVersion
    self.captures = captures
  }

  /// The largest number of captures that are named one by one.
  private static let namedLimit = 3

  /// The lines for people about the input and the time of its capture.
  package func lines(_ span: ClosedRange<Int64>?) -> [String] {
    var lines: [String] = []
    if !captures.isEmpty {
      let names = captures.prefix(Self.namedLimit).map {
        $0 == "-" ? "standard input" : TextEscaping.string(FileName.octets(of: $0))
      }
      let rest = captures.count - names.count
      let more = rest > 0 ? " and \(Numerals.grouped(rest)) more" : ""
      let kind = command == "live" ? "interface" : "capture"
      lines.append("\(captures.count == 1 ? kind : kind + "s"): \(names.joined(separator: ", "))\(more)")
    }
    if let span {
      lines.append("span: \(Self.duration(span)), from \(Self.time(span.lowerBound)) to \(Self.time(span.upperBound))")
    }
    return lines
  }

  /// A duration in words: seconds with up to three decimals, and from a minute on in larger units, too.
  package static func duration(_ span: ClosedRange<Int64>) -> String {
    let (difference, overflow) = span.upperBound.subtractingReportingOverflow(span.lowerBound)
    let milliseconds = (overflow ? .max : difference) / 1_000_000
    let seconds = milliseconds / 1000
    guard seconds >= 60 else {
      return Cell.number(Int(seconds), millionths: Int(milliseconds % 1000) * 1000).shown + " s"
    }
    let parts = [(seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s")]
    return parts.drop { $0.0 == 0 }.map { "\(Numerals.grouped(Int($0.0))) \($0.1)" }.joined(separator: " ")
  }

  /// A capture time to the second (RFC 3339).
  private static func time(_ time: Int64) -> String {
    var text = RowBuffer()
    text.appendDateTime(time)
    return String(decoding: text.octets.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self) + "Z"
  }
}
