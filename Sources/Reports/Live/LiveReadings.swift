import HTTPReassembly
import Tabular

/// What is known of one API at an instant, and how fast it grew until then.
struct LiveAPI: Sendable {
  /// What it is known by.
  var key = APIKey(host: [], path: [])
  /// Its name, ready to be shown.
  var name: String
  /// Requests seen.
  var requests = 0
  /// `ip_bytes` of the requests.
  var up = 0
  /// `ip_bytes` of the responses.
  var down = 0
  /// `up` by the second.
  var upRate = 0.0
  /// `down` by the second.
  var downRate = 0.0

  /// Final responses with a 4xx or 5xx status.
  var errors = 0
  /// The wait phases of its exchanges.
  var wait = LatencyDistribution()

  /// The wait phase that 95 % of its exchanges did not exceed, in nanoseconds; nil without any.
  var p95: Int64? { wait.percentile(95) }
  /// Octets both ways.
  var total: Int { up + down }
  /// Octets both ways by the second.
  var rate: Double { upRate + downRate }

  /// Adds the figures of another one; the name stays.
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

/// What a look at a run that goes on says, with the rates since the look before it.
struct LiveReadings: Sendable {
  /// Columns that a name may have: a path can have thousands, and no screen or line shows them.
  private static let nameLimit = 300

  /// The APIs, in the order of the totals.
  private(set) var apis: [LiveAPI] = []
  /// The ledger.
  private(set) var ledger = Ledger(packets: 0, original: 0)
  /// Connections that are being followed.
  private(set) var connections = 0
  /// Nanoseconds since the start of the capture.
  private(set) var elapsed: Int64 = 0
  /// Nanoseconds by which the analysis is behind the capture.
  private(set) var behind: Int64 = 0
  /// Final messages, requests and responses.
  private(set) var messages = 0
  /// Packets by the second.
  private(set) var packetRate = 0.0
  /// Octets of packets by the second.
  private(set) var octetRate = 0.0

  /// Leaves out what may be personal.
  let redaction: Redaction?
  /// Where the APIs are in `apis`. Texts, since handles differ from one snapshot to the next.
  private var positions: [APIKey: Int] = [:]

  /// Nothing has been seen yet.
  init(redaction: Redaction?) { self.redaction = redaction }

  /// Reads the totals again, `elapsed` nanoseconds after the start. When no time has passed since the one before, the
  /// rates stay what they were.
  mutating func update(_ totals: Totals, at elapsed: Int64, connections: Int, behind: Int64) {
    self.behind = behind
    let seconds = Double(elapsed - self.elapsed) / 1e9
    func rate(_ now: Int, _ before: Int, _ last: Double) -> Double {
      // An open message counts in a snapshot as far as it is known, so what becomes known can take octets away again.
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

  /// Adds the wait phases of exchanges that are not final yet, which totals do not have.
  mutating func add(_ open: [RecentExchanges.Entry]) {
    for entry in open {
      if let wait = entry.wait, let position = positions[entry.key] { apis[position].wait.record(wait) }
    }
  }

  /// The APIs of each host as one, in the order of hosts.
  var hosts: [LiveAPI] {
    var hosts: [LiveAPI] = []
    var positions: [[UInt8]: Int] = [:]
    for api in apis {
      if let position = positions[api.key.host] {
        hosts[position].add(api)
      } else {
        var host = api
        host.key = APIKey(host: api.key.host, path: [])
        host.name = name(host.key)
        positions[api.key.host] = hosts.count
        hosts.append(host)
      }
    }
    return hosts
  }

  private func name(_ key: APIKey) -> String { key.redacted(redaction).text.shortened(to: Self.nameLimit) }
}
