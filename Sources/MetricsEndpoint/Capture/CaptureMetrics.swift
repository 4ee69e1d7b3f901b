import CoreMetrics
import HTTPReassembly

/// The metrics of a live capture: its health, its ledger and its APIs.
///
/// Give it a snapshot each second and hand the page it makes to the server. It belongs to the thread that calls it.
public struct CaptureMetrics {
  /// What a host and a path are shown as: a redaction, for instance.
  public typealias Naming = (_ host: [UInt8], _ path: [UInt8]) -> (host: [UInt8], path: [UInt8])

  /// APIs that get series of their own unless said otherwise. At 18 series each, that is a page of one to two megabytes.
  public static let defaultAPILimit = 500

  private let registry: PrometheusRegistry
  private var packets: RunningCount
  private var packetOctets: RunningCount
  private var classes: [RunningCount]
  private var droppedByKernel: RunningCount
  private var droppedByInterface: RunningCount
  private var droppedByQueue: RunningCount
  private var truncated: RunningCount
  private var missing: RunningCount
  private var anomalies: [RunningCount]
  private let connections: Gauge
  private let delay: Gauge
  private let pending: Gauge
  private let labelled: Gauge
  private let inOther: Gauge
  private var apis: APIPlaces

  /// Prepares all series that are known beforehand, at 0.
  ///
  /// Up to `apiLimit` APIs get series of their own, the first to come; the rest are summed under `host="other"`,
  /// `path="other"`. The labels are those that the analysis groups by.
  public init(
    apiLimit: Int = defaultAPILimit, grouping: Configuration.Grouping = .init(),
    naming: @escaping Naming = { ($0, $1) }
  ) {
    let apiLimit = max(apiLimit, 0)
    // Every series that can come about has its place, so none is ever refused.
    let registry = PrometheusRegistry(
      seriesLimit: (apiLimit + 1) * APIFigures.series.count + OctetClass.allCases.count + Anomaly.allCases.count + 32)
    for family in CaptureFamily.allCases { registry.describe(family.rawValue, as: family.help) }
    func count(_ family: CaptureFamily, _ labels: (String, String)...) -> RunningCount {
      RunningCount(family, labels, in: registry)
    }
    func gauge(_ family: CaptureFamily) -> Gauge { Gauge(label: family.rawValue, factory: registry) }
    self.registry = registry
    packets = count(.packets)
    packetOctets = count(.packetOctets)
    classes = OctetClass.allCases.map { count(.octets, ("class", $0.name)) }
    droppedByKernel = count(.dropped, ("where", "kernel"))
    droppedByInterface = count(.dropped, ("where", "interface"))
    droppedByQueue = count(.dropped, ("where", "queue"))
    truncated = count(.truncated)
    missing = count(.missing)
    anomalies = Anomaly.allCases.map { count(.anomalies, ("name", $0.rawValue)) }
    connections = gauge(.connections)
    delay = gauge(.delay)
    pending = gauge(.pending)
    labelled = gauge(.apisLabelled)
    inOther = gauge(.apisInOther)

    let shown = [("host", true), ("path", grouping.path), ("method", grouping.method)]
    apis = APIPlaces(
      limit: apiLimit, otherLabels: shown.compactMap { $0.1 ? ($0.0, "other") : nil }, in: registry
    ) { host, path, method in
      let names = naming(host, path)
      return zip(shown, [names.host, names.path, method]).compactMap { label, text in
        label.1 ? (label.0, LabelText.string(text)) : nil
      }
    }
  }

  /// Takes a snapshot, and gives the page to publish.
  public mutating func update(_ totals: borrowing Totals, health: CaptureHealth) -> [UInt8] {
    packets.follow(totals.ledger.packets)
    packetOctets.follow(totals.ledger.original)
    droppedByKernel.follow(health.droppedByKernel)
    droppedByInterface.follow(health.droppedByInterface)
    droppedByQueue.follow(health.droppedByQueue)
    connections.record(health.connections)
    delay.record(health.delay)
    pending.record(totals.ledger.pending)
    truncated.follow(totals.ledger.truncatedPackets)
    missing.follow(totals.ledger.missing)
    for (index, octetClass) in OctetClass.allCases.enumerated() { classes[index].follow(totals.ledger[octetClass]) }
    for (index, anomaly) in Anomaly.allCases.enumerated() { anomalies[index].follow(totals.anomalies[anomaly]) }
    apis.update(totals)
    labelled.record(apis.count)
    inOther.record(apis.otherCount)
    return registry.exposition()
  }
}
