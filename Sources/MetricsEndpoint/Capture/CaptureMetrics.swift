import CoreMetrics
import HTTPReassembly

/// The metrics of a live capture: its health, its ledger, its APIs and its hosts, and the resources of the process itself.
///
/// Give it a snapshot each second, and the page to the server. It belongs to the thread that calls it.
public struct CaptureMetrics {
  /// Gives the shown names of a host and a path: a redaction, for instance.
  public typealias Naming = (_ host: [UInt8], _ path: [UInt8]) -> (host: [UInt8], path: [UInt8])

  /// The default number of APIs, and of hosts, with their own series. At 40 lines each, 500 APIs are a page of two to three megabytes.
  public static let defaultSeriesLimit = 500

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
  private let hostsLabelled: Gauge
  private let hostsInOther: Gauge
  private var tls: [RunningCount]
  private var quic: [RunningCount]
  private var apis: RankedSeries
  private var hosts: RankedSeries
  private let wholeLines = TrafficFigures.lines("sniffer_http", " of all APIs")
  private let wholeHeads: [[UInt8]]
  private var whole: HighestFigures
  private let process = ProcessFigures()

  /// Prepares all series that are known beforehand, at 0, and opens the files with the resources of the process.
  ///
  /// - Parameters:
  ///   - version: The program's version, for `sniffer_build_info`.
  ///   - seriesLimit: The number of APIs, and of hosts, with their own series: those with the most octets. The rest are summed under
  ///     `host="other"`, `path="other"`.
  ///   - grouping: The grouping of the analysis, which gives the labels.
  ///   - naming: Gives the shown names of hosts and paths.
  public init(
    version: String, seriesLimit: Int = defaultSeriesLimit, grouping: Configuration.Grouping = .init(),
    naming: @escaping Naming = { ($0, $1) }
  ) {
    // Every possible series has a place, so none is ever refused.
    let registry = PrometheusRegistry(seriesLimit: OctetClass.allCases.count + Anomaly.allCases.count + 32)
    for family in CaptureFamily.allCases { registry.describe(family.rawValue, as: family.help) }
    func count(_ family: CaptureFamily, _ labels: (String, String)...) -> RunningCount {
      RunningCount(family, labels, in: registry)
    }
    func gauge(_ family: CaptureFamily) -> Gauge { Gauge(label: family.rawValue, factory: registry) }
    self.registry = registry
    Gauge(label: CaptureFamily.build.rawValue, dimensions: [("version", version)], factory: registry).record(1)
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
    hostsLabelled = gauge(.hostsLabelled)
    hostsInOther = gauge(.hostsInOther)
    tls = ["handshake", "record", "application_data", "other"].map { count(.tls, ("part", $0)) }
    quic = ["handshake", "packet", "protected"].map { count(.quic, ("part", $0)) }
    wholeHeads = RankedSeries.heads(wholeLines, [])
    whole = HighestFigures(count: wholeLines.count)

    let shown = [("host", true), ("path", grouping.path), ("method", grouping.method), ("process", grouping.process)]
    apis = RankedSeries(
      limit: seriesLimit, figures: TrafficFigures.lines("sniffer_api", ", by API"),
      otherLabels: shown.compactMap { $0.1 ? ($0.0, "other") : nil }
    ) { name in
      let names = naming(name.parts[0], name.parts[1])
      return zip(shown, [names.host, names.path, name.parts[2], name.parts[3]]).compactMap { label, text in
        label.1 ? (label.0, LabelText.string(text)) : nil
      }
    }
    hosts = RankedSeries(limit: seriesLimit, figures: HostFigures.lines, otherLabels: [("host", "other")]) { name in
      [("host", LabelText.string(naming(name.parts[0], []).host))]
    }
  }

  /// Takes a snapshot. Returns the page to publish.
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
    let snapshot = copy totals
    let ledger = snapshot.ledger
    for (index, value) in [ledger.tlsHandshake, ledger.tlsRecord, ledger.tlsApplicationData, ledger.tlsOther]
      .enumerated()
    {
      tls[index].follow(value)
    }
    for (index, value) in [ledger.quicHandshake, ledger.quicPacket, ledger.quicProtected].enumerated() {
      quic[index].follow(value)
    }
    rank(snapshot)
    labelled.record(apis.count)
    inOther.record(apis.otherCount)
    hostsLabelled.record(hosts.count)
    hostsInOther.record(hosts.otherCount)
    var page = registry.exposition()
    for family in wholeLines.families {
      RankedSeries.appendHead(of: family, to: &page)
      RankedSeries.append(family, wholeHeads, whole.values, to: &page)
    }
    apis.append(to: &page)
    hosts.append(to: &page)
    process.append(to: &page)
    return page
  }

  /// Takes the APIs and the hosts of a snapshot.
  private mutating func rank(_ totals: Totals) {
    apis.update(
      RankedSeries.Rows(count: totals.apis.count) { index in
        let api = totals.apis[index]
        return RankedSeries.Name(parts: [api.host, api.path, api.method, api.process].map { totals.texts.octets($0) })
      } octets: { index in
        totals.apis[index].ipLength
      } add: { index, sums in
        TrafficFigures.add(totals.apis[index], to: &sums)
      })
    whole.follow(apis.whole, wholeLines.cumulative)
    hosts.update(
      RankedSeries.Rows(count: totals.hosts.count) { index in
        let host = totals.hosts[index].host
        return host == .none ? nil : RankedSeries.Name(parts: [totals.texts.octets(host)])
      } octets: { index in
        totals.hosts[index].ipLength
      } add: { index, sums in
        HostFigures.add(totals.hosts[index], to: &sums)
      })
  }
}
