import HTTPReassembly
import Tabular

/// The figures of one API at an instant, and their rates until then.
struct LiveAPI: Sendable {
  /// Its key.
  var key = APIKey(host: [], path: [])
  /// Its name, ready for display.
  var name: String
  /// Requests seen.
  var requests = 0
  /// `ip_bytes` of the requests.
  var up = 0
  /// `ip_bytes` of the responses.
  var down = 0
  /// `up` per second.
  var upRate = 0.0
  /// `down` per second.
  var downRate = 0.0

  /// Final responses with a 4xx or 5xx status.
  var errors = 0
  /// The wait phases of its exchanges.
  var wait = LatencyDistribution()

  /// The wait phase that 95 % of its exchanges did not exceed, in nanoseconds; nil without any.
  var p95: Int64? { wait.percentile(95) }
  /// Octets both ways.
  var total: Int { up + down }
  /// Octets both ways per second.
  var rate: Double { upRate + downRate }

  /// Adds the figures of another API; the name stays.
  mutating func add(_ other: LiveAPI) {
    requests += other.requests
    up += other.up
    down += other.down
    upRate += other.upRate
    downRate += other.downRate
    errors += other.errors
    wait.merge(other.wait)
  }
}

/// The APIs that a row of the live view joins.
enum LiveJoining: Sendable {
  /// A row for each API.
  case none
  /// A row for each host.
  case hosts
  /// A row for each template of paths.
  case templates

  /// The key of the row that has an API.
  func key(of api: APIKey) -> APIKey {
    switch self {
    case .none: return api
    case .hosts: return APIKey(host: api.host, path: [])
    case .templates:
      var key = api
      key.path = PathTemplate.template(of: api.path)
      return key
    }
  }
}

/// The figures of a live run at an update, with the rates since the last update.
struct LiveReadings: Sendable {
  /// The largest number of columns of a name: a path can have thousands, and no screen or line shows them.
  private static let nameLimit = 300

  /// The APIs, in the order of the totals.
  private(set) var apis: [LiveAPI] = []
  /// The ledger.
  private(set) var ledger = Ledger(packets: 0, original: 0)
  /// Followed connections.
  private(set) var connections = 0
  /// Nanoseconds since the start of the capture.
  private(set) var elapsed: Int64 = 0
  /// Nanoseconds by which the analysis is behind the capture.
  private(set) var behind: Int64 = 0
  /// Final messages, requests and responses.
  private(set) var messages = 0
  /// Packets per second.
  private(set) var packetRate = 0.0
  /// Octets of packets per second.
  private(set) var octetRate = 0.0

  /// Leaves out personal facts.
  let redaction: Redaction?
  /// The positions of APIs in `apis`. The keys are texts, because handles differ between snapshots.
  private var positions: [APIKey: Int] = [:]

  /// No figures yet.
  init(redaction: Redaction?) { self.redaction = redaction }

  /// Reads the totals again, `elapsed` nanoseconds after the start. If no time has passed since the last call, the rates stay.
  mutating func update(_ totals: Totals, at elapsed: Int64, connections: Int, behind: Int64) {
    self.behind = behind
    let seconds = Double(elapsed - self.elapsed) / 1e9
    func rate(_ now: Int, _ before: Int, _ last: Double) -> Double {
      // An open message counts in a snapshot as far as it is known, so later facts can remove octets again.
      seconds > 0 ? Double(max(now - before, 0)) / seconds : last
    }
    packetRate = rate(totals.ledger.packets, ledger.packets, packetRate)
    octetRate = rate(totals.ledger.original, ledger.original, octetRate)
    let before = (apis: apis, positions: positions)
    apis = []
    positions = [:]
    messages = 0
    for totalsOfAPI in totals.apis {
      let key = APIKey(totalsOfAPI, totals.texts)
      let last = before.positions[key].map { before.apis[$0] }
      var api = LiveAPI(name: last?.name ?? name(key))
      api.key = key
      api.requests = totalsOfAPI.requests
      api.errors = totalsOfAPI.status4xx + totalsOfAPI.status5xx
      api.wait = totalsOfAPI.wait
      api.up = totalsOfAPI.request.ipLength
      api.down = totalsOfAPI.response.ipLength
      api.upRate = rate(api.up, last?.up ?? 0, last?.upRate ?? 0)
      api.downRate = rate(api.down, last?.down ?? 0, last?.downRate ?? 0)
      positions[key] = apis.count
      apis.append(api)
      messages += totalsOfAPI.requests + totalsOfAPI.responses
    }
    ledger = totals.ledger
    self.connections = connections
    self.elapsed = max(elapsed, self.elapsed)
  }

  /// Adds the wait phases of exchanges that are not final yet, which totals lack.
  mutating func add(_ open: [RecentExchanges.Entry]) {
    for entry in open {
      if let wait = entry.wait, let position = positions[entry.key] { apis[position].wait.record(wait) }
    }
  }

  /// The APIs joined as a view asks for, in the order of their first ones.
  func joined(_ joining: LiveJoining) -> [LiveAPI] {
    guard joining != .none else { return apis }
    var rows: [LiveAPI] = []
    var positions: [APIKey: Int] = [:]
    for api in apis {
      let key = joining.key(of: api.key)
      if let position = positions[key] {
        rows[position].add(api)
      } else {
        var row = api
        row.key = key
        row.name = name(key)
        positions[key] = rows.count
        rows.append(row)
      }
    }
    return rows
  }

  private func name(_ key: APIKey) -> String { key.redacted(redaction).text.shortened(to: Self.nameLimit) }
}
