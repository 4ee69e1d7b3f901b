/// The APIs of a report.
package struct ReportedAPIs: Sendable {
  /// The report, as the user named it.
  package let name: String
  /// Whether totals are grouped by path; nil if unknown.
  var isByPath: Bool?
  /// Whether totals are also grouped by method.
  var isByMethod = false
  /// Whether totals are also grouped by process.
  var isByProcess = false
  /// Whether paths and addresses are hashed; nil if unknown.
  var isRedacted: Bool?
  /// Whether the run came to its end; nil if unknown.
  package var isComplete: Bool?
  /// The user's choices for the run; nil if unknown.
  var choices: RunChoices?
  /// The hosts, with all octets of their connections; nil if the report has no table of them.
  private(set) var hosts: [[UInt8]: ReportedHost]?
  /// The APIs.
  package private(set) var apis: [APIKey: ReportedAPI] = [:]

  /// All hosts together.
  private(set) var allHosts = ReportedHost()
  private var sum = APICounts()
  private var rows = 0
  private var nameLength = 0
  /// Twice the rows that a report has at most (`Configuration.apiLimit`).
  private static let rowLimit = 1 << 18
  /// Twice the octets of names that a report has at most.
  private static let nameLimit = 1 << 26

  init(name: String) { self.name = name }

  /// Adds a row. With hashed paths two APIs may have one name; they are one here, and their latency is unknown.
  mutating func add(_ key: APIKey, _ api: ReportedAPI) throws(RowFault) {
    rows += 1
    guard rows <= Self.rowLimit else { throw RowFault("more than \(Self.rowLimit) APIs") }
    try addName(key.host.count + key.path.count + key.method.count + key.process.count)
    sum.add(api.figures)
    for column in APIColumn.allCases where sum[column] > column.limit {
      throw RowFault("\(column.rawValue) is more than \(column.limit) in all")
    }
    insert(key, api)
  }

  /// Notes that the report has a table of hosts.
  mutating func beginHosts() { hosts = [:] }

  /// Adds a host. With hashed names two hosts may have one name; they are one here.
  mutating func add(_ name: [UInt8], _ host: ReportedHost) throws(RowFault) {
    guard hosts?.count ?? 0 < Self.rowLimit else { throw RowFault("more than \(Self.rowLimit) hosts") }
    try addName(name.count)
    try allHosts.add(host)
    try hosts?[name, default: ReportedHost()].add(host)
  }

  private mutating func addName(_ length: Int) throws(RowFault) {
    nameLength += length
    guard nameLength <= Self.nameLimit else { throw RowFault("names of more than \(Self.nameLimit) bytes in all") }
  }

  /// Adds a host of our own analysis, which needs no limits.
  mutating func insert(_ name: [UInt8], _ host: ReportedHost) {
    do throws(RowFault) { try add(name, host) } catch { hosts = nil }
  }

  /// Adds the counts of our own analysis, which needs no limits.
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

  /// The grouping of the totals, as far as known. A CSV file always has a column for the path; when it is empty in every row,
  /// totals are by host.
  var grouping: String {
    let hasHosts = apis.keys.contains { !$0.host.isEmpty }
    let isByPath = self.isByPath ?? (!hasHosts || apis.keys.contains { !$0.path.isEmpty })
    return "host" + (isByPath ? ",path" : "") + (isByMethod ? ",method" : "") + (isByProcess ? ",process" : "")
  }

  /// Whether no fact tells the grouping of the totals.
  var isOfAnyGrouping: Bool { apis.keys.allSatisfy { $0.host.isEmpty } && isByPath == nil }
}

/// A host in a report. Lengths are octets.
struct ReportedHost: Sendable, Equatable {
  /// All octets of its connections, from the network header on.
  var ip = 0
  /// Octets of its TLS and QUIC handshakes, which belong to no API.
  var handshake = 0
  /// Octets of records and packets that were not opened.
  var unopened = 0

  /// The columns of a report, in the order of the figures.
  static let columns = ["ip_bytes", "handshake_bytes", "unopened_bytes"]

  /// All zero.
  init() {}

  /// The figures of `columns`, which anyone may have changed.
  init(_ values: [Int]) throws(RowFault) {
    (ip, handshake, unopened) = (values[0], values[1], values[2])
    try ReportedHost().checkSum(with: self)
  }

  /// Adds another host, within the limit of a whole report.
  mutating func add(_ other: ReportedHost) throws(RowFault) {
    try checkSum(with: other)
    ip += other.ip
    handshake += other.handshake
    unopened += other.unopened
  }

  private func checkSum(with other: ReportedHost) throws(RowFault) {
    for (column, (a, b)) in zip(
      Self.columns, [(ip, other.ip), (handshake, other.handshake), (unopened, other.unopened)])
    {
      _ = try ReportedCell.octets(b, addedTo: a, "hosts: \(column)")
    }
  }
}

/// The fault of a row.
struct RowFault: Error {
  let description: String

  init(_ description: String) { self.description = description }
}

/// The figures of an API in a report.
package struct ReportedAPI: Sendable, Equatable {
  /// The figures.
  package var figures = APICounts()
  /// The median of the wait phase in nanoseconds; nil if unknown.
  package var waitP50: Int64?
  /// The 95th percentile of the wait phase in nanoseconds; nil if unknown.
  package var waitP95: Int64?

  /// All zero, and no latency.
  package init() {}
}

/// Reads the cells of `apis` from any storage. A report may have been changed by anyone, so cells are checked.
enum ReportedCell {
  /// The longest text, far beyond any in a report.
  static let longestText = 1 << 20

  /// A count from digits.
  static func count(_ text: ArraySlice<UInt8>, _ column: APIColumn) throws(RowFault) -> Int {
    guard !text.isEmpty, text.allSatisfy({ (0x30...0x39).contains($0) }),
      let value = Int(String(decoding: text, as: UTF8.self))
    else { throw RowFault("\(column.rawValue) is not a whole number from 0 on") }
    return try checked(value, column)
  }

  /// A count within its limits.
  static func checked(_ value: Int, _ column: APIColumn) throws(RowFault) -> Int {
    guard (0...column.limit).contains(value) else {
      throw RowFault("\(column.rawValue) is not between 0 and \(column.limit)")
    }
    return value
  }

  /// A sum of octets with another one, within the limit of a whole report.
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
      throw RowFault("\(column) is not a number of milliseconds")
    }
    return try nanoseconds(value, column)
  }

  /// A duration in milliseconds as nanoseconds.
  static func nanoseconds(_ milliseconds: Double, _ column: String) throws(RowFault) -> Int64 {
    guard milliseconds.isFinite, (0...1e12).contains(milliseconds) else {
      throw RowFault("\(column) is not a number of milliseconds")
    }
    return Int64((milliseconds * 1_000_000).rounded())
  }
}
