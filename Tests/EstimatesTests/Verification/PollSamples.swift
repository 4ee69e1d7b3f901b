import HTTPReassembly

@testable import Estimates

/// Exchanges of one target, and the log of an app that counts as the wire does.
enum PollSamples {
  /// Exchanges of one target at given times: (milliseconds, octets of the response's body).
  static func wire(_ exchanges: [(at: Int64, body: Int)], path: String = "/poll", host: String = "a.example")
    -> [WireMessage]
  {
    var messages: [WireMessage] = []
    for (index, exchange) in exchanges.enumerated() {
      for kind in [MessageKind.request, .response] {
        var row = Message()
        row.number = messages.count + 1
        row.exchange = index + 1
        row.connection = index + 1
        row.kind = kind
        row.firstTime = 1_700_000_000_000_000_000 + exchange.at * 1_000_000 + (kind == .response ? 30_000_000 : 0)
        row.lastTime = row.firstTime
        row.octets.startLine = 20
        row.octets.header = 30
        row.octets.body = kind == .response ? exchange.body : 0
        row.decodedBody = row.octets.body
        row.status = kind == .response ? 200 : 0
        var message = WireMessage(row: row)
        (message.host, message.path, message.method) = (host, path, "GET")
        message.startLine = Array((kind == .request ? "GET \(path) HTTP/1.1" : "HTTP/1.1 200 OK").utf8)
        messages.append(message)
      }
    }
    return messages
  }

  /// A row for each message, as the wire has it, `late` milliseconds later.
  static func log(_ wire: [WireMessage], late: Int64 = 2) -> [LogEntry] {
    wire.enumerated().map { index, message in
      var entry = LogEntry(
        row: index + 1, kind: message.row.kind, host: message.host, path: message.path,
        time: message.row.firstTime + late * 1_000_000)
      entry.exchange = message.row.exchange
      entry.method = "GET"
      entry.status = message.row.status
      (entry.lineLength, entry.headerLength, entry.bodyLength) = (20, 30, message.row.octets.body)
      entry.length = message.row.octets.total
      return entry
    }
  }

  /// So many exchanges with answers of different lengths, some milliseconds apart.
  static func polls(_ count: Int, every: Int64) -> [WireMessage] {
    wire((0..<count).map { index -> (at: Int64, body: Int) in (Int64(index) * every, 100 + index * 7) })
  }

  /// The comparison of an app's own log with the wire.
  static func verify(_ entries: [LogEntry], _ wire: [WireMessage]) -> Verification {
    Verification(AppLog(dialect: .monitor, entries: entries), wire)
  }
}

extension Verification {
  /// The number of the message of each row of the log; nil for a row without one.
  var numbers: [Int?] { rows.filter { $0.entry != nil }.map { $0.message?.row.number } }

  /// The log's rows with a cause.
  func rows(with cause: Cause.Kind) -> [Int] {
    rows.filter { $0.total.causes.contains { $0.kind == cause } }.compactMap(\.entry?.row)
  }
}
