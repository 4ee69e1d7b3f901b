/// Receives what the analysis finds, as soon as it is final.
///
/// Messages, exchanges and connections come in the order in which they become final, not in the order of their
/// numbers. Everything that is passed is valid during the call; texts are handles into `texts`.
public protocol ReportSink {
  /// What a sink may throw; the analysis passes it on to its caller.
  associatedtype Failure: Error

  /// A message is final.
  mutating func message(_ message: Message, texts: borrowing TextPool) throws(Failure)
  /// An exchange is final: both its messages are.
  mutating func exchange(_ exchange: Exchange, texts: borrowing TextPool) throws(Failure)
  /// A connection is final, after all its messages.
  mutating func connection(_ connection: Connection, texts: borrowing TextPool) throws(Failure)
}

/// What a finished analysis knows beyond its rows.
public struct Totals: Sendable {
  /// Where every octet went.
  public var ledger: Ledger
  /// The oddities.
  public var anomalies: AnomalyLog
  /// Totals by API, in the order of host, path, method as octets.
  public var apis: [APITotals]
  /// Connections of TLS by server name, opened or not, the most octets first.
  public var secureHosts: [SecureHostTotals]
  /// The texts that the totals refer to.
  public var texts: TextPool

  /// Puts together what the parts of an analysis counted.
  package init(
    ledger: Ledger, anomalies: AnomalyLog, apis: [APITotals], secureHosts: [SecureHostTotals] = [], texts: TextPool
  ) {
    self.ledger = ledger
    self.anomalies = anomalies
    self.apis = apis
    self.secureHosts = secureHosts
    self.texts = texts
  }
}
