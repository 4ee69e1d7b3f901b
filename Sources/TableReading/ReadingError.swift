/// Why a log, a table or a report could not be read, or two reports cannot be compared. The description is one line that
/// names the file and what to do.
public struct ReadingError: Error, Equatable, CustomStringConvertible {
  /// One line for people. What comes from the file in it, its name included, is not escaped.
  public let description: String

  /// An error.
  public init(_ description: String) { self.description = description }

  /// An error of a file.
  package init(file: String, _ problem: String) { self.init("\(file): \(problem)") }
}
