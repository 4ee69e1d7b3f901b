import HTTPReassembly

/// Makes entries from the cells of a monitor's table, be it CSV or SQLite.
struct MonitorRow {
  private let times: LogTime
  private var names = NamePool()

  init(times: LogTime) { self.times = times }

  /// The entry of one row. `cell` gives the value of a column, absent for a column that the table has not.
  mutating func entry(place: Int, _ cell: (LogColumn) throws(RowProblem) -> LogCell) throws(RowProblem) -> LogEntry {
    let kind = try Self.kind(cell(.type))
    let host = try Self.host(cell(.host))
    let (path, query) = try Self.path(cell(.path))
    let time = try times.time(cell(.time))
    var entry = LogEntry(place: place, kind: kind, host: names.shared(host), path: names.shared(path), time: time)
    entry.queryLength = try Self.size(cell(.queryLength), .queryLength) ?? query
    entry.method = try Self.method(cell(.method))
    entry.status = try Self.status(cell(.status))
    entry.length = try cell(.length).length(.length)
    entry.lineLength = try cell(.lineLength).length(.lineLength)
    entry.headerLength = try cell(.headerLength).length(.headerLength)
    entry.bodyLength = try cell(.bodyLength).length(.bodyLength)
    entry.decodedLength = try cell(.decodedLength).length(.decodedLength)
    entry.isAborted = try cell(.error).namesError
    let isFromCache = try cell(.isFromCache).flag(.isFromCache)
    let source = try cell(.source)
    entry.isFromCache = isFromCache || source == .text("cache")
    return entry
  }

  private static func kind(_ cell: LogCell) throws(RowProblem) -> MessageKind {
    guard case .text(let text) = cell else {
      throw RowProblem(.type, expected: "request or response", found: cell)
    }
    switch text.lowercase {
    case "request": return .request
    case "response": return .response
    case "interim": return .interim
    default: throw RowProblem(.type, expected: "request or response", found: cell)
    }
  }

  private static func host(_ cell: LogCell) throws(RowProblem) -> String {
    let text = try cell.text(.host, expected: "a host name")
    if text.utf8.contains(UInt8(ascii: "/")) {
      guard let url = LogURL(text), !url.host.isEmpty else {
        throw RowProblem(.host, expected: "a host name", found: cell)
      }
      return url.host
    }
    guard !text.isEmpty, text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f }) else {
      throw RowProblem(.host, expected: "a host name", found: cell)
    }
    return text.lowercase
  }

  private static func path(_ cell: LogCell) throws(RowProblem) -> (String, Int?) {
    // The path of a URL without one is empty. A CSV file cannot tell that from no path.
    if cell == .absent { return ("/", nil) }
    let text = try cell.text(.path, expected: "a path")
    if text.isEmpty || text.utf8.first == UInt8(ascii: "/") || text.utf8.first == UInt8(ascii: "?") {
      return LogURL.target(text[...])
    }
    if text == "*" { return (text, nil) }
    guard let url = LogURL(text), !url.host.isEmpty else {
      throw RowProblem(.path, expected: "a path that begins with /", found: cell)
    }
    return (url.path, url.queryLength)
  }

  private static func method(_ cell: LogCell) throws(RowProblem) -> String {
    if cell == .absent { return "" }
    let text = try cell.text(.method, expected: "a method")
    guard text.utf8.count <= 64, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
      throw RowProblem(.method, expected: "a method", found: cell)
    }
    return text
  }

  private static func status(_ cell: LogCell) throws(RowProblem) -> Int {
    guard let status = try? cell.length(.status) ?? 0, 0...999 ~= status else {
      throw RowProblem(.status, expected: "a status code", found: cell)
    }
    return status
  }

  private static func size(_ cell: LogCell, _ column: LogColumn) throws(RowProblem) -> Int? {
    guard let size = try cell.length(column) else { return nil }
    guard size >= 0 else { throw RowProblem(column, expected: "a number of octets", found: cell) }
    return size
  }
}

extension String {
  /// The same in lower case; most names of a log are, and are given back as they are.
  fileprivate var lowercase: String {
    utf8.contains { $0 >= 0x80 || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 } ? lowercased() : self
  }
}

/// Lets rows with the same host or path share one string: a log has few of them, a million times.
struct NamePool {
  private var names: Set<String> = []
  /// Names that are kept; a log with more different ones gains nothing.
  private static let limit = 65_536

  /// The string that was seen first, with the same content. Short strings have no storage to share.
  mutating func shared(_ name: String) -> String {
    guard name.utf8.count > 15 else { return name }
    if names.count < Self.limit { return names.insert(name).memberAfterInsert }
    return names.firstIndex(of: name).map { names[$0] } ?? name
  }
}
