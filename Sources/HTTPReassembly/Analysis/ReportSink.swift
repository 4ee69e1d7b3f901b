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
  /// Connections of TLS and QUIC that were not wholly opened, by server name, the most octets first.
  public var secureHosts: [SecureHostTotals]
  /// What the connections of each host cost, in the order of hosts as octets; empty unless `Configuration.tables` asks for it.
  public var hosts: [HostTotals] = []
  /// Octets over time, in the order of their intervals and directions; empty unless `Configuration.tables` asks for it.
  public var timeline: [TimelineInterval] = []
  /// What contents cost and could save, in the order of APIs, requests before responses; empty unless `Configuration.tables` asks for it.
  public var contents: [ContentTotals] = []
  /// Octets of header fields, in the order of APIs, requests before responses, each by name; empty unless `Configuration.tables` asks
  /// for it.
  public var fields: [FieldTotals] = []
  /// Traffic by `Configuration.groupKey`, the most octets first.
  public var groups: [GroupTotals] = []
  /// Segments of paths that have too many values for an API each (`Configuration.segmentValueLimit`); at most 100 of them.
  public var foldedSegments: [FoldedSegment] = []
  /// Capture times of the earliest and the latest packet, in nanoseconds since the Unix epoch; nil without packets.
  public var span: ClosedRange<Int64>?
  /// Whether packets are there more than once, as far as some of them were looked at.
  public var sightings = PacketSightings()
  /// The texts that the totals refer to.
  public var texts: TextPool

  /// Puts together what the parts of an analysis counted.
  package init(
    ledger: Ledger, anomalies: AnomalyLog, apis: [APITotals], secureHosts: [SecureHostTotals] = [],
    span: ClosedRange<Int64>? = nil, texts: TextPool
  ) {
    self.ledger = ledger
    self.anomalies = anomalies
    self.apis = apis
    self.secureHosts = secureHosts
    self.span = span
    self.texts = texts
  }
}
