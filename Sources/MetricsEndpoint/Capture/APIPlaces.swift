import HTTPReassembly

/// Which APIs have series of their own.
///
/// Hosts and paths are chosen by whoever sends requests, so their number has to be bounded. The first `limit` APIs get a
/// place, and keep it: a series that vanished, or an API that moved between its own series and the rest, would make
/// counters go back. Of those that come in the same snapshot, the ones with the most octets go first. All others
/// are summed under `other`.
struct APIPlaces {
  /// The labels of an API, from its host, path and method.
  typealias Labels = (_ host: [UInt8], _ path: [UInt8], _ method: [UInt8]) -> [(String, String)]

  /// An API by its octets: a snapshot's handles mean nothing in the next one.
  private struct Name: Hashable {
    var host: [UInt8]
    var path: [UInt8]
    var method: [UInt8]
  }

  private let limit: Int
  private let labels: Labels
  private let registry: PrometheusRegistry
  private var places: [Name: Int] = [:]
  /// By their labels: long or redacted names may share theirs.
  private var positions: [String: Int] = [:]
  private var series: [APISeries] = []
  private let otherLabels: [(String, String)]

  /// APIs with a place.
  var count: Int { places.count }
  /// APIs of the last snapshot without one.
  private(set) var otherCount = 0

  init(
    limit: Int, otherLabels: [(String, String)], in registry: PrometheusRegistry, labels: @escaping Labels
  ) {
    self.limit = max(limit, 0)
    self.labels = labels
    self.registry = registry
    self.otherLabels = otherLabels
  }

  /// Takes a snapshot of all APIs.
  mutating func update(_ totals: borrowing Totals) {
    otherCount = 0
    var newcomers: [(index: Int, octets: Int)] = []
    for (index, api) in totals.apis.enumerated() {
      if let place = places[Self.name(api, totals.texts)] {
        series[place].figures.add(api)
      } else if places.count < limit {
        newcomers.append((index, api.request.ipLength + api.response.ipLength))
      } else {
        addToOther(api)
      }
    }
    if newcomers.count > limit - places.count {
      newcomers.sort { ($0.octets, $1.index) > ($1.octets, $0.index) }
    }
    for newcomer in newcomers {
      let api = totals.apis[newcomer.index]
      if places.count < limit {
        let name = Self.name(api, totals.texts)
        let place = position(of: labels(name.host, name.path, name.method))
        places[name] = place
        series[place].figures.add(api)
      } else {
        addToOther(api)
      }
    }
    for position in series.indices { series[position].publish() }
  }

  private mutating func addToOther(_ api: APITotals) {
    otherCount += 1
    series[position(of: otherLabels)].figures.add(api)
  }

  private mutating func position(of labels: [(String, String)]) -> Int {
    let key = ExpositionText.labels(labels)
    if let position = positions[key] { return position }
    positions[key] = series.count
    series.append(APISeries(labels: labels, in: registry))
    return series.count - 1
  }

  private static func name(_ api: APITotals, _ texts: borrowing TextPool) -> Name {
    Name(host: texts.octets(api.host), path: texts.octets(api.path), method: texts.octets(api.method))
  }
}
