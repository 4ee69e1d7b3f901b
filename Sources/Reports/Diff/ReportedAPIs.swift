/// The APIs of a report.
package struct ReportedAPIs: Sendable {
  /// The report, as the user named it.
  package let name: String
  /// Whether totals are grouped by path; nil when the report does not say.
  var isByPath: Bool?
  /// Whether totals are grouped by method, too.
  var isByMethod = false
  /// Whether totals are grouped by process, too.
  var isByProcess = false
  /// Whether paths and addresses are hashed; nil when the report does not say.
  var isRedacted: Bool?
  /// Whether the run came to its end; nil when the report does not say.
  package var isComplete: Bool?
  /// What the run was asked to do; nil when the report does not say.
  var choices: RunChoices?
  /// Octets of the handshakes of TLS and QUIC, which belong to hosts and no API; nil when the report does not say.
  var handshake: Int?
  /// The APIs.
  package private(set) var apis: [APIKey: ReportedAPI] = [:]

  private var sum = APICounts()
  private var rows = 0
  /// More rows than any report has, for the names of its APIs are bounded.
  private static let rowLimit = 1_000_000

  init(name: String) { self.name = name }

  /// Adds a row. With hashed paths two APIs may have one name; they are one here, and of its latency nothing is known.
  mutating func add(_ key: APIKey, _ api: ReportedAPI) throws(RowFault) {
    rows += 1
    guard rows <= Self.rowLimit else { throw RowFault("more than \(Self.rowLimit) APIs") }
    sum.add(api.figures)
    for column in APIColumn.allCases where sum[column] > column.limit {
      throw RowFault("\(column.rawValue) is more than \(column.limit) in all")
    }
    insert(key, api)
  }

  /// Adds what an analysis of our own counted, which needs no limits.
  mutating func insert(_ key: APIKey, _ api: ReportedAPI) {
    guard var known = apis[key] else {
      apis[key] = api
      return
    }
    known.figures.add(api.figures)
    known.waitP50 = nil
    known.waitP95 = nil
    apis[key] = known
  }

  /// What the totals are grouped by, as far as it can be told. A CSV file has a column for the path whatever it is
  /// grouped by; when it is empty in every row, totals are by host.
  var grouping: String {
    let hasHosts = apis.keys.contains { !$0.host.isEmpty }
    let isByPath = self.isByPath ?? (!hasHosts || apis.keys.contains { !$0.path.isEmpty })
    return "host" + (isByPath ? ",path" : "") + (isByMethod ? ",method" : "") + (isByProcess ? ",process" : "")
  }

  /// Whether there is nothing that would tell what the totals are grouped by.
  var isOfAnyGrouping: Bool { apis.keys.allSatisfy { $0.host.isEmpty } && isByPath == nil }
}

/// What is wrong with a row.
struct RowFault: Error {
  let description: String

  init(_ description: String) { self.description = description }
}

/// An API as a report has it.
package struct ReportedAPI: Sendable, Equatable {
  /// The figures.
  package var figures = APICounts()
  /// The median of the wait phase in nanoseconds; nil when it is not known.
  package var waitP50: Int64?
  /// The 95th percentile of the wait phase in nanoseconds; nil when it is not known.
  package var waitP95: Int64?

  /// All zero, and no latency.
  package init() {}
}

/// How the cells of `apis` are read, whatever they are stored in. A report may have been changed by anyone.
enum ReportedCell {
  /// The longest text: no report has one that comes near it.
  static let longestText = 1 << 20

  /// A count, from digits.
  static func count(_ text: ArraySlice<UInt8>, _ column: APIColumn) throws(RowFault) -> Int {
    guard !text.isEmpty, text.allSatisfy({ (0x30...0x39).contains($0) }),
      let value = Int(String(decoding: text, as: UTF8.self))
    else { throw RowFault("\(column.rawValue) is no whole number from 0 on") }
    return try checked(value, column)
  }

  /// A count within its limits.
  static func checked(_ value: Int, _ column: APIColumn) throws(RowFault) -> Int {
    guard (0...column.limit).contains(value) else {
      throw RowFault("\(column.rawValue) is not between 0 and \(column.limit)")
    }
    return value
  }

  /// A sum of octets and some more, within the limit of all that a report may have.
  static func octets(_ value: Int, addedTo sum: Int, _ column: String) throws(RowFault) -> Int {
    let limit = APIColumn.requestIP.limit
    guard (0...limit).contains(value), sum + value <= limit else {
      throw RowFault("\(column) is not between 0 and \(limit)")
    }
    return sum + value
  }

  /// A duration in milliseconds; nil when the cell is empty.
  static func milliseconds(_ text: ArraySlice<UInt8>, _ column: String) throws(RowFault) -> Int64? {
    if text.isEmpty { return nil }
    let isPlain = text.count <= 32 && text.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
    guard isPlain, let value = Double(String(decoding: text, as: UTF8.self)) else {
      throw RowFault("\(column) is no number of milliseconds")
    }
    return try nanoseconds(value, column)
  }

  /// A duration in milliseconds as nanoseconds.
  static func nanoseconds(_ milliseconds: Double, _ column: String) throws(RowFault) -> Int64 {
    guard milliseconds.isFinite, (0...1e12).contains(milliseconds) else {
      throw RowFault("\(column) is no number of milliseconds")
    }
    return Int64((milliseconds * 1_000_000).rounded())
  }
}
