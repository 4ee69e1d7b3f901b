/// How a line looks on a terminal that takes colour.
enum Style {
  /// As it is.
  case plain
  /// Titles of columns and sections.
  case heading
  /// What matters less.
  case faint
  /// All is well.
  case good
  /// Something to know about the figures.
  case warning
  /// The figures cannot be relied on.
  case bad

  /// The text with the sequences that switch the style on and off (ECMA-48 SGR).
  func apply(_ text: String, colour: Bool) -> String {
    guard colour, let code else { return text }
    return "\u{1b}[\(code)m\(text)\u{1b}[0m"
  }

  private var code: Int? {
    switch self {
    case .plain: nil
    case .heading: 1
    case .faint: 2
    case .good: 32
    case .warning: 33
    case .bad: 31
    }
  }
}
