import TestSupport

/// A request as its witness and as sniffer tell of it.
struct WitnessedExchange: Sendable {
  /// The witness's row.
  let witness: CSVFile.Row
  /// The connection, if sniffer has it.
  let connection: CSVFile.Row?
  /// The request, if sniffer has it.
  let request: CSVFile.Row?
  /// The responses, interim ones included.
  let responses: [CSVFile.Row]

  /// The response that is not interim.
  var finalResponse: CSVFile.Row? { responses.first { $0["type"] == "response" } }
  /// Whether sniffer has anything of it.
  var isJoined: Bool { request != nil || !responses.isEmpty }
  /// Both ends and ports of the connection, as the witness has them.
  var key: [String] { Self.key(witness) }

  /// Whether the witness's note has this word.
  func isNoted(_ word: String) -> Bool { witness.words("note").contains { $0 == word } }

  /// The number that follows a word of the witness's note.
  func noted(_ prefix: String) -> Int? {
    witness.words("note").lazy.compactMap { $0.hasPrefix(prefix) ? Int($0.dropFirst(prefix.count)) : nil }.first
  }

  /// Whether a row has this flag.
  func isFlagged(_ row: CSVFile.Row?, _ flag: String) -> Bool { row?.words("flags").contains { $0 == flag } ?? false }

  static func key(_ witness: CSVFile.Row) -> [String] {
    ["client_address", "client_port", "server_address", "server_port"].map { witness[$0] }
  }
}

/// The rows of a witness beside what sniffer says, joined by the connection and the ordinal on it.
///
/// The ordinal counts exchanges: one whose request was not captured, or is no HTTP, has its place all the same.
struct WitnessJoin: Sendable {
  let rows: [WitnessedExchange]
  let report: Report
  /// Indices of `rows` by connection, in the order of ordinals.
  private let byConnection: [[String]: [Int]]

  init(witness: CSVFile, report: Report) {
    self.report = report
    let messages = Dictionary(grouping: report.messages.rows) { $0["exchange"] }
    let exchanges = Dictionary(grouping: report.exchanges.rows) { $0["connection"] }
    var connections: [[String]: [CSVFile.Row]] = [:]
    for row in report.connections.rows { connections[Self.key(row), default: []].append(row) }
    rows = witness.rows.map { row in
      let mine = connections[WitnessedExchange.key(row)] ?? []
      let ordered = mine.flatMap { exchanges[$0["connection"]] ?? [] }
      let ordinal = row.integer("ordinal")
      let exchange = (1...max(ordered.count, 1)).contains(ordinal) && !ordered.isEmpty ? ordered[ordinal - 1] : nil
      let joined = exchange.flatMap { messages[$0["exchange"]] } ?? []
      return WitnessedExchange(
        witness: row, connection: mine.first, request: joined.first { $0["type"] == "request" },
        responses: joined.filter { $0["type"] != "request" })
    }
    let rows = rows
    byConnection = Dictionary(grouping: rows.indices) { rows[$0].key }
      .mapValues { $0.sorted { rows[$0].witness.integer("ordinal") < rows[$1].witness.integer("ordinal") } }
  }

  /// All rows of the connection of a row.
  func onConnection(of exchange: WitnessedExchange) -> [WitnessedExchange] {
    (byConnection[exchange.key] ?? []).map { rows[$0] }
  }

  /// All rows of the transfer of a row: those with the same id, which a client follows redirects with.
  func chain(of exchange: WitnessedExchange) -> [WitnessedExchange] {
    rows.filter { $0.witness["id"] == exchange.witness["id"] }
  }

  /// One row for each connection.
  var connections: [WitnessedExchange] {
    byConnection.values.compactMap(\.first).sorted().map { rows[$0] }
  }

  /// Whether packets of the capture are cut.
  var isCutBySnapLength: Bool { (report.ledger("truncated_packets") ?? 0) > 0 }

  /// Both ends of a connection as a witness writes them.
  private static func key(_ connection: CSVFile.Row) -> [String] {
    ["client", "server"].flatMap { column -> [String] in
      let endpoint = connection[column]
      guard let colon = endpoint.lastIndex(of: ":") else { return [endpoint, ""] }
      let address = endpoint[..<colon].filter { $0 != "[" && $0 != "]" }
      return [String(address), String(endpoint[endpoint.index(after: colon)...])]
    }
  }
}
