/// The reason why a log, a table or a report could not be read, or why two reports cannot be compared. The description is one line that
/// names the file and a remedy.
public struct ReadingError: Error, Equatable, CustomStringConvertible {
  /// One line for people. Text from the file, and the file's name, are not escaped.
  public let description: String

  /// Creates an error.
  public init(_ description: String) { self.description = description }

  /// Creates an error of a file.
  package init(file: String, _ problem: String) { self.init("\(file): \(problem)") }
}
