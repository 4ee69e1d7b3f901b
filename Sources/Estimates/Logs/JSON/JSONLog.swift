import Foundation
import TableReading

/// Reads a log that is one JSON text, or one JSON text a line.
struct JSONLog {
  let file: TableFile
  let options: LogOptions

  /// Reads the given format, or the format that the outermost value shows.
  ///
  /// The file is never in memory whole. It is read first without the elements of its long arrays, which tells the format, and then element
  /// by element; a table is read once more.
  func read(_ format: LogFormat?) throws(LogError) -> AppLog {
    let line = try FirstLine(file)
    if format == .curl || format == nil && CurlLog.begins(line) { return try CurlLog(file: file).read(options) }
    if let lines = try lines(line, format) { return try lines.read() }
    let (document, isCut, rows) = try document(format)
    if let table = try table(rows, isCut, format) { return try table.read() }
    let times = LogTime(unit: options.timeUnit, zone: options.timeZone)
    switch (document, format) {
    case (.other, nil), (.other, .json): throw LogError(file: file.path, JSONDocument.unknown)
    case (.har(let archive), nil), (.har(let archive), .har):
      return try HARLog(archive: archive, log: self, times: times).read()
    case (.tasks(let tasks), nil), (.tasks(let tasks), .urlSessionMetrics):
      var log = try TaskMetricsLog(tasks: tasks, log: self, times: times).read()
      if isCut { log.notices.append("the log ends inside of a task, which is left out") }
      return log
    case (.netlog(let netlog), nil), (.netlog(let netlog), .netlog):
      var log = try NetlogLog(netlog: netlog, log: self).read()
      if isCut { log.notices.append("the netlog has no end: Chrome was killed, or still runs") }
      return log
    case (.netlog, _): throw LogError(file: file.path, "is a netlog of Chrome, not \(format?.rawValue ?? "a log")")
    case (.har, _): throw LogError(file: file.path, "is a HAR, not \(format?.rawValue ?? "a log")")
    case (.tasks, _): throw LogError(file: file.path, "is an array of JSON, not \(format?.rawValue ?? "a log")")
    case (.other, _): throw LogError(file: file.path, "is an object of JSON, not \(format?.rawValue ?? "a log")")
    }
  }

  /// The table of a monitor, if the file has one; `format` is the one that was asked for.
  func table(_ format: LogFormat?) throws(LogError) -> JSONTableLog? {
    if let lines = try lines(try FirstLine(file), format) { return lines }
    let (_, isCut, rows) = try document(format)
    return try table(rows, isCut, format)
  }

  private func lines(_ line: FirstLine, _ format: LogFormat?) throws(LogError) -> JSONTableLog? {
    guard format == nil || format == .json else { return nil }
    if JSONTableLog.begins(line, options.columns) { return JSONTableLog(log: self, rows: .lines) }
    return try hasConsoleLines(line) ? JSONTableLog(log: self, rows: .consoleLines) : nil
  }

  /// Whether the file is the text of a console whose lines have objects at their ends. Text before the first object shows it; where the
  /// first line may begin an array, this line has the object.
  func hasConsoleLines(_ first: FirstLine) throws(LogError) -> Bool {
    switch first.octets.first {
    case UInt8(ascii: "{"), 0x1e: return false
    case UInt8(ascii: "["): return JSONTableLog.isConsoleLine(first.octets)
    default:
      var isFound: Bool?
      try file.forEachLine(longest: CurlLog.longestLine) { line throws(LogError) in
        if isFound == nil, line.objectBehindText != nil { isFound = JSONTableLog.isConsoleLine(line) }
      }
      return isFound ?? false
    }
  }

  /// The table, if the file may have one. Where several arrays have objects, the columns of one of them are those of a table.
  private func table(
    _ places: [JSONElements.Place], _ isCut: Bool, _ format: LogFormat?
  ) throws(LogError) -> JSONTableLog? {
    guard format == nil || format == .json else { return nil }
    let tables = places.map { table($0, isCut) }
    guard tables.count > 1 else { return tables.first }
    let known = tables.count <= Self.mostArrays ? tables.filter(\.hasKnownColumns) : []
    guard known.count == 1 else {
      throw LogError(file: file.path, "has several arrays of objects; expected one, with the rows of a table")
    }
    return known[0]
  }

  private func table(_ place: JSONElements.Place, _ isCut: Bool) -> JSONTableLog {
    JSONTableLog(log: self, rows: .elements(place), isCut: isCut)
  }

  /// Arrays of objects that a file may have if one is the table: the file is read once for each.
  fileprivate static let mostArrays = 8

  /// Everything but the elements of long arrays, whether the text ends inside of one, and the places that may have a monitor's table.
  private func document(
    _ format: LogFormat?
  ) throws(LogError) -> (JSONDocument, isCut: Bool, rows: [JSONElements.Place]) {
    var elements = JSONElements(file: file.path)
    var (tables, isTasks): ([JSONElements.Place], Bool) = ([], false)
    try file.forEachPiece { octets throws(LogError) in
      try elements.take(octets) { (place, element) throws(LogError) in
        guard tables.last != place, tables.count <= Self.mostArrays, element.count > 2, element[0] == UInt8(ascii: "{")
        else { return }
        switch place {
        case .entry: return
        case .outermost: isTasks = JSONDocument.isTask(element)
        case .value:
          isTasks = JSONDocument.isTask(element)
          tables = []
        case .event, .member, .named: break
        }
        tables.append(place)
      }
    }
    if elements.isBroken { throw fault(nil) }
    if elements.hasSeveralValues {
      // The first value is the rest, or the only one with a comma behind it.
      if tables != [.value] { isTasks = JSONDocument.isTask(elements.rest) }
      let isCut = elements.isInsideValue
      return isTasks ? (.tasks(.elements(.value)), isCut, []) : (.other, isCut, [.value])
    }
    var rest = elements.rest
    // A program that writes an element a line, as Chrome does, may have been killed.
    let end = elements.missingEnd
    if let end { rest += end }
    let document: JSONDocument
    do { document = try JSONDecoder().decode(JSONDocument.self, from: Data(rest)) } catch { throw fault(error) }
    let isCut = end != nil
    switch document {
    case .netlog: return (document, isCut, [])
    case .tasks(.elements) where !isTasks && !tables.isEmpty: return (document, isCut, tables)
    case .other where !tables.isEmpty: return (document, isCut, namedRows(rest, besides: tables) ?? tables)
    case _ where isCut: throw fault(nil)
    case .tasks(.elements) where !isTasks && format == nil: return (.other, isCut, [])
    case .other where table(.value, isCut).hasKnownColumns:
      return (document, isCut, [.value])
    case .other: return (document, isCut, namedRows(rest, besides: []) ?? [])
    default: return (document, isCut, [])
    }
  }

  /// The place of rows that have names, where no array has rows: such rows may have arrays of their own.
  private func namedRows(_ rest: [UInt8], besides tables: [JSONElements.Place]) -> [JSONElements.Place]? {
    let places = NamedRows.places(rest)
    // Each table that is asked for its columns reads the file.
    guard !places.isEmpty,
      tables.count > Self.mostArrays || !tables.contains(where: { table($0, false).hasKnownColumns })
    else { return nil }
    return places.first { table($0, false).hasKnownColumns }.map { [$0] }
  }

  /// Hands over each element of a long array as the file has it, and its number, from 1.
  func forEachElement(
    _ place: JSONElements.Place, _ body: (Int, [UInt8]) throws(LogError) -> Void
  ) throws(LogError) {
    var elements = JSONElements(file: file.path, for: place)
    var number = 0
    try file.forEachPiece { octets throws(LogError) in
      try elements.take(octets) { (found, element) throws(LogError) in
        guard found == place else { return }
        number += 1
        try body(number, element)
      }
    }
  }

  /// Hands over each element of a long array, decoded, or the reason why it cannot be.
  ///
  /// Errors name the array `name`, which is empty for the outermost value. `body` takes an element and its number, from 1.
  ///
  /// - Throws: Errors of `body`, and of elements that are no JSON.
  func forEach<Value: Decodable>(
    _ place: JSONElements.Place, _ name: String, as type: Value.Type = Value.self,
    _ body: (Int, Result<Value, RowProblem>) throws(LogError) -> Void
  ) throws(LogError) {
    let decoder = JSONDecoder()
    var hasFailed = false
    try forEachElement(place) { (number, element) throws(LogError) in
      let value: Value
      do { value = try decoder.decode(Value.self, from: Data(element)) } catch {
        if Self.isNoJSON(error) { throw fault(error) }
        // Only the first failure keeps its words: a hostile log has millions of them.
        let words = hasFailed ? "wrong too" : Self.words(error, in: name.isEmpty ? "\(number)" : "\(name).\(number)")
        hasFailed = true
        return try body(number, .failure(RowProblem(words)))
      }
      try body(number, .success(value))
    }
  }

  /// The error of a text that is no JSON, with its place if the text is short.
  func fault(_ error: (any Error)?) -> LogError {
    if error.map(Self.isNoJSON) ?? true, let octets = (try? file.content(limit: JSONFault.limit)) ?? nil,
      let fault = JSONFault(Data(octets))
    {
      return LogError(file: file.path, fault.description)
    }
    return LogError(file: file.path, error.map { Self.words($0) } ?? "is not JSON: its brackets or commas are wrong")
  }

  /// Whether a text is not JSON, rather than JSON of something else.
  static func isNoJSON(_ error: any Error) -> Bool {
    if case .dataCorrupted(let context) = error as? DecodingError { context.codingPath.isEmpty } else { false }
  }

  /// The error in words, with the keys that lead to its place.
  static func words(_ error: any Error, in place: String? = nil) -> String {
    // Foundation throws an error without a position only for numbers.
    guard let error = error as? DecodingError else { return "holds a number that does not fit" }
    switch error {
    case .dataCorrupted(let context) where context.codingPath.isEmpty:
      return "is not JSON: \(context.debugDescription.shortened(to: 120))"
    case .dataCorrupted(let context):
      return "\(position(context, place)): \(context.debugDescription.shortened(to: 120))"
    case .keyNotFound(let key, let context): return "\(position(context, place)): no \(key.stringValue)"
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      return "\(position(context, place)): \(expectation(type) ?? context.debugDescription.shortened(to: 240))"
    @unknown default: return "cannot be read as JSON: \(error)"
    }
  }

  /// The expected value in words; nil for types whose own errors say it. Foundation's words name types of Swift.
  private static func expectation(_ type: any Any.Type) -> String? {
    switch type {
    case is String.Type: "expected a text"
    case is Bool.Type: "expected true or false"
    case is any Numeric.Type: "expected a number"
    case is [Any].Type: "expected an array"
    case is [String: Any].Type: "expected an object"
    default: nil
    }
  }

  private static func position(_ context: DecodingError.Context, _ place: String?) -> String {
    let inside = context.codingPath.map { key in key.intValue.map { "\($0 + 1)" } ?? key.stringValue.shortened() }
    let keys = [place].compactMap(\.self) + inside
    return keys.isEmpty ? "the outermost value" : keys.joined(separator: ".")
  }
}

/// The objects in a text whose members are all objects: they may be the rows of a table, each with its name. Outer ones come first.
private struct NamedRows: Decodable {
  /// The names that lead to each object.
  private var ways: [[String]] = []

  /// The places of such rows, a few at most.
  static func places(_ text: [UInt8]) -> [JSONElements.Place] {
    ((try? JSONDecoder().decode(NamedRows.self, from: Data(text)))?.ways ?? []).map { .named($0) }
  }

  init(from decoder: any Decoder) throws {
    collect(try decoder.container(keyedBy: MemberKey.self), [])
  }

  private mutating func collect(_ object: KeyedDecodingContainer<MemberKey>, _ way: [String]) {
    guard way.count <= JSONElements.deepestTable, ways.count < JSONLog.mostArrays else { return }
    var members = object.allKeys.compactMap { key in
      (try? object.nestedContainer(keyedBy: MemberKey.self, forKey: key)).map { (name: key.stringValue, inside: $0) }
    }
    if !members.isEmpty, members.count == object.allKeys.count { ways.append(way) }
    // The members of a long one are rows.
    guard members.count <= JSONLog.mostArrays else { return }
    members.sort { $0.name < $1.name }
    for member in members { collect(member.inside, way + [member.name]) }
  }
}

/// The first line of a file that is not empty: some formats have one object a line.
struct FirstLine {
  /// The line, without its end; empty for one of more octets than a line may have.
  let octets: Data
  /// Whether an object may begin behind it.
  let hasObjectBehind: Bool

  init(_ file: TableFile) throws(LogError) {
    let start = Data(try file.start(CurlLog.longestLine)).drop { $0 == 0x0a || $0 == 0x0d || $0 == 0x20 }
    let line = start.prefix { $0 != 0x0a }
    octets = line.count < CurlLog.longestLine ? line : Data()
    hasObjectBehind = start.dropFirst(line.count).contains(UInt8(ascii: "{"))
  }
}

/// The format of the outermost value.
enum JSONDocument: Decodable {
  case har(HARArchive)
  case tasks(TaskMetricsLog.Tasks)
  case netlog(Netlog)
  /// Another object. It may have the table of a monitor.
  case other

  private enum Key: String, CodingKey {
    case log
    case transactionMetrics
    case constants
  }

  init(from decoder: any Decoder) throws {
    guard let container = try? decoder.container(keyedBy: Key.self) else {
      guard (try? decoder.unkeyedContainer()) != nil else {
        throw DecodingError.typeMismatch(
          Self.self, DecodingError.Context(codingPath: decoder.codingPath, debugDescription: Self.kinds))
      }
      self = .tasks(.elements(.outermost))
      return
    }
    if container.contains(.log), (try? container.nestedUnkeyedContainer(forKey: .log)) == nil {
      self = .har(try container.decode(HARArchive.self, forKey: .log))
    } else if container.contains(.transactionMetrics) {
      self = .tasks(.single(try TaskMetrics(from: decoder)))
    } else if container.contains(.constants) {
      self = .netlog(try Netlog(from: decoder))
    } else {
      self = .other
    }
  }

  /// Whether an element of an array has the metrics of a task.
  static func isTask(_ element: [UInt8]) -> Bool {
    struct Task: Decodable {
      init(from decoder: any Decoder) throws {
        guard try decoder.container(keyedBy: Key.self).contains(.transactionMetrics) else { throw CancellationError() }
      }
    }
    return (try? JSONDecoder().decode(Task.self, from: Data(element))) != nil
  }

  /// The error for an object of another kind.
  static let unknown = "the outermost value: " + kinds

  private static let kinds =
    "neither a HAR (an object with \"log\"), nor task metrics (an array of objects with \"transactionMetrics\"), nor a netlog "
    + "(an object with \"constants\"), nor lines of curl (objects with \"size_request\"), nor a table (an array of objects, or "
    + "objects behind each other)"
}
