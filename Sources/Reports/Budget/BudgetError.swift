/// Why a file of limits could not be read. The description is one line that names the file and, where there is one, the
/// line in it; what it has of the file is not escaped.
package struct BudgetError: Error, Sendable, Equatable, CustomStringConvertible {
  /// One line for people.
  package let description: String

  init(_ file: String, line: Int? = nil, _ problem: String) {
    description = file + ": " + (line.map { "line \($0): " } ?? "") + problem
  }
}
