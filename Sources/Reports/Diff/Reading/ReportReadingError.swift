/// Why a report could not be read, or two cannot be compared. The description is one line that names the report; what
/// it has of file names is not escaped.
public struct ReportReadingError: Error, Sendable, Equatable, CustomStringConvertible {
  /// One line for people.
  public let description: String

  init(_ description: String) { self.description = description }

  init(_ file: String, _ problem: String) { self.init("\(file): \(problem)") }
}
