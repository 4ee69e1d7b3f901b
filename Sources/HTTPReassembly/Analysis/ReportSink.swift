/// Receives the rows of the analysis as soon as they are final.
///
/// Messages, exchanges and connections come in the order in which they become final, not in the order of their numbers. All arguments are
/// valid only during the call. Texts are handles into `texts`.
public protocol ReportSink {
  /// The error of the sink, which the analysis passes on to its caller.
  associatedtype Failure: Error

  /// Takes a final message.
  mutating func message(_ message: Message, texts: borrowing TextPool) throws(Failure)
  /// Takes a final exchange; both its messages are final.
  mutating func exchange(_ exchange: Exchange, texts: borrowing TextPool) throws(Failure)
  /// Takes a final connection, after all its messages.
  mutating func connection(_ connection: Connection, texts: borrowing TextPool) throws(Failure)
  /// Takes a row that refines a final message, after the message. The default ignores it.
  mutating func detail(_ row: DetailRow, texts: borrowing TextPool) throws(Failure)
}

extension ReportSink {
  /// Does nothing: most sinks have no table of details.
  public mutating func detail(_ row: DetailRow, texts: borrowing TextPool) throws(Failure) {}
}

/// Results of an analysis beyond its rows.
public struct Totals: Sendable {
  /// The account of every octet.
  public var ledger: Ledger
  /// The anomalies.
  public var anomalies: AnomalyLog
  /// Totals by API, sorted by the octets of host, path and method.
  public var apis: [APITotals]
  /// TLS and QUIC connections that are closed, or for the most part, by server name, most octets first.
  public var secureHosts: [SecureHostTotals]
  /// The cost of each host's connections, sorted by the octets of hosts; empty unless `Configuration.tables` asks for it.
  public var hosts: [HostTotals] = []
  /// Octets over time, in the order of their intervals and directions; empty unless `Configuration.tables` asks for it.
  public var timeline: [TimelineInterval] = []
  /// Octets between marks, in the order of time; empty without `Configuration.marks`.
  public var steps: [StepTotals] = []
  /// Costs and possible savings of contents, in the order of APIs, requests before responses; empty unless `Configuration.tables` asks for
  /// it.
  public var contents: [ContentTotals] = []
  /// Octets of header fields, in the order of APIs, requests before responses, each by name; empty unless `Configuration.tables` asks
  /// for it.
  public var fields: [FieldTotals] = []
  /// Traffic by `Configuration.groupKey`, most octets first.
  public var groups: [GroupTotals] = []
  /// Path segments with too many values for an API each (`Configuration.segmentValueLimit`); at most 100 of them.
  public var foldedSegments: [FoldedSegment] = []
  /// Capture times of the earliest and the latest packet, in nanoseconds since the Unix epoch; nil without packets.
  public var span: ClosedRange<Int64>?
  /// Whether packets were captured more than once, from samples.
  public var sightings = PacketSightings()
  /// The secrets of TLS, and what they opened.
  public var secrets = SecretTotals()
  /// The texts that the totals refer to.
  public var texts: TextPool

  /// Whether the analysis stopped before the end of its captures: further packets are in no figure.
  public var isStopped: Bool { anomalies[.readingStopped] > 0 }

  /// Notes that the analysis stopped before the end of its captures (`reading_stopped`).
  package mutating func noteStop() {
    anomalies.set(.readingStopped, count: 1, firstTime: span?.upperBound ?? 0, firstConnection: 0)
  }

  /// Puts together the counts of an analysis's parts.
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
