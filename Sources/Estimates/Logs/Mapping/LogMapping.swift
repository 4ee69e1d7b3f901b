/// A log's names for its columns, as a file that people can read and change:
///
/// ```
/// # The columns of monitor.db
/// table = traffic
/// host = Server Name
/// request_length = up
/// ```
///
/// A line has a column's name, an equals sign, and the log's name for it; spaces around both are optional. `table` is the table
/// of an SQLite log, `url` both `host` and `path`. Empty lines and lines that begin with `#` are skipped.
public struct LogMapping: Sendable, Equatable {
  /// The columns.
  public var columns: LogColumns
  /// The table of an SQLite log.
  public var table: String?

  /// A mapping.
  public init(columns: LogColumns = LogColumns(), table: String? = nil) {
    self.columns = columns
    self.table = table
  }

  /// Octets of the longest file: more than all columns need with names of 1,000 octets.
  public static let longest = 64 << 10

  /// Parses the text of a file. Throws a `LogError` that names `file`, the line, and what is expected there.
  public init(parsing text: String, file: String) throws(LogError) {
    self.init()
    guard text.utf8.count <= Self.longest else { throw LogError(file: file, "is longer than \(Self.longest) bytes") }
    // In Swift CR LF is one character.
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    for (index, line) in lines.enumerated() {
      let line = line.trimmed
      if line.isEmpty || line.first == "#" { continue }
      let sides = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(\.trimmed)
      guard sides.count == 2, !sides[0].isEmpty, !sides[1].isEmpty else {
        throw LogError(file: file, "line \(index + 1): expected NAME=COLUMN, found '\(String(line).shortened())'")
      }
      if sides[0] == "table" {
        guard table == nil else { throw LogError(file: file, "line \(index + 1): table is given twice") }
        table = String(sides[1])
        continue
      }
      do throws(LogError) { try columns.set(String(sides[0]), to: String(sides[1])) } catch {
        throw LogError(file: file, "line \(index + 1): \(error.description)")
      }
    }
  }

  /// The text of a file that reads as the same mapping. Throws a `LogError` for a name that does not fit on a line.
  public func text(of log: String) throws(LogError) -> String {
    var text = "# The columns of \(log.filter { !$0.isNewline })\n"
    let lines =
      (table.map { [("table", $0)] } ?? [])
      + LogColumn.allCases.compactMap { column in columns.names[column].map { (column.rawValue, $0) } }
    for (name, column) in lines {
      guard !column.contains(where: \.isNewline) else {
        throw LogError("column \(column.shortened().debugDescription): a name with a line end cannot be written down")
      }
      text += "\(name) = \(column)\n"
    }
    return text
  }
}

extension StringProtocol {
  /// The text without spaces and tabs at both ends.
  fileprivate var trimmed: SubSequence {
    let isBlank = { (character: Character) in character == " " || character == "\t" || character == "\r" }
    guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else {
      return self[endIndex...]
    }
    return self[first...last]
  }
}
