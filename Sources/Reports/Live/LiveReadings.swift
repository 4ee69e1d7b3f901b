import HTTPReassembly
import Tabular

/// What is known of one API at an instant, and how fast it grew until then.
struct LiveAPI: Sendable, Equatable {
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

  /// Octets both ways.
  var total: Int { up + down }
  /// Octets both ways by the second.
  var rate: Double { upRate + downRate }
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

  private let redaction: Redaction?
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
      api.requests = totalsOfAPI.requests
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

  private func name(_ key: APIKey) -> String { key.redacted(redaction).text.shortened(to: Self.nameLimit) }
}
