/// Asks a person which of a log's columns is which.
///
/// Columns that are found by name are not asked for. An answer is a column's number in the list, or its name. An empty answer
/// says that the log has no such column. Text from the file is not escaped; the caller escapes it before it shows a line.
public struct ColumnDialogue {
  private let tables: [LogTable]
  private let ask: (String) -> String?
  private let say: (String) -> Void
  private var mapping: LogMapping

  /// The number of invalid answers after which the dialogue ends.
  private static let patience = 5

  /// A dialogue about `tables`. Columns in `mapping` are not asked for. `ask` shows a question and returns the line of the
  /// answer, nil at the end of input.
  public init(
    tables: [LogTable], mapping: LogMapping, ask: @escaping (String) -> String?, say: @escaping (String) -> Void
  ) {
    self.tables = tables
    self.mapping = mapping
    self.ask = ask
    self.say = say
  }

  /// Asks, and returns the mapping with which the log can be read. Throws a `LogError` when the input ends, when answers make no
  /// sense, or when the answers together are no log.
  public mutating func run() throws(LogError) -> LogMapping {
    let table = try table()
    if let name = table.name, tables.count > 1 { mapping.table = name }
    let names = table.columns.map(\.name)
    if (try? ColumnPositions(header: names, columns: mapping.columns)) != nil { return mapping }

    say("Not all columns of this log are known by their names. It has, with a value of each:")
    list(table.columns.map { ($0.name, $0.sample) })
    say("Answer with a number or a name; nothing where the log has no such column.")
    let isExchange = try choice("Is a row a message (m), or a request and its response (e)? ", ["m", "e"]) == "e"
    let required = isExchange ? [.host, .path] : LogColumn.required
    let figures = isExchange ? LogColumn.exchangeLengths : LogColumn.lengths
    let optional: [LogColumn] = isExchange ? [.time, .method, .status] : [.method, .status]
    for column in required { try take(column, names, isNeeded: true) }
    for column in optional { try take(column, names, isNeeded: false) }
    for column in figures { try take(column, names, isNeeded: false) }
    do throws(RowProblem) { _ = try ColumnPositions(header: names, columns: mapping.columns) } catch {
      throw LogError("with these columns the log cannot be read: \(error.description)")
    }
    return mapping
  }

  /// Asks which table is the log.
  private func table() throws(LogError) -> LogTable {
    guard let first = tables.first else { throw LogError("there is no table to choose") }
    guard tables.count > 1 else { return first }
    say("Several tables could be the log:")
    list(tables.map { ($0.name ?? "", "\($0.columns.count) columns") })
    let names = tables.map { $0.name ?? "" }
    for _ in 0..<Self.patience {
      if let index = Self.index(try answer("Which one? "), names) { return tables[index] }
      say("There is no such table.")
    }
    throw LogError("no table was chosen")
  }

  private mutating func take(_ column: LogColumn, _ names: [String], isNeeded: Bool) throws(LogError) {
    // A name that fits two columns is asked for.
    let known = try? ColumnPositions.index(of: column, names, names.map(LogColumn.folded), mapping.columns)
    if known != nil { return }
    for _ in 0..<Self.patience {
      let answer = try answer("\(column.rawValue) (\(column.question)): ")
      if answer.isEmpty {
        if !isNeeded { return }
        say("This one is needed.")
      } else if let index = Self.index(answer, names) {
        mapping.columns.names[column] = names[index]
        return
      } else {
        say("There is no such column.")
      }
    }
    throw LogError("column \(column.rawValue) was not answered")
  }

  private func choice(_ question: String, _ answers: [String]) throws(LogError) -> String {
    for _ in 0..<Self.patience {
      let answer = try answer(question).lowercased()
      if answers.contains(answer) { return answer }
      say("Answer \(answers.joined(separator: " or ")).")
    }
    throw LogError("the question was not answered")
  }

  private func answer(_ question: String) throws(LogError) -> String {
    guard let line = ask(question) else { throw LogError("the input ended before all columns were known") }
    return line.split(separator: " ").joined(separator: " ")
  }

  private func list(_ lines: [(name: String, value: String?)]) {
    // This fills a screen; further columns are answered by name.
    for (index, line) in lines.prefix(200).enumerated() {
      say("  \(index + 1)  \(line.name.shortened(to: 60))\(line.value.map { "  \($0)" } ?? "")")
    }
    if lines.count > 200 { say("  and \(lines.count - 200) more") }
  }

  /// The index that an answer means. A name takes precedence over a number, because names may be numbers.
  private static func index(_ answer: String, _ names: [String]) -> Int? {
    if let exact = names.firstIndex(of: answer) { return exact }
    if let number = Int(answer), 1...max(names.count, 1) ~= number, number <= names.count { return number - 1 }
    let folded = LogColumn.folded(answer)
    let found = names.indices.filter { LogColumn.folded(names[$0]) == folded }
    return found.count == 1 ? found[0] : nil
  }
}

extension LogColumn {
  /// A few words about the column's content, for a question.
  fileprivate var question: String {
    switch self {
    case .host: "the host, or a whole URL"
    case .path: "the path, or a whole URL"
    case .type: "request or response"
    case .time: "when it happened"
    case .method: "the request's method"
    case .status: "the response's status code"
    case .length: "bytes of the whole message"
    case .lineLength: "bytes of its first line"
    case .headerLength: "bytes of its header section"
    case .bodyLength: "bytes of its body"
    case .requestLength: "bytes of the whole request"
    case .requestLineLength: "bytes of its first line"
    case .requestHeaderLength: "bytes of its header section"
    case .requestBodyLength: "bytes of its body"
    case .responseLength: "bytes of the whole response"
    case .responseLineLength: "bytes of its first line"
    case .responseHeaderLength: "bytes of its header section"
    case .responseBodyLength: "bytes of its body"
    default: rawValue
    }
  }
}
