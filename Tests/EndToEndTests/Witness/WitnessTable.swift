import TestSupport

/// How the rows of one witness compare with sniffer's.
struct WitnessTally: Sendable {
  /// The capture.
  let name: String
  /// Rows of the witness that sniffer has too.
  private(set) var rows = 0
  /// Rows of the witness of which sniffer rightly has nothing.
  private(set) var rowsWithout = 0
  private(set) var fields = 0
  private(set) var equal = 0
  /// Differences by the rule that explains them.
  private(set) var explained: [String: Int] = [:]
  /// Differences that no rule explains.
  private(set) var unexplained: [String] = []
  /// Connections of which all octets are those of their witnesses' messages.
  private(set) var connections = 0

  /// Compares all rows.
  init(name: String, join: WitnessJoin) {
    self.name = name
    for row in join.rows { compare(row, join) }
    for row in join.connections { compareConnection(of: row, join) }
  }

  private mutating func compare(_ row: WitnessedExchange, _ join: WitnessJoin) {
    guard row.isJoined else {
      rowsWithout += 1
      guard let reason = WitnessRule.reasonForNoRow(row, join) else {
        return unexplained.append("\(name) \(row.label): sniffer has no such request")
      }
      explained[reason, default: 0] += 1
      return
    }
    rows += 1
    for field in WitnessField.allCases {
      guard let witnessed = field.witnessed(row.witness) else { continue }
      let value = field.value(of: row)
      fields += 1
      if value == witnessed {
        equal += 1
      } else if let rule = WitnessRule.all.first(where: { $0.explains(field, row, join) }) {
        explained[rule.name, default: 0] += 1
      } else {
        unexplained.append("\(name) \(row.label): \(field.rawValue) is \(value), witness \(witnessed)")
      }
    }
  }

  /// The octets of the connection's two streams are the sum of what the servers logged, captured or not.
  private mutating func compareConnection(of row: WitnessedExchange, _ join: WitnessJoin) {
    let rows = join.onConnection(of: row)
    guard let connection = row.connection, rows.allSatisfy({ $0.isPlain }) else { return }
    var streams = connection.integer("client_payload_bytes") + connection.integer("server_payload_bytes")
    streams -= connection.integer("retransmitted_bytes")
    // The servers count inside of TLS.
    guard connection["tls_version"].isEmpty else { return }
    // Octets beyond the snap length are missing, but their packets are not.
    if !join.isCutBySnapLength { streams += connection.integer("missing_bytes") }
    // The half of which nothing was captured, not even that it was acknowledged.
    let hasOnlyRequests = row.isFlagged(connection, "one_sided") && connection.integer("server_payload_bytes") == 0
    let logged = rows.reduce(0) {
      $0 + $1.witnessed(.requestBytes) - ($1.isNoted("apache-peek") ? 1 : 0)
        + (hasOnlyRequests && connection.integer("missing_bytes") == 0 ? 0 : $1.witnessed(.responseBytes))
    }
    if streams == logged {
      connections += 1
    } else {
      unexplained.append("\(name) \(row.label): streams of \(streams) octets, witness \(logged)")
    }
  }

  /// The tally as a line of the table.
  var line: String {
    let rules = explained.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    let numbers = [rows, rowsWithout, fields, equal, explained.values.reduce(0, +), unexplained.count, connections]
    return name.padded(to: 22) + numbers.map { "\($0)".leftPadded(to: 10) }.joined() + "  " + rules
  }

  /// The heading of the table.
  static let heading: String = {
    let names = ["rows", "no row", "fields", "equal", "explained", "unexpl.", "streams"]
    return "capture".padded(to: 22) + names.map { $0.leftPadded(to: 10) }.joined() + "  by"
  }()
}

extension WitnessedExchange {
  /// What tells the row from others in a message.
  var label: String {
    "\(witness["client_port"])/\(witness["ordinal"]) \(witness["id"]) \(witness["method"]) \(witness["path"].prefix(60))"
      + (witness["note"].isEmpty ? "" : " [\(witness["note"])]")
  }

  /// Whether server and wire should count the same octets of the whole connection.
  fileprivate var isPlain: Bool {
    guard let connection, connection["protocol"] == "http/1", !isFlagged(connection, "tunnel") else { return false }
    let statuses: Set = ["301", "302", "303", "307", "308", "400", "413", "414"]
    let isDiscarded = statuses.contains(witness["status"]) && (request?.transferredBody ?? 0) > 0
    return !witness["request_bytes"].isEmpty && !witness["response_bytes"].isEmpty && !isDiscarded
      && !isNoted("incomplete") && !["400", "414"].contains(witness["status"]) && !isNoted("inside-tunnel")
      && witnessed(.clientRequestBytes) <= witnessed(.requestBytes)
  }
}

extension String {
  fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(width - count, 0)) }
  fileprivate func leftPadded(to width: Int) -> String { String(repeating: " ", count: max(width - count, 0)) + self }
}
