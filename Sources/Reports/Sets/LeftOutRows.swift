import HTTPReassembly
import Tabular

/// Rows that are missing in some or all reports, because `RowAllowance` was used up. They are in every total. Rows of some totals are
/// missing beyond it, too.
public struct LeftOutRows: Sendable, Equatable {
  /// Rows of messages.
  public private(set) var messages = 0
  /// Rows of exchanges.
  public private(set) var exchanges = 0
  /// Rows of connections.
  public private(set) var connections = 0
  /// Rows of details.
  public private(set) var details = 0
  /// Rows of the tables `timeline`, `contents` and `fields`, all formats together.
  public internal(set) var totals = 0
  /// Capture time of the first one, in nanoseconds since the Unix epoch.
  private(set) var firstTime: Int64 = 0
  /// The connection of the first one.
  private(set) var firstConnection = 0

  /// No rows.
  public init() {}

  /// The number of all rows but those of totals.
  public var count: Int { messages + exchanges + connections + details }

  /// The notice about them; nil without any.
  public var text: String? {
    guard count + totals > 0 else { return nil }
    let parts = [
      ("messages", messages), ("exchanges", exchanges), ("connections", connections),
      ("rows of grpc", details), ("rows of timeline, contents and fields", totals),
    ].filter { $0.1 > 0 }.map { "\($0.0) \(Numerals.grouped($0.1))" }
    return "rows left out of the reports, beyond --max-report: \(parts.joined(separator: ", "))"
  }

  mutating func add(_ message: Message) {
    note(message.firstTime, message.connection)
    messages += 1
  }

  mutating func add(_ exchange: Exchange) {
    note(exchange.started, exchange.connection)
    exchanges += 1
  }

  mutating func add(_ connection: Connection) {
    note(connection.opened, connection.number)
    connections += 1
  }

  mutating func add(_ detail: DetailRow) {
    note(detail.time, 0)
    details += 1
  }

  private mutating func note(_ time: Int64, _ connection: Int) {
    if count == 0 { (firstTime, firstConnection) = (time, connection) }
  }
}

extension Totals {
  /// These totals with an anomaly for rows that were left out (`report_full`), if any.
  public func noting(_ leftOut: LeftOutRows) -> Totals {
    guard leftOut.count > 0 else { return self }
    var totals = self
    totals.anomalies.set(
      .reportFull, count: leftOut.count, firstTime: leftOut.firstTime, firstConnection: leftOut.firstConnection)
    return totals
  }

  /// These totals with that anomaly for further rows, of totals in one report. They belong to no connection, and to the capture's end.
  func noting(totalsLeftOut count: Int) -> Totals {
    guard count > 0 else { return self }
    var totals = self
    let others = anomalies.all.first { $0.anomaly == .reportFull }?.count
    totals.anomalies.set(
      .reportFull, count: (others?.count ?? 0) + count, firstTime: others?.firstTime ?? span?.upperBound ?? 0,
      firstConnection: others?.firstConnection ?? 0)
    return totals
  }
}
