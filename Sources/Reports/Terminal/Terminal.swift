import SystemPackage
import Tabular

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The properties of the terminal behind a standard stream, when asked.
public struct Terminal: Sendable, Equatable {
  /// Default columns of text on a terminal.
  public static let defaultWidth = 100
  /// Columns of text for a file or a pipe, as to `less -S`: enough for most names.
  static let pipedWidth = 200
  /// The valid values of `COLUMNS`.
  private static let possibleWidths = 1...10_000

  /// Whether the stream is a terminal.
  public var isTerminal: Bool
  /// Columns; nil without a terminal, or if it does not tell.
  public var width: Int?
  /// Lines; nil without a terminal, or if it does not tell.
  public var height: Int?
  /// Whether it understands escape sequences: it is a terminal, and `TERM` is not `dumb`.
  public var takesEscapeSequences: Bool
  /// Whether to use colour: it takes escape sequences, and `NO_COLOR` (no-color.org) is unset or empty.
  public var takesColour: Bool

  /// The value of `COLUMNS` in the environment; nil without one.
  var requestedWidth: Int?

  /// Columns for text that stays: the value of `COLUMNS`, else the terminal's columns, else enough for most names.
  public var textWidth: Int { requestedWidth ?? width ?? (isTerminal ? Self.defaultWidth : Self.pipedWidth) }

  /// Describes a terminal.
  public init(
    isTerminal: Bool, width: Int? = nil, height: Int? = nil, takesEscapeSequences: Bool = false,
    takesColour: Bool = false
  ) {
    self.isTerminal = isTerminal
    self.width = width
    self.height = height
    self.takesEscapeSequences = takesEscapeSequences
    self.takesColour = takesColour
  }

  /// Standard output.
  public static var standardOutput: Terminal { Terminal(descriptor: STDOUT_FILENO) }
  /// Standard error.
  public static var standardError: Terminal { Terminal(descriptor: STDERR_FILENO) }

  private init(descriptor: CInt) {
    isTerminal = isatty(descriptor) == 1
    takesEscapeSequences = false
    takesColour = false
    requestedWidth = Self.environment("COLUMNS").flatMap { Int($0) }.flatMap {
      Self.possibleWidths.contains($0) ? $0 : nil
    }
    guard isTerminal else { return }
    let type = Self.environment("TERM")
    takesEscapeSequences = type != nil && type != "" && type != "dumb"
    takesColour = takesEscapeSequences && (Self.environment("NO_COLOR") ?? "").isEmpty
    var size = winsize()
    // The request writes one `winsize`, which is its argument.
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 else { return }
    if size.ws_col > 0 { width = Int(size.ws_col) }
    if size.ws_row > 0 { height = Int(size.ws_row) }
  }

  private static func environment(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }
}

/// Standard output, for the output of a run.
public enum StandardOutput {
  /// Writes text.
  ///
  /// - Throws: When the other end of a pipe is gone, or a disk is full.
  public static func write(_ text: String) throws(ReportError) {
    do throws(Errno) {
      try OpenFile.standard(1).write(text)
    } catch {
      throw ReportError(.write, "standard output", error)
    }
  }
}

/// The style of a line on a terminal with colour.
package enum Style {
  /// No style.
  case plain
  /// Titles of columns and sections.
  case heading
  /// The row that a key acts on: background and letters change places.
  case chosen
  /// Less important text.
  case faint
  /// Good news.
  case good
  /// A remark on the figures.
  case warning
  /// A sign that the figures are not reliable.
  case bad

  /// The text with the sequences that switch the style on and off (ECMA-48 SGR).
  package func apply(_ text: String, colour: Bool) -> String {
    guard colour, let code else { return text }
    return "\u{1b}[\(code)m\(text)\u{1b}[0m"
  }

  /// The text in lines of at most `width` columns, each with the style.
  package func lines(_ text: String, width: Int, colour: Bool) -> [String] {
    text.wrapped(to: width).map { apply($0, colour: colour) }
  }

  private var code: Int? {
    switch self {
    case .plain: nil
    case .heading: 1
    case .faint: 2
    case .chosen: 7
    case .good: 32
    case .warning: 33
    case .bad: 31
    }
  }
}
